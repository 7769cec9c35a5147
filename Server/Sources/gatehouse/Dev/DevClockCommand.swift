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
    @Option(help: "The server's URL.") var server = "http://127.0.0.1:8080"

    private struct Time: Decodable {
        let serverDate: Int64
        let aheadSeconds: Int64
    }

    func run() async throws {
        var request = HTTPClientRequest(url: "\(server)/dev/clock")
        if let step {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            let body = step == "reset" ? #"{"reset":true}"# : #"{"advanceSeconds":\#(try Self.seconds(step))}"#
            request.body = .bytes(ByteBuffer(string: body))
        }
        let answer: HTTPClientResponse
        do {
            answer = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        } catch {
            throw ValidationError("There is no server at \(server).")
        }
        let body = try await answer.body.collect(upTo: 65_536)
        guard answer.status == .ok, let time = try? JSONDecoder().decode(Time.self, from: Data(body.readableBytesView))
        else {
            throw ValidationError("The server at \(server) has no clock that can be moved: it is not `gatehouse dev`.")
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
