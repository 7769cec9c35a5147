import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Moves the clock of a running `gatehouse dev`.
struct DevClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Move the clock of a running `gatehouse dev` forward, or tell its time.",
        discussion: "What the time brings is carried out at once: withdrawals, ends of bans, lapsed grace bans.")

    @Argument(help: "How far, such as +8d, +90m, +3600s or +2h; nothing tells the time.") var step: String?
    @Option(help: "The server's URL.") var server = "http://127.0.0.1:8080"

    private struct Time: Decodable {
        let serverDate: Int64
    }

    func run() async throws {
        var request = HTTPClientRequest(url: "\(server)/dev/clock")
        if let step {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: #"{"advanceSeconds":\#(try Self.seconds(step))}"#))
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
    }

    static func seconds(_ text: String) throws -> Int64 {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), text.hasPrefix("+"),
            let count = Int64(text.dropFirst().dropLast()), (0...1_000_000).contains(count)
        else { throw ValidationError("\(text) is not a step such as +8d, +90m or +3600s.") }
        return count * unit
    }
}
