package import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

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
        try await services.database.read { [view, services] tx in
            try IdentityTokenRules.profile(of: user, provider, for: session, view, vault: services.vault, in: tx)
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
