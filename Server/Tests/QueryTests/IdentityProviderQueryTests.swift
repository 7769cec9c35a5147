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
            #expect(try IdentityProviderQueries.setEnabled(false, .google, app: Tables.app, in: tx))
            #expect(try !IdentityProviderQueries.setEnabled(false, .google, app: Tables.app, in: tx))
            #expect(try !IdentityProviderQueries.setEnabled(false, .facebook, app: Tables.app, in: tx))
            var disabled = Self.configuration
            disabled.isEnabled = false
            #expect(try IdentityProviderQueries.providers(of: Tables.app, in: tx) == [.google: disabled])
            #expect(try IdentityProviderQueries.providers(of: Tables.otherApp, in: tx)[.google]?.isEnabled == true)
        }
    }

    @Test("The first provider that is switched on is found in its app", arguments: Engine.available)
    func firstEnabled(engine: Engine) async throws {
        let off = ProviderConfiguration(kind: .facebook, clientIds: [], isEnabled: false)
        try await Tables.transact(engine) { tx in
            let first = { (app: AppID) in try IdentityProviderQueries.firstEnabled(of: app, in: tx) }
            try IdentityProviderQueries.set(.facebook, off, app: Tables.app, at: Tables.moment, in: tx)
            #expect(try first(Tables.app) == nil)
            for (provider, seconds) in [(Provider.google, 20), (.line, 10)] as [(Provider, Int64)] {
                try IdentityProviderQueries.set(
                    provider, Self.configuration, app: Tables.app, at: Tables.moment + seconds, in: tx)
            }
            #expect(try first(Tables.app) == Tables.moment + 10)
            #expect(try first(Tables.otherApp) == nil)
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

    @Test("A provider's sole owners are the members of its app without any other identity", arguments: Engine.available)
    func soleOwners(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try MemberQueryTests.insertAll(in: tx)
            func count(_ provider: Provider, limit: Int = 10) throws -> [Int] {
                let (found, looked) = try IdentityProviderQueries.soleOwners(
                    of: provider, app: Tables.app, limit: limit, in: tx)
                return [found, looked]
            }
            #expect(try count(.google) == [0, 2])
            for (provider, user) in [
                (Provider.google, MemberQueryTests.user), (.google, MemberQueryTests.neighbour),
                (.apple, MemberQueryTests.neighbour),
            ] {
                try MemberQueries.insertIdentity(
                    IdentityKey(provider: provider, namespace: "", subject: "\(provider) \(user)"),
                    of: MemberQueryTests.account(user, in: tx), at: Tables.moment, in: tx)
            }
            // The same member of the other app has another provider, which counts there only.
            try MemberQueries.insertIdentity(
                IdentityKey(provider: .facebook, namespace: "", subject: "other"),
                of: MemberQueryTests.account(app: Tables.otherApp, in: tx), at: Tables.moment, in: tx)
            #expect(try count(.google) == [1, 2])
            #expect(try count(.apple) == [0, 2])
            // The newest member is looked at first.
            #expect(try count(.google, limit: 1) == [0, 1])
        }
    }

    @Test("The last test of a provider is kept by app, and replaced", arguments: Engine.available)
    func tests(engine: Engine) async throws {
        @Sendable func record(_ text: String) -> ProviderTestRecord {
            ProviderTestRecord(
                findings: [.wrong("keys.failed", text, ["why": Tables.text]), .fine("client.fine", text).of("japan")],
                version: Tables.text, person: Tables.text, date: Tables.moment)
        }
        try await Tables.transact(engine) { tx in
            for app in [Tables.app, Tables.otherApp] {
                try ProviderTestQueries.set(record("first"), of: .google, app: app, in: tx)
            }
            try ProviderTestQueries.set(record(Tables.text), of: .google, app: Tables.app, in: tx)
            try ProviderTestQueries.set(record("other"), of: .apple, app: Tables.app, in: tx)
            #expect(
                try ProviderTestQueries.tests(of: Tables.app, in: tx)
                    == [.google: record(Tables.text), .apple: record("other")])
            #expect(try ProviderTestQueries.tests(of: Tables.otherApp, in: tx) == [.google: record("first")])
        }
    }
}
