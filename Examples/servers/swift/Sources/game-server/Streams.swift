import Foundation
import Hummingbird
import TokenCheck

/// The open streams. Each begins with a line `hello USER ID`, whose id is a secret of its player, and may end with a line `closed CODE`.
actor Streams {
    private struct Stream {
        let connection: Players.Connection
        let output: AsyncStream<ByteBuffer>.Continuation
    }

    private let players: Players
    private var streams: [String: Stream] = [:]

    init(players: Players) { self.players = players }

    func open(_ player: TokenChecker.Claims) async -> AsyncStream<ByteBuffer> {
        let id = UUID().uuidString
        let (stream, output) = AsyncStream.makeStream(of: ByteBuffer.self)
        let connection = await players.connect(player) { end in
            output.yield(ByteBuffer(string: "closed \(end.rawValue)\n"))
            output.finish()
        }
        streams[id] = Stream(connection: connection, output: output)
        output.onTermination = { _ in Task { await self.close(id) } }
        output.yield(ByteBuffer(string: "hello \(player.sub) \(id)\n"))
        return stream
    }

    /// A line from the player: `token TOKEN` renews the connection, any other is echoed.
    func take(_ text: String, for id: String) async {
        guard let stream = streams[id] else { return }
        var answer = "echo \(text)"
        if text.hasPrefix("token ") {
            do {
                try await players.renew(stream.connection, "Bearer \(text.dropFirst("token ".count))")
                answer = "renewed"
            } catch {
                answer = "refused \(error)"
            }
        }
        stream.output.yield(ByteBuffer(string: "\(answer)\n"))
    }

    private func close(_ id: String) async {
        guard let stream = streams.removeValue(forKey: id) else { return }
        await players.end(stream.connection)
    }
}
