import Foundation
import Hummingbird
import TokenCheck

struct PlayerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var player: TokenChecker.Claims?

    init(source: Source) { coreContext = .init(source: source) }
}

struct PlayerMiddleware: RouterMiddleware {
    let players: Players

    func handle(
        _ request: Request, context: PlayerContext, next: (Request, PlayerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do {
            context.player = try await players.player(request.headers[.authorization], asking: request.method != .get)
        } catch let refused as TokenChecker.Refused {
            guard refused.isUnavailable else { throw HTTPError(.unauthorized, message: refused.description) }
            throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "5"], message: refused.description)
        }
        return try await next(request, context)
    }
}

let settings = Environment()
guard let server = URL(string: try settings.require("GATEHOUSE_SERVER")) else {
    throw Environment.Error.variableDoesNotConvert
}
let secret = try settings.require("GATEHOUSE_SECRET")
let players = Players(TokenChecker(server: server, app: "devgame", secret: secret), log: { print($0) })
Task { await players.run() }

let router = Router(context: PlayerContext.self).add(middleware: PlayerMiddleware(players: players))
router.get("me") { _, context in ["user": context.player?.sub] }
router.post("purchase") { _, context in ["user": context.player?.sub] }
let port = settings.get("PORT", as: Int.self) ?? 9_000
try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))).runService()
