import GatehouseStorage
import GatehouseWire

/// What identity providers have told, for game servers.
struct IdentityTokenRoutes: Sendable {
    let database: Database
    let vault: KeyVault
    let audit: AuditLog

    func profile(_ call: Call<ProviderProfileRequest>) async throws -> Answer<ProviderProfile> {
        let body = call.body
        let profile = try await database.read { tx in
            try IdentityTokenRules.profile(of: body.userId, body.provider, app: call.app, vault: vault, in: tx)
        }
        audit.record(
            call.entry("profile.read", subject: ["userId": body.userId.rawValue, "idp": body.provider.rawValue]))
        return Answer(profile)
    }
}
