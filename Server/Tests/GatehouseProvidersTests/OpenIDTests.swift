import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Testing

/// What an ID token must be.
@Suite struct OpenIDTests {
    @Test("IDP-1, IDP-3, IDP-9: every token that is wrong in one point is refused")
    func wrongTokens() async throws {
        let app = try FakeApp()
        let now = app.now.milliseconds / 1_000
        let issuer = app.idps.issuer(of: .google)
        let client = app.idps.clientID(of: .google)
        let wrongClaims: [[String: JSONValue?]] = [
            ["iss": nil], ["iss": .string(issuer + "/")], ["iss": .string("https" + issuer.dropFirst(4))],
            ["iss": .string(app.idps.issuer(of: .apple))], ["aud": nil], ["aud": "other"], ["aud": []],
            ["aud": .string(client + "x")], ["aud": 1], ["aud": ["other"]],
            ["aud": [.string(client), "other"]], ["aud": [.string(client), 1]], ["azp": "other"], ["azp": 1],
            ["aud": [.string(client), "other"], "azp": .null],
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
        var tokens = try wrongClaims.map { try app.idps.idToken(.google, for: "alice", claims: $0) }
        tokens += try wrongHeaders.map { try app.idps.idToken(.google, for: "alice", header: $0) }
        tokens.append(try app.idps.idToken(.google, for: "alice", signedBy: FakeSigningKey()))
        // A token of one provider is refused at another, even if it is signed with the same key.
        tokens.append(try app.idps.idToken(.apple, for: "alice"))
        let good = try app.idps.idToken(.google, for: "alice").secretValue
        let parts = good.split(separator: ".").map(String.init)
        tokens += [
            "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", "\(good).", "\(good)=",
            "\(parts[0])..\(parts[2])", "", "a.b.c", "..", String(repeating: "a", count: 9_000),
            "\(parts[0]).\(parts[1]).\(Base64URL.encode([UInt8](repeating: 0, count: 256)))",
        ].map { ProviderToken($0) }
        for token in tokens {
            #expect(await app.code(Credential(provider: .google, idToken: token)) == 3201, "\(token.secretValue)")
        }
        let nonce = Credential(provider: .google, idToken: ProviderToken(good), nonce: "n")
        #expect(await app.code(nonce) == 3201)
        #expect(await app.code(Credential(provider: .google, idToken: ProviderToken(good))) == nil)
    }

    @Test("IDP-1: tokens that are right in every point are accepted")
    func rightTokens() async throws {
        let app = try FakeApp()
        let client = JSONValue.string(app.idps.clientID(of: .google))
        let now = app.now.milliseconds / 1_000
        let right: [[String: JSONValue?]] = [
            [:], ["aud": [client]], ["aud": [client, "other"], "azp": client], ["azp": client],
            ["azp": .null, "nbf": .null, "at_hash": .null, "events": .null],
            ["exp": .integer(now - 59), "iat": .integer(now - 3_600)], ["iat": .integer(now + 59)],
            ["nbf": .integer(now)],
            ["sub": .string(String(repeating: "s", count: 255))],
            ["name": "알리스", "unknown": ["a": [1, 2.5, .null]]],
        ]
        for claims in right { #expect(try await app.code(app.idToken(.google, claims: claims)) == nil, "\(claims)") }
        var credential = try app.idToken(.google, claims: ["nonce": "n"])
        credential.nonce = "n"
        let identity = try await app.verify(credential)
        #expect(identity.key == IdentityKey(provider: .google, namespace: "", subject: "alice"))
    }

    @Test("IDP-1: of two thousand tokens that were tampered with none is accepted, and none does harm")
    func hostileTokens() async throws {
        let app = try FakeApp()
        var seed: UInt64 = 0x9e37_79b9_7f4a_7c15
        func next() -> UInt64 {
            seed ^= seed << 13
            seed ^= seed >> 7
            seed ^= seed << 17
            return seed
        }
        let originals = try [Provider.google, .line].map {
            ($0, Array(try app.idps.idToken($0, for: "alice").secretValue.utf8))
        }
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=%{}\"\u{0}".utf8)
        var count = 0
        while count < 2_000 {
            let (provider, original) = originals[Int(next() % 2)]
            var bytes = original
            for _ in 0...(next() % 3) {
                let place = Int(next() % UInt64(bytes.count))
                let letter = letters[Int(next() % UInt64(letters.count))]
                switch next() % 4 {
                case 0: bytes.insert(letter, at: place)
                case 1: bytes.remove(at: place)
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int(next() % 40)))
                default: bytes[place] = letter
                }
                if bytes.isEmpty { bytes = [0x2e] }
            }
            // The last letter of base64 has unused bits: a strict decoder refuses changes in them too.
            guard bytes != original else { continue }
            count += 1
            let token = ProviderToken(String(decoding: bytes, as: UTF8.self))
            #expect(await app.code(Credential(provider: provider, idToken: token)) == 3201, "\(token.secretValue)")
        }
    }

    @Test("IDP-1, IDP-3: fractions of seconds are read, and a subject of blanks is nobody's")
    func claims() async throws {
        let app = try FakeApp()
        let now = Double(app.now.milliseconds / 1_000)
        let times: [String: JSONValue?] = [
            "exp": .number(now + 3_600.5), "iat": .number(now - 0.5), "nbf": .number(now - 0.25),
        ]
        #expect(try await app.code(app.idToken(.studio, claims: times)) == nil)
        for wrong in [Double.greatestFiniteMagnitude, -1.5, now - 61.5] {
            #expect(try await app.code(app.idToken(.studio, claims: ["exp": .number(wrong)])) == 3201, "\(wrong)")
        }
        for blank in [" ", "   ", "\u{a0}", "\u{2003}\u{3000}"] {
            #expect(try await app.code(app.idToken(.studio, claims: ["sub": .string(blank)])) == 3201)
        }
        #expect(try await app.code(app.idToken(.studio, claims: ["sub": " alice "])) == nil)
    }

    @Test("IDP-9: a token that says that it is another than an ID token is refused")
    func kinds() async throws {
        let app = try FakeApp()
        for provider in [Provider.google, .studio] {
            for type in ["logout+jwt", "at+jwt", "AT+JWT", "application/at+jwt", "secevent+jwt", "", 1] as [JSONValue] {
                #expect(try await app.code(app.idToken(provider, header: ["typ": type])) == 3201, "\(type)")
            }
            let events: JSONValue = ["http://schemas.openid.net/event/backchannel-logout": [:]]
            #expect(try await app.code(app.idToken(provider, claims: ["events": events])) == 3201)
            #expect(try await app.code(app.idToken(provider, header: ["typ": nil])) == nil)
            #expect(try await app.code(app.idToken(provider, header: ["typ": "jwt"])) == nil)
        }
    }

    @Test("LOGIN-2: a credential without what its provider verifies is 3202, and says what it lacks")
    func incomplete() async throws {
        let app = try FakeApp()
        let naver = Credential(provider: .naver, idToken: "t")
        for (credential, parameter) in [
            (Credential(provider: .google), "idToken"), (naver, "accessToken"),
            (Credential(provider: .gameCenter), "gameCenter"),
        ] {
            #expect(await app.failure(credential) == .incomplete(parameter))
            #expect(await app.code(credential) == 3202)
        }
        var off = try app.configuration(of: .google)
        off.isEnabled = false
        #expect(try await app.failure(app.idToken(.google), off) == .notConfigured)
        await #expect(throws: IdentityFailure.notConfigured) {
            try await app.providers.verify(app.idToken(.google), nil, in: FakeApp.id, at: app.now)
        }
    }

    @Test("IDP-4, IDP-5: a provider that is down costs its own logins only, and keys that are known still serve")
    func down() async throws {
        let app = try FakeApp()
        app.idps.setDown(.google, true)
        #expect(try await app.failure(app.idToken(.google)) == .unavailable)
        #expect(try await app.code(app.idToken(.apple)) == nil)

        app.idps.setDown(.google, false)
        app.clock.advance(seconds: 2)
        #expect(try await app.code(app.idToken(.google)) == nil)
        app.idps.setDown(.google, true)
        app.clock.advance(seconds: 3_600)
        #expect(try await app.code(app.idToken(.google)) == nil)
        // The cache is not used for ever, because a key that its provider has withdrawn must become invalid.
        app.clock.advance(seconds: 2 * 86_400)
        #expect(try await app.code(app.idToken(.google)) == 8002)
    }
}
