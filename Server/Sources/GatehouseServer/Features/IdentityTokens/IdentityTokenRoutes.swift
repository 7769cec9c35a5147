import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// What identity providers have reported about players, for game servers and for the player's own device.
struct IdentityTokenRoutes: Sendable {
    let database: Database
    let vault: KeyVault
    let audit: AuditLog

    func profile(_ call: Call<ProviderProfileRequest>) async throws -> Answer<ProviderProfile> {
        try await profile(call, for: nil)
    }

    /// - Parameter session: the session of the player's access token, if the game server has sent one.
    func profile(_ call: Call<ProviderProfileRequest>, for session: SessionID?) async throws -> Answer<ProviderProfile>
    {
        let profile = try await profile(of: call.body.userId, call.body.provider, for: session, call.view)
        audit.record(
            call.entry(
                "profile.read",
                subject: ["userId": call.body.userId.rawValue, "idp": call.body.provider.rawValue]))
        return Answer(profile)
    }

    /// The profile for the player's own device (INFO-2).
    func ownProfile(_ call: Call<OwnProfileRequest>) async throws -> Answer<ProviderProfile> {
        let claims = try call.caller.requireClaims()
        let (session, member) = try await SessionRules.live(claims, call.view, in: database)
        return Answer(try await profile(of: member.userId, call.body.provider, for: session.id, call.view))
    }

    private func profile(
        of user: UserID, _ provider: Provider, for session: SessionID?, _ view: Viewpoint
    ) async throws -> ProviderProfile {
        try await database.read { [vault] tx in
            try IdentityTokenRules.profile(of: user, provider, for: session, view, vault: vault, in: tx)
        }
    }
}
