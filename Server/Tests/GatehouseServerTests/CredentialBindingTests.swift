import Crypto
import FakeProviders
import Foundation
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The owner of a credential, and what is kept of it.
@Suite struct CredentialBindingTests {
    /// The order of P-256's group (SEC 2, section 2.4.2).
    private static let order: [UInt8] = [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6,
        0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ]

    /// The second valid signature: s becomes n - s.
    static func twin(of token: ProviderToken) throws -> ProviderToken {
        let parts = token.secretValue.split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2]))
        var other = Array(signature.prefix(32))
        var borrow = 0
        var difference = [UInt8](repeating: 0, count: 32)
        for index in stride(from: 31, through: 0, by: -1) {
            let value = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = value < 0 ? 1 : 0
            difference[index] = UInt8(value & 0xff)
        }
        other += difference
        return ProviderToken("\(parts[0]).\(parts[1]).\(Base64URL.encode(other))")
    }

    @Test(
        "IDP-1: a token that was used on one device is refused on another, also with its other signature",
        arguments: Engine.available)
    func twins(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let token = try world.idps.idToken(.line, for: "alice")
            let twin = try Self.twin(of: token)
            #expect(twin != token)
            let device = TestDevice()
            let user = try await world.call(
                Endpoints.logIn, Credential(provider: .line, idToken: token), by: device
            ).decoded(as: Login.self).member.userId
            for text in [token, twin] {
                let stolen = try await world.call(
                    Endpoints.logIn, Credential(provider: .line, idToken: text), by: TestDevice())
                #expect(stolen.code == 3201)
                #expect(stolen.reason == "credential_rejected")
                let thief = try await world.guestPlayer()
                let mapped = try await world.call(
                    Endpoints.addMapping, Credential(provider: .line, idToken: text), by: thief)
                #expect(mapped.code == 3301, "\(mapped.text)")
                let own = try await world.call(
                    Endpoints.logIn, Credential(provider: .line, idToken: text), by: device
                ).decoded(as: Login.self)
                #expect(own.member.userId == user)
            }
        }
    }

    @Test(
        "IDP-9: an access token is of the device that has used it first, as long as it lives",
        arguments: Engine.available)
    func accessTokens(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let credential = try world.idps.credential(.facebook, for: "alice")
            #expect(credential.accessToken != nil)
            let device = TestDevice()
            #expect(try await world.call(Endpoints.logIn, credential, by: device).status == 200)
            #expect(try await world.call(Endpoints.logIn, credential, by: device).status == 200)
            let stolen = try await world.call(Endpoints.logIn, credential, by: TestDevice())
            #expect(stolen.code == 3201)
            #expect(stolen.reason == "credential_rejected")
            // The claim is kept as long as the token is valid, but no longer than the maximum.
            let end = try await world.database.read { tx in
                try tx.first("SELECT expires_at FROM used_credentials") { row in try row[0] as Int64 } ?? 0
            }
            #expect(end > world.clock.now.milliseconds)
            #expect(
                end <= world.clock.now.adding(seconds: CredentialVerifier.longestUseSeconds).milliseconds)
        }
    }

    @Test(
        "INFO-4: an access token that comes beside an ID token is kept only when it is shown to be the same person's",
        arguments: Engine.available)
    func foreignAccessTokens(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let ask = { (user: UserID) in
                try await world.call(
                    server: Endpoints.providerProfile, ProviderProfileRequest(userId: user, provider: .google)
                ).decoded(as: ProviderProfile.self)
            }
            var made = Credential(provider: .google, idToken: try world.idps.idToken(.google, for: "alice"))
            made.accessToken = "anything I like"
            let refused = try await world.call(Endpoints.logIn, made, by: TestDevice())
            #expect(refused.code == 3201, "\(refused.text)")

            var another = Credential(provider: .google, idToken: try world.idps.idToken(.google, for: "alice"))
            another.accessToken = world.idps.accessToken(.google, for: "bob")
            #expect(try await world.call(Endpoints.logIn, another, by: TestDevice()).code == 3201)

            // If the provider can't be asked, only its token is lost, not the login: its keys are already known.
            world.idps.setDown(.google, true)
            var own = Credential(provider: .google, idToken: try world.idps.idToken(.google, for: "alice"))
            own.accessToken = world.idps.accessToken(.google, for: "alice")
            let without = try await world.call(Endpoints.logIn, own, by: TestDevice()).decoded(as: Login.self)
            #expect(try await ask(without.member.userId).accessToken == nil)
            world.idps.setDown(.google, false)
            world.clock.advance(seconds: 1)

            own.idToken = try world.idps.idToken(.google, for: "alice")
            let login = try await world.call(Endpoints.logIn, own, by: TestDevice()).decoded(as: Login.self)
            #expect(try await ask(login.member.userId).accessToken == own.accessToken)
        }
    }

    @Test(
        "INFO-4: a code beside an ID token must be the same person's: else that person's tokens would be kept",
        arguments: Engine.available)
    func foreignCodes(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            var credential = Credential(provider: .apple, idToken: try world.idps.idToken(.apple, for: "mallory"))
            credential.authorizationCode = try world.idps.credential(.apple, for: "alice").authorizationCode
            let refused = try await world.call(Endpoints.logIn, credential, by: TestDevice())
            #expect(refused.code == 3201)
            #expect(refused.reason == "credential_rejected")
            #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens") == 0)
            #expect(
                try await world.call(
                    Endpoints.logIn, world.idps.credential(.apple, for: "alice"), by: TestDevice()
                ).status == 200)
            #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens") == 1)
        }
    }

    @Test(
        "INFO-4: what a device says of a person is not the provider's word, and what is kept is bounded",
        arguments: Engine.available)
    func profiles(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let large = String(repeating: "x", count: 3_000)
            var credential = Credential(
                provider: .google,
                idToken: try world.idps.idToken(.google, for: "alice", claims: ["bio": .string(large)]))
            // More marks on a letter are refused where the request is read.
            let letter = "a" + String(repeating: "\u{301}", count: CombiningMarks.maximum)
            credential.personName = letter + "\u{301}"
            #expect(try await world.call(Endpoints.logIn, credential, by: TestDevice()).status == 400)
            credential.personName = String(repeating: letter, count: 50)
            let login = try await world.call(Endpoints.logIn, credential, by: TestDevice()).decoded(as: Login.self)
            let profile = try await world.call(
                server: Endpoints.providerProfile,
                ProviderProfileRequest(userId: login.member.userId, provider: .google)
            ).decoded(as: ProviderProfile.self).profile
            #expect(profile["name"] == "Player alice")
            let own = try #require(profile["nameOnDevice"]?.stringValue)
            #expect(own.utf8.count <= CredentialVerifier.maximumNameBytes)
            #expect(profile["bio"]?.stringValue?.count == 3_000)

            // The verifier accepts tokens of 8 KiB. A partner's response may have a quarter of a megabyte.
            let verifier = CredentialVerifier.bounded(
                Dictionary(uniqueKeysWithValues: (0..<100).map { ("m\($0)", .string(large)) } + [("sub", "alice")]))
            #expect(try JSONWriter.bytes(of: verifier).count <= CredentialVerifier.maximumProfileBytes)
            #expect(verifier["sub"] == "alice")
        }
    }

    @Test(
        "IDP-2: another issuer under a provider's name does not get its players, unless the operator says so",
        arguments: Engine.available)
    func issuers(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            func configuration(_ issuer: String) -> ProviderConfiguration {
                var configuration = ProviderConfiguration(kind: .openID, clientIds: ["client"])
                configuration.openID?.issuer = issuer
                configuration.openID?.keysURL = "https://keys.example.com/"
                return configuration
            }
            let name = Provider("league")
            let set = { (configuration: ProviderConfiguration, same: Bool) in
                try await world.run(
                    SetIdentityProvider(provider: name, configuration: configuration, samePersons: same))
            }
            // Nobody has an identity of it yet, so a mistake can be corrected.
            try await set(configuration("https://wrong.example.com"), false)
            try await set(configuration("https://one.example.com"), false)
            let identity = VerifiedIdentity(key: IdentityKey(provider: name, namespace: "", subject: "1001"))
            let now = world.clock.now
            let account = Account(
                app: World.app, user: UserID("AAAABBBBCCCCDDDD"), status: .normal, registrationDate: now.milliseconds,
                lastLoginDate: now.milliseconds, version: 0, generation: 0, mappings: [])
            try await world.database.transact { tx in
                try MemberQueries.insertMember(account.user, app: World.app, on: now.day, at: now, in: tx)
                try MemberQueries.insertIdentity(identity.key, of: account, at: now, in: tx)
            }
            await #expect(throws: Refusal.self) { try await set(configuration("https://two.example.com"), false) }
            var partner = ProviderConfiguration(kind: .partner, clientIds: ["client"])
            partner.partner?.checks = [
                ProviderCheck(ProviderCall("https://partner.example.com/me"), subject: "id", audience: "app")
            ]
            let other = partner
            await #expect(throws: Refusal.self) { try await set(other, false) }
            #expect(
                try await world.run(ReadApp()).providers[name]?.openID?.issuer
                    == "https://one.example.com")
            // The owner of the keys says who the players are.
            var keys = configuration("https://one.example.com")
            keys.openID?.keysURL = "https://new-keys.example.com/"
            let moved = keys
            await #expect(throws: Refusal.self) { try await set(moved, false) }
            // The same issuer with other settings counts as the same.
            var scopes = configuration("https://one.example.com")
            scopes.scopes = ["openid"]
            try await set(scopes, false)
            try await set(configuration("https://two.example.com"), true)
        }
    }

    @Test(
        "IDP-6: a discovery document that sends anybody elsewhere than to https is none",
        arguments: ["authorization_endpoint", "token_endpoint", "revocation_endpoint", "jwks_uri"])
    func discovery(member: String) throws {
        var document: [String: String] = [
            "issuer": "https://one.example.com", "jwks_uri": "https://one.example.com/keys",
            "authorization_endpoint": "https://one.example.com/login",
            "token_endpoint": "https://one.example.com/token",
            "revocation_endpoint": "https://one.example.com/revoke",
        ]
        #expect(Discovery.read(try JSONEncoder().encode(document)) != nil)
        for place in [
            "file:///etc/passwd", "javascript:alert(1)", "http://one.example.com/", "https://user@one.example.com/", "",
        ] {
            document[member] = place
            #expect(Discovery.read(try JSONEncoder().encode(document)) == nil, "\(place)")
        }
    }
}
