import ArgumentParser
import AsyncHTTPClient
import GatehousePlatform
import NIOCore
import NIOHTTP1

/// Moves the clock of a running `gatehouse dev`.
struct DevClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Move the clock of a running `gatehouse dev` forward, set it back, or tell its time.",
        discussion: """
            What the time brings is carried out at once: withdrawals, ends of bans, lapsed grace bans. The clock stays where it \
            is over a restart, and the commands that work on the same database have its time. Whoever checks access tokens by \
            the real time refuses those that this server signs ahead of it; `gatehouse dev clock reset` goes back.
            """)

    @Argument(
        help: "How far, such as +8d, +90m, +3600s or +2h; `reset` goes back to the real time; nothing tells the time.")
    var step: String?
    @Option(help: "The server's URL. Default: where `gatehouse dev` runs on the database of this folder")
    var server: String?

    private struct Time: Decodable {
        let serverDate: Int64
        let aheadSeconds: Int64
    }

    func run() async throws {
        let change = try step.map { step in
            step == "reset" ? #"{"reset":true}"# : #"{"advanceSeconds":\#(try Self.seconds(step))}"#
        }
        // `gatehouse dev` looks for no configuration file either.
        let settings = try Settings(
            flags: ["server": server], environment: ProcessInfo.processInfo.environment, looksForFile: false)
        let address = try await ServerAddress.known(to: [settings])
        var request = HTTPClientRequest(url: "\(address.url)/dev/clock")
        if let change {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: change))
        }
        let answer: (status: HTTPResponseStatus, body: Data)
        do {
            answer = try await ServerQuestion.ask(request, seconds: 30)
        } catch {
            throw SettingError(address.unanswered())
        }
        guard answer.status == .ok, let time = try? JSONDecoder().decode(Time.self, from: answer.body) else {
            throw SettingError(
                "The server at \(address.url) has no clock that can be moved: it is not `gatehouse dev`.")
        }
        Terminal.say("\(Words.time(time.serverDate))")
        if time.aheadSeconds > 0 {
            // This goes to standard error, so that a script reads only the time.
            Terminal.complain(
                "This is \(Self.words(time.aheadSeconds)) ahead of the real time: whoever checks access tokens by that refuses those of this server. `gatehouse dev clock reset` goes back."
            )
        }
    }

    static func seconds(_ text: String) throws -> Int64 {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), text.hasPrefix("+"),
            let count = Int64(text.dropFirst().dropLast()), (0...1_000_000).contains(count)
        else { throw ValidationError("\(text) is neither a step such as +8d, +90m or +3600s, nor `reset`.") }
        return count * unit
    }

    private static func words(_ seconds: Int64) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}
