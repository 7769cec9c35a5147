import GatehouseProviders
import GatehouseSecurity
import GatehouseWire

extension Work {
    /// Asks or verifies who owns a credential of a source.
    ///
    /// - Throws: ``IdentityFailure``.
    func person(of credential: LegacyCredential, from source: LegacySource) async throws -> LegacyPerson {
        let secrets = try LegacySourceRules.secrets(of: source, app: app.id, vault: services.vault)
        let origin = LegacyOrigin(
            app: app.id, source: source.name, kind: source.kind, settings: source.settings, key: secrets.key)
        return try await services.providers.person(of: credential, from: origin, at: moment)
    }
}
