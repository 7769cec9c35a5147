import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Testing

@testable import GatehouseCore

/// A provider's secrets belong to where they are sent.
@Suite struct ProviderSecretTests {
    struct Move: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var of = ProviderSecretTests.openID
        let change: @Sendable (inout ProviderConfiguration) -> Void
    }

    static let openID = {
        var configuration = ProviderConfiguration(kind: .openID, clientIds: ["client"])
        configuration.openID?.issuer = "https://one.example.com"
        configuration.openID?.keysURL = "https://one.example.com/keys"
        configuration.openID?.revocationURL = "https://one.example.com/revoke"
        return configuration
    }()

    static let partner = {
        var configuration = ProviderConfiguration(kind: .partner, clientIds: ["client"])
        configuration.partner?.checks = [
            ProviderCheck(ProviderCall("https://one.example.com/me"), subject: "id"),
            ProviderCheck(ProviderCall("https://one.example.com/token"), audience: "app"),
        ]
        configuration.partner?.page = .init(
            authorizationURL: "https://one.example.com/login", tokenURL: "https://one.example.com/token")
        return configuration
    }()

    /// The certificate of a private authority, whose key nobody has.
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBgDCCASWgAwIBAgIUFaKvIJGjZIHQPfyD7oxsDfc6TRQwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJYXV0aG9yaXR5MCAXDTI2MTEyNDA2MDg0NFoYDzIxMjYxMDMx
        MDYwODQ0WjAUMRIwEAYDVQQDDAlhdXRob3JpdHkwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAQzydPfmhNYGmNSaOoybKi+bIiBUkcCkreAkt/nCMmAK9cNwm1BW3o/
        GOPd58Zagso8mrQkX6gRjL0w+DatXACRo1MwUTAdBgNVHQ4EFgQUOxljttAHXBel
        J7Oeg9jDKhQ1pI8wHwYDVR0jBBgwFoAUOxljttAHXBelJ7Oeg9jDKhQ1pI8wDwYD
        VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA8bDyQHXAGwUcxWz1g26G
        fiy4+l62jVxHK+8PsL7tbWUCIQDn5aTa1dzQvNdB46PYV6M/8+c+72OxGT3keIjB
        TK9Z5Q==
        -----END CERTIFICATE-----
        """

    static let moves = [
        Move(testDescription: "issuer") { $0.openID?.issuer = "https://two.example.com" },
        Move(testDescription: "keysURL") { $0.openID?.keysURL = "https://one.example.com/other" },
        Move(testDescription: "revocationURL") { $0.openID?.revocationURL = "https://one.example.com/other" },
        Move(testDescription: "certificates") { $0.openID?.trustedCertificates = [authority] },
        Move(testDescription: "fake world") { $0.origin = "http://127.0.0.1:9090" },
        Move(testDescription: "kind") { $0 = partner },
        Move(testDescription: "call that names the player", of: partner) {
            $0.partner?.checks[0] = ProviderCheck(ProviderCall("https://two.example.com/me"), subject: "id")
        },
        Move(testDescription: "call that names the client", of: partner) {
            $0.partner?.checks[1] = ProviderCheck(ProviderCall("https://two.example.com/token"), audience: "app")
        },
        Move(testDescription: "port", of: partner) {
            $0.partner?.checks[1] = ProviderCheck(ProviderCall("https://one.example.com:444/token"), audience: "app")
        },
        Move(testDescription: "page", of: partner) {
            $0.partner?.page = .init(
                authorizationURL: "https://two.example.com/login", tokenURL: "https://one.example.com/token")
        },
        Move(testDescription: "token address", of: partner) {
            $0.partner?.page = .init(
                authorizationURL: "https://one.example.com/login", tokenURL: "https://one.example.com/other")
        },
    ]

    private static let name = Provider("studio")
    private static let person = Operator(id: OperatorID("op"), name: "op", createdAt: Moment(milliseconds: 0))

    private static func save(
        _ configuration: ProviderConfiguration, secrets: [String: String] = [:], removed: Set<String> = [],
        samePersons: Bool = false, as role: OperatorRole = .operator, at core: TestCore
    ) async throws {
        let draft = SaveIdentityProvider(
            provider: name, configuration: configuration,
            secrets: .changed(ProviderSecretChanges(values: secrets, removed: removed)), samePersons: samePersons)
        try await core.operator(person, as: role).run(draft)
    }

    private static func secret(at core: TestCore) async throws -> String? {
        try await core.database.read { [vault = core.services.vault] tx in
            let found = try IdentityProviderQueries.providers(of: TestCore.app, in: tx)[name]
            return try found?.secrets(of: name, in: TestCore.app, vault: vault).clientSecret?.secretValue
        }
    }

    @Test("IDP-2: a secret is not sent to another address than the one it was given for", arguments: moves)
    func moved(move: Move) async throws {
        try await TestCore.open { core in
            try await Self.save(move.of, secrets: ["clientSecret": "the-secret-of-the-owner"], at: core)
            var changed = move.of
            move.change(&changed)
            let (kept, new) = (move.of, changed)
            let refusals = [
                await refusal { try await Self.save(new, at: core) },
                await refusal { try await Self.save(new, secrets: ["values.other": "mine"], at: core) },
                await refusal {
                    try await core.operator().run(
                        SaveIdentityProvider(
                            provider: Self.name, configuration: new, samePersons: true))
                },
            ]
            for refusal in refusals {
                #expect(refusal?.details.parameter == "clientSecret", "\(refusal.map { "\($0)" } ?? "-")")
                #expect(refusal?.message.contains("another address") == true)
            }
            // A test of the settings and every login use what is stored.
            let stored = try await core.operator(Self.person, as: .operator).run(ReadIdentityProviders())[Self.name]
            #expect(stored?.configuration.destinations == kept.destinations)
            try await Self.save(new, removed: ["clientSecret"], at: core)
            #expect(try await Self.secret(at: core) == nil)
            try await Self.save(kept, secrets: ["clientSecret": "the-secret-of-the-owner"], at: core)
            try await Self.save(new, secrets: ["clientSecret": "another"], at: core)
            #expect(try await Self.secret(at: core) == "another")
        }
    }

    @Test("A secret stays when the settings change, and its address does not")
    func stays() async throws {
        try await TestCore.open { core in
            try await Self.save(Self.openID, secrets: ["clientSecret": "the-secret-of-the-owner"], at: core)
            var changed = Self.openID
            changed.clientIds = ["client", "second"]
            changed.scopes = ["openid"]
            try await Self.save(changed, at: core)
            #expect(try await Self.secret(at: core) == "the-secret-of-the-owner")
        }
    }

    @Test("IDP-2: only an owner says that another authority has the same persons")
    func takeover() async throws {
        try await TestCore.open { core in
            try await Self.save(Self.openID, at: core)
            let player = try await core.player("alice")
            try await core.database.transact { [user = player.user] tx in
                let account = try #require(try MemberQueries.account(user, app: TestCore.app, in: tx))
                let key = IdentityKey(provider: Self.name, namespace: "", subject: "1001")
                try MemberQueries.insertIdentity(key, of: account, at: core.clock.now, in: tx)
            }
            for move in Self.moves where move.of == Self.openID {
                var changed = Self.openID
                move.change(&changed)
                let new = changed
                guard new.authority != Self.openID.authority else { continue }
                #expect(await code { try await Self.save(new, at: core) } == .invalidParameter)
                #expect(await code { try await Self.save(new, samePersons: true, at: core) } == .userPermission)
                try await Self.save(new, samePersons: true, as: .owner, at: core)
                try await Self.save(Self.openID, samePersons: true, as: .owner, at: core)
            }
        }
    }
}
