import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// A game server asks whose access token this is (INFO-3). The response is based on the database at this moment: a session that ended a
/// millisecond ago on another node is refused.
struct TokenCheckRoutes: Sendable {
    let database: Database
    let tokens: AccessTokenReader

    func check(_ call: Call<TokenCheckRequest>) async throws -> Answer<TokenCheck> {
        let claims = try await tokens.claims(of: call.body.accessToken, app: call.app.id, at: call.moment)
        if let user = call.body.userId, user != claims.user {
            throw Refusal(
                .authInvalidGatehouseToken, "The access token is another member's.", reason: .tokenForeign,
                audit: "token.refused")
        }
        let (session, member) = try await SessionRules.live(claims, call.view, in: database)
        return Answer(
            TokenCheck(
                member: member, provider: session.provider, sessionId: session.id,
                accessTokenExpiryDate: claims.expiresAt.milliseconds))
    }
}
