import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// Tells a game server whose access token this is (INFO-3). The answer is based on the database at this moment: a session that ended a
/// millisecond ago on another node is refused.
package struct CheckToken: Action {
    package static let permission = Permission.serve(.check)

    let request: TokenCheckRequest

    package init(request: TokenCheckRequest) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> TokenCheck {
        try await work.checked(request)
    }
}

extension Work {
    /// - Throws: 3012 for an access token that is invalid, has expired, or belongs to a session that has ended.
    func checked(_ request: TokenCheckRequest) async throws -> TokenCheck {
        let claims = try await services.tokens.claims(of: request.accessToken, app: app.id, at: moment)
        if let user = request.userId, user != claims.user {
            throw Refusal(
                .authInvalidGatehouseToken, "The access token is another member's.", reason: .tokenForeign,
                audit: "token.refused")
        }
        let (session, member) = try await SessionRules.live(claims, view, in: services.database)
        return TokenCheck(
            member: member, provider: session.provider, sessionId: session.id,
            accessTokenExpiryDate: claims.expiresAt.milliseconds)
    }
}
