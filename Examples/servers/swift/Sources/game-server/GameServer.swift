import Foundation
import Hummingbird
import TokenCheck

/// A game's server: who am I, a purchase that asks Gatehouse, and a stream of lines to the player that outlives a token. What the player
/// says comes as further requests. A WebSocket is used in the same way.
@main struct GameServer {
    static func main() async throws {
        let settings = ProcessInfo.processInfo.environment
        guard let server = settings["GATEHOUSE_SERVER"].flatMap(URL.init(string:)), let app = settings["GATEHOUSE_APP"],
            let secret = settings["GATEHOUSE_SECRET"]
        else { return say("GATEHOUSE_SERVER, GATEHOUSE_APP and GATEHOUSE_SECRET must be set") }
        let age = settings["MAX_LIST_SECONDS"].flatMap(Int.init) ?? 3_600
        let players = Players(
            TokenChecker(server: server, app: app, secret: secret), maxListAge: .seconds(age),
            askSeconds: settings["ASK_SECONDS"].flatMap(Double.init) ?? 2, log: { say($0) })
        let streams = Streams(players: players)

        let router = Router(context: PlayerContext.self)
        router.group("purchase").add(middleware: PlayerMiddleware(players: players, asking: true)).post { _, context in
            "{\"user\": \"\(try context.requirePlayer().sub)\"}"
        }
        let known = router.group().add(middleware: PlayerMiddleware(players: players))
        known.get("me") { _, context in "{\"user\": \"\(try context.requirePlayer().sub)\"}" }
        known.get("play") { _, context in
            Response(status: .ok, body: .init(asyncSequence: await streams.open(try context.requirePlayer())))
        }
        router.post("play/:id") { request, context in
            let text = String(buffer: try await request.body.collect(upTo: 4_096))
            await streams.take(text, for: try context.parameters.require("id"))
            return HTTPResponse.Status.noContent
        }

        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: settings["PORT"].flatMap(Int.init) ?? 9_000)),
            onServerRunning: { channel in say("listening \(channel.localAddress?.port ?? 0)") })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await players.run() }
            try await application.runService()
            group.cancelAll()
        }
    }

    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
