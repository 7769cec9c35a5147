package import GatehouseJSON
package import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

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
        let (session, member) = try await SessionRules.live(claims, context, in: services.database)
        return TokenCheck(
            member: member, provider: session.provider, sessionId: session.id,
            accessTokenExpiryDate: claims.expiresAt.milliseconds)
    }
}

extension TokenCheck: JSONWritable {
    package func write(to text: inout JSONBytes) {
        text.object { text in
            text.member("member", member)
            text.member("provider", provider.rawValue)
            text.member("sessionId", sessionId.rawValue)
            text.member("accessTokenExpiryDate", accessTokenExpiryDate)
        }
    }
}

/// Reads what an identity provider has told about a member, for a game server.
package struct ReadProviderProfile: Action {
    package static let permission = Permission.serve(.profile)

    let request: ProviderProfileRequest

    package init(request: ProviderProfileRequest) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> ProviderProfile {
        try await work.readProfile(of: request.userId, request.provider)
    }
}

/// Reads what the identity provider of an access token has told about its member, for a game server.
package struct ReadProfileByToken: Action {
    package static let permission = Permission.serve(.profile)

    let token: TokenCheckRequest
    let provider: Provider

    package init(token: TokenCheckRequest, provider: Provider) {
        self.token = token
        self.provider = provider
    }

    /// - Throws: 3 for an access token of a login with another identity provider.
    package func perform(_ work: Work) async throws -> ProviderProfile {
        let check = try await work.checked(token)
        guard check.provider == provider else { throw Refusal.foreignProvider }
        return try await work.readProfile(of: check.member.userId, provider, for: check.sessionId)
    }
}

extension Refusal {
    package static let foreignProvider = Refusal.parameter(
        "idPCode", "The access token was not issued by a login with this identity provider.")
}

/// Reads what an identity provider has told about the caller (INFO-2).
package struct ReadOwnProfile: Action {
    package static let permission = Permission.play

    let request: OwnProfileRequest

    package init(request: OwnProfileRequest) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> ProviderProfile {
        let (session, member) = try await work.livePlayer()
        return try await work.profile(of: member.userId, request.provider, for: session.id)
    }
}

extension Work {
    fileprivate func profile(
        of user: UserID, _ provider: Provider, for session: SessionID?
    ) async throws -> ProviderProfile {
        try await services.database.read { [context, services] tx in
            try IdentityTokenRules.profile(of: user, provider, for: session, context, vault: services.vault, in: tx)
        }
    }

    /// Reads a profile for a game server, which an audit line records.
    fileprivate func readProfile(
        of user: UserID, _ provider: Provider, for session: SessionID? = nil
    ) async throws -> ProviderProfile {
        let profile = try await profile(of: user, provider, for: session)
        report(.profileRead(provider), of: user)
        return profile
    }
}
