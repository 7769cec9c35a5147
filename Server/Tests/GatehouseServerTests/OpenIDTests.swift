import FakeProviders
import Foundation
import GatehouseCore
import GatehouseProviders
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct OpenIDTests {
    static let stranger: FakeSigningKey = {
        do { return try FakeSigningKey() } catch { preconditionFailure("\(error)") }
    }()

    @Test("LOGIN-4, LOGIN-7: a credential's identity is the same member on every device", arguments: Engine.available)
    func login(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let first = try await world.logIn(.google, "alice")
            #expect(first.login.provider == .google)
            #expect(first.login.member.mappings.map(\.subject) == ["alice"])
            #expect(try await world.logIn(.google, "alice").user == first.user)
            // The same subject at another provider is another person, and so is the same subject in another app.
            #expect(try await world.logIn(.apple, "alice").user != first.user)
            let answer = try await world.call(
                Endpoints.logIn, world.credential(.google, "alice"), by: TestDevice(), app: World.otherApp)
            #expect(try answer.decoded(as: Login.self).member.userId != first.user)
            #expect(try await world.history(first.user) == ["member.created"])
        }
    }

    @Test("LNK-6, IDP-2: one e-mail address at two providers is two members", arguments: Engine.available)
    func noLinkingByMail(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let mail: [String: JSONValue?] = ["email": "alice@example.com", "email_verified": true, "name": "Alice"]
            var users: Set<UserID> = []
            for (provider, subject) in [(Provider.google, "1"), (.google, "2"), (.apple, "1"), (.facebook, "3")] {
                let token = try world.idps.idToken(provider, for: subject, claims: mail)
                let answer = try await world.call(
                    Endpoints.logIn, Credential(provider: provider, idToken: token), by: TestDevice())
                users.insert(try answer.decoded(as: Login.self).member.userId)
            }
            #expect(users.count == 4)
            #expect(!(try await world.dump()).contains("alice@example.com"))
        }
    }

    @Test("LOGIN-2, LOGIN-7: a missing token is 3202, a refused one 3201", arguments: Engine.available)
    func codes(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            for body in [
                #"{"provider":"google"}"#, #"{"provider":"twitch","accessToken":"t"}"#,
                #"{"provider":"naver","idToken":"t"}"#,
            ] {
                #expect(
                    try await world.send(.post, Endpoints.logIn.template, by: TestDevice(), body: body).code == 3202)
            }
            for token in ["", "a.b.c", "..", String(repeating: "a", count: 9_000)] {
                let body = #"{"provider":"google","idToken":"\#(token)"}"#
                let answer = try await world.send(.post, Endpoints.logIn.template, by: TestDevice(), body: body)
                #expect(answer.code == 3201)
                #expect(answer.status == 401)
            }
            #expect(try await world.rowCounts() == [0, 0, 0, 0])
        }
    }

    @Test("IDP-1, IDP-3, IDP-9: every token that is wrong in one point is refused, and makes nothing")
    func wrongTokens() async throws {
        try await World.open(on: .sqlite) { world in
            // The limits are removed, so that each token is verified.
            _ = try await world.run(
                ChangeLimits {
                    $0.newGuestsPerMinute = 0
                    $0.refusedProofsPerMinute = 0
                })
            world.clock.advance(seconds: 1)
            let now = world.clock.now.milliseconds / 1_000
            let issuer = world.idps.issuer(of: .google)
            let wrongClaims: [[String: JSONValue?]] = [
                ["iss": nil], ["iss": .string(issuer + "/")], ["iss": .string("https" + issuer.dropFirst(4))],
                ["iss": .string(world.idps.issuer(of: .apple))], ["aud": nil], ["aud": "other"], ["aud": []],
                ["aud": .string(world.idps.clientID(of: .google) + "x")], ["aud": 1], ["aud": ["other"]],
                ["aud": [.string(world.idps.clientID(of: .google)), "other"]],
                ["aud": [.string(world.idps.clientID(of: .google)), 1]], ["azp": "other"], ["azp": 1],
                ["exp": nil], ["exp": .integer(now - 61)], ["exp": "9999999999"], ["exp": -1], ["exp": .null],
                ["exp": 9_999_999_999_999_999], ["exp": .number(1.5)], ["iat": nil], ["iat": .integer(now + 61)],
                ["nbf": .integer(now + 3_600)], ["nbf": "soon"], ["sub": nil], ["sub": ""], ["sub": .null], ["sub": 0],
                ["sub": 12345], ["sub": "0"], ["sub": "null"], ["sub": ["alice"]], ["sub": "a\u{7}b"],
                ["sub": .string(String(repeating: "s", count: 256))],
            ]
            let wrongHeaders: [[String: JSONValue?]] = [
                ["alg": "none"], ["alg": "HS256"], ["alg": "ES256"], ["alg": "RS512"], ["alg": nil], ["alg": 1],
                ["kid": nil],
                ["kid": "unknown"], ["kid": "../fake-1"], ["kid": ""], ["kid": 1], ["crit": ["exp"]], ["b64": false],
            ]
            var tokens = try wrongClaims.map { try world.idps.idToken(.google, for: "alice", claims: $0) }
            tokens += try wrongHeaders.map { try world.idps.idToken(.google, for: "alice", header: $0) }
            tokens.append(try world.idps.idToken(.google, for: "alice", signedBy: Self.stranger))
            let good = try world.idps.idToken(.google, for: "alice").secretValue
            let parts = good.split(separator: ".").map(String.init)
            tokens += [
                "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", "\(good).", "\(good)=",
                "\(parts[0])..\(parts[2])",
                "\(parts[0]).\(parts[1]).\(Base64URL.encode([UInt8](repeating: 0, count: 256)))",
            ].map { ProviderToken($0) }
            let device = TestDevice()
            for token in tokens {
                let answer = try await world.call(
                    Endpoints.logIn, Credential(provider: .google, idToken: token), by: device)
                #expect(answer.code == 3201)
                #expect(!answer.text.contains(token.secretValue) || token.secretValue.isEmpty)
            }
            // A token of one provider is refused at another, even if signed with the same key; so is one of ours.
            let apple = try world.idps.idToken(.apple, for: "alice")
            #expect(
                try await world.call(Endpoints.logIn, Credential(provider: .google, idToken: apple), by: device).code
                    == 3201)
            let nonce = Credential(provider: .google, idToken: ProviderToken(good), nonce: "n")
            #expect(try await world.call(Endpoints.logIn, nonce, by: device).code == 3201)
            #expect(try await world.rowCounts() == [0, 0, 0, 0])
            let own = try await world.guest(device).session.accessToken.secretValue
            let ours = Credential(provider: .google, idToken: ProviderToken(own))
            #expect(try await world.call(Endpoints.logIn, ours, by: device).code == 3201)
            #expect(try await world.logIn(.google, "alice").login.provider == .google)
        }
    }

    @Test("IDP-1: tokens that are right in every point are accepted")
    func rightTokens() async throws {
        try await World.open(on: .sqlite) { world in
            let client = JSONValue.string(world.idps.clientID(of: .google))
            let now = world.clock.now.milliseconds / 1_000
            let right: [[String: JSONValue?]] = [
                [:], ["aud": [client]], ["aud": [client, "other"], "azp": client], ["azp": client],
                ["exp": .integer(now - 59), "iat": .integer(now - 3_600)], ["iat": .integer(now + 59)],
                ["nbf": .integer(now)],
                ["sub": .string(String(repeating: "s", count: 255))],
                ["name": "알리스", "unknown": ["a": [1, 2.5, .null]]],
            ]
            for claims in right {
                let token = try world.idps.idToken(.google, for: "alice", claims: claims)
                let credential = Credential(provider: .google, idToken: token)
                #expect(try await world.call(Endpoints.logIn, credential, by: TestDevice()).status == 200)
            }
            let token = try world.idps.idToken(.google, for: "alice", claims: ["nonce": "n"])
            let credential = Credential(provider: .google, idToken: token, nonce: "n")
            #expect(try await world.call(Endpoints.logIn, credential, by: TestDevice()).status == 200)
        }
    }

    @Test("IDP-4, IDP-5: a provider that is down costs its own logins only, and keys that are known still serve")
    func down() async throws {
        try await World.open(on: .sqlite) { world in
            world.idps.setDown(.google, true)
            let credential = try world.credential(.google, "alice")
            let answer = try await world.call(Endpoints.logIn, credential, by: TestDevice())
            #expect(answer.status == 502)
            #expect(answer.code == 8002)
            #expect(answer.reason == "provider_unavailable")
            #expect(try await world.logIn(.apple, "alice").login.provider == .apple)
            #expect(try await world.guest(TestDevice()).standing.isPlayable)

            world.idps.setDown(.google, false)
            world.clock.advance(seconds: 2)
            _ = try await world.logIn(.google, "alice")
            world.idps.setDown(.google, true)
            world.clock.advance(seconds: 3_600)
            _ = try await world.logIn(.google, "alice")
            // The cache is not used for ever, because a key that its provider has withdrawn must become invalid.
            world.clock.advance(seconds: 2 * 86_400)
            #expect(
                try await world.call(Endpoints.logIn, world.credential(.google, "alice"), by: TestDevice()).code == 8002
            )
        }
    }

    @Test("IDP-10: a provider without a client id can't be configured")
    func noAudience() async throws {
        try await World.open(on: .sqlite) { world in
            for clients in [[], [""]] {
                await #expect(throws: Refusal.self) {
                    try await world.run(
                        SetIdentityProvider(
                            provider: .google, configuration: ProviderConfiguration(kind: .google, clientIds: clients)))
                }
            }
            for (url, isFine) in [
                ("http://example.com/keys", false), ("https://user@example.com/keys", false),
                ("file:///etc/passwd", false),
                ("https://example.com/keys#a", false), ("nonsense", false), ("https://example.com/keys", true),
                ("http://127.0.0.1:9/keys", true), ("http://localhost:9/keys", true),
                ("http://localhost.example.com/keys", false),
            ] {
                var configuration = ProviderConfiguration(kind: .openID, clientIds: ["client"])
                configuration.openID?.issuer = "https://example.com"
                configuration.openID?.keysURL = url
                let tried = configuration
                let result = await Task {
                    try await world.run(SetIdentityProvider(provider: Provider("own"), configuration: tried))
                }.result
                #expect(((try? result.get()) != nil) == isFine)
            }
        }
    }
}
