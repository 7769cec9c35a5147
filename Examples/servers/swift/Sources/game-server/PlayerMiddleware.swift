import Hummingbird
import TokenCheck

/// The context of a request with its player.
struct PlayerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var player: TokenChecker.Claims?

    init(source: Source) { coreContext = .init(source: source) }

    func requirePlayer() throws -> TokenChecker.Claims {
        guard let player else { throw HTTPError(.unauthorized) }
        return player
    }
}

/// Lets players in. With `asking`, Gatehouse itself is asked, for what can't be undone.
struct PlayerMiddleware: RouterMiddleware {
    let players: Players
    var asking = false

    func handle(
        _ request: Request, context: PlayerContext, next: (Request, PlayerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do {
            context.player = try await players.player(request.headers[.authorization], asking: asking)
        } catch let refused as TokenChecker.Refused {
            return Self.answer(refused)
        }
        return try await next(request, context)
    }

    private static func answer(_ refused: TokenChecker.Refused) -> Response {
        var headers: HTTPFields = [.contentType: "application/json"]
        if refused.isUnavailable {
            headers[.retryAfter] = "5"
        } else {
            headers[.wwwAuthenticate] = "Bearer error=\"invalid_token\""
        }
        return Response(
            status: refused.isUnavailable ? .serviceUnavailable : .unauthorized, headers: headers,
            body: .init(byteBuffer: ByteBuffer(string: "{\"error\": \"\(refused.description)\"}")))
    }
}
