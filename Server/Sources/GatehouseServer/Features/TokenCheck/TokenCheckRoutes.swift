import GatehouseStorage
import GatehouseWire

/// A game server asks whose an access token is (INFO-3). The answer is the database's, at this moment: a session that
/// ended a millisecond ago on another node is refused.
struct TokenCheckRoutes: Sendable {
    let database: Database
    let directory: AppDirectory

    func check(_ call: Call<TokenCheckRequest>) async throws -> Answer<TokenCheck> {
        let claims = try await directory.claims(of: call.body.accessToken, app: call.app.id, at: call.moment)
        if let user = call.body.userId, user != claims.user {
            throw Refusal(
                .authInvalidGatehouseToken, "The access token is another member's.", reason: .tokenForeign,
                audit: "token.refused")
        }
        return Answer(
            try await database.read { tx in
                let session = try SessionRules.requireLive(claims, at: call.moment, in: tx)
                return TokenCheck(
                    member: try MemberRules.member(claims.user, app: claims.app, in: tx), provider: session.provider,
                    sessionId: session.id, accessTokenExpiryDate: claims.expiresAt.milliseconds)
            })
    }
}
