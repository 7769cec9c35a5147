import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `identity_providers`.
@Suite struct IdentityProviderQueryTests {
    private static var configuration: ProviderConfiguration {
        var configuration = ProviderConfiguration(kind: .google, clientIds: [Tables.text, "b"])
        configuration.namespace = Tables.text
        configuration.sealedSecrets = Tables.bytes
        return configuration
    }

    private static func set(
        _ configuration: ProviderConfiguration = configuration, _ provider: Provider = .google,
        app: AppID = Tables.app, in tx: Transaction
    ) throws {
        try IdentityProviderQueries.set(provider, configuration, app: app, at: Tables.moment, in: tx)
    }

    @Test("Settings are read back with their secret, and replaced in their app", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        let plain = ProviderConfiguration(kind: .facebook, clientIds: [], isEnabled: false)
        try await Tables.transact(engine) { tx in
            for app in [Tables.app, Tables.otherApp] { try Self.set(app: app, in: tx) }
            try Self.set(plain, .facebook, in: tx)
            let providers = { (app: AppID) in try IdentityProviderQueries.providers(of: app, in: tx) }
            #expect(try providers(Tables.app) == [.google: Self.configuration, .facebook: plain])
            try Self.set(plain, .google, in: tx)
            #expect(try providers(Tables.app)[.google] == plain)
            #expect(try providers(Tables.otherApp) == [.google: Self.configuration])
            #expect(try AppQueries.app(Tables.otherApp, in: tx)?.providers == [.google: Self.configuration])
        }
    }

    @Test("A provider is disabled in one app, and keeps its settings", arguments: Engine.available)
    func disable(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for app in [Tables.app, Tables.otherApp] { try Self.set(app: app, in: tx) }
            #expect(try IdentityProviderQueries.disable(.google, app: Tables.app, in: tx))
            #expect(try !IdentityProviderQueries.disable(.facebook, app: Tables.app, in: tx))
            var disabled = Self.configuration
            disabled.isEnabled = false
            #expect(try IdentityProviderQueries.providers(of: Tables.app, in: tx) == [.google: disabled])
            #expect(try IdentityProviderQueries.providers(of: Tables.otherApp, in: tx)[.google]?.isEnabled == true)
        }
    }

    @Test(
        "A provider has identities where a member has one, or can get it back", arguments: Engine.available,
        [true, false])
    func hasIdentities(engine: Engine, isFormer: Bool) async throws {
        let key = IdentityKey(provider: .google, namespace: "", subject: "subject")
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            let account = try MemberQueryTests.account(in: tx)
            if isFormer {
                try FormerIdentityQueries.keep(
                    key, of: account.user, app: Tables.app, at: Tables.moment, until: Tables.moment, in: tx)
            } else {
                try MemberQueries.insertIdentity(key, of: account, at: Tables.moment, in: tx)
            }
            #expect(try IdentityProviderQueries.hasIdentities(.google, app: Tables.app, in: tx))
            #expect(try !IdentityProviderQueries.hasIdentities(.google, app: Tables.otherApp, in: tx))
            #expect(try !IdentityProviderQueries.hasIdentities(.apple, app: Tables.app, in: tx))
        }
    }
}
