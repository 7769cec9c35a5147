import FakeProviders
import Foundation
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Testing

/// What makes a credential one device's, and what is kept of it.
@Suite struct CredentialBindingTests {
    /// The order of P-256's group (SEC 2, section 2.4.2).
    private static let order: [UInt8] = [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6,
        0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ]

    /// The second valid signature: s becomes n - s.
    private static func twin(of token: ProviderToken) throws -> ProviderToken {
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

    @Test("IDP-1: a token's other signature makes no other token of it, and it is known until it ends")
    func twins() async throws {
        let app = try FakeApp()
        let token = try app.idps.idToken(.line, for: "alice")
        let twin = try Self.twin(of: token)
        #expect(twin != token)
        let claims = [
            try await app.verify(Credential(provider: .line, idToken: token)).claim,
            try await app.verify(Credential(provider: .line, idToken: twin)).claim,
        ]
        #expect(claims[0] == claims[1])
        // Until then the clocks' difference lets it in.
        #expect(claims[0] == .signed(token, until: app.now.adding(seconds: 3_660)))
        #expect(try await app.verify(app.idToken(.line)).claim != claims[0])
    }

    @Test("IDP-9: an access token is known as long as it lives, and where its provider does not say for ninety days")
    func accessTokens() async throws {
        let app = try FakeApp()
        let credential = try app.idps.credential(.facebook, for: "alice")
        let token = try #require(credential.accessToken)
        guard case .token(let hash, let end)? = try await app.verify(credential).claim else {
            Issue.record("the token can be used on any device")
            return
        }
        #expect(hash == CredentialClaim.hash(of: token.secretValue))
        #expect(end > app.now && end <= app.now.adding(seconds: CredentialVerifier.longestUseSeconds))
        let unknown = try app.configuration(of: .naver, ["acceptsUnboundTokens": true])
        let naver = app.accessToken(.naver)
        let text = try #require(naver.accessToken)
        let longest = app.now.adding(seconds: CredentialVerifier.longestUseSeconds)
        #expect(try await app.verify(naver, unknown).claim == .opaque(text, until: longest))
        // What this server has exchanged itself is nobody else's.
        #expect(try await app.logInAtPage(.facebook).claim == nil)
    }

    @Test("INFO-4: an access token that comes beside an ID token is kept only when it is shown to be the same person's")
    func foreignAccessTokens() async throws {
        let app = try FakeApp()
        func credential(_ token: ProviderToken) throws -> Credential {
            var credential = try app.idToken(.google)
            credential.accessToken = token
            return credential
        }
        #expect(try await app.code(credential("anything I like")) == 3201)
        #expect(try await app.code(credential(app.idps.accessToken(.google, for: "bob"))) == 3201)
        let own = app.idps.accessToken(.google, for: "alice")
        // If the provider can't be asked, only its token is lost, not the login: its keys are already known.
        app.idps.setDown(.google, true)
        #expect(try await app.verify(credential(own)).tokens?.accessToken == nil)
        app.idps.setDown(.google, false)
        app.clock.advance(seconds: 1)
        #expect(try await app.verify(credential(own)).tokens?.accessToken == own)
    }

    @Test("INFO-4: a code beside an ID token must be the same person's: else that person's tokens would be kept")
    func foreignCodes() async throws {
        let app = try FakeApp()
        var credential = try app.idps.credential(.apple, for: "mallory")
        credential.authorizationCode = try app.idps.credential(.apple, for: "alice").authorizationCode
        #expect(await app.failure(credential) == .rejected("the code beside it is another person's"))
        let own = try await app.verify(app.idps.credential(.apple, for: "alice"))
        #expect(own.tokens?.refreshToken != nil)
    }

    @Test("INFO-4: of every provider something is kept, after a page and after a credential")
    func everyProvider() async throws {
        let app = try FakeApp()
        for provider in FakeProviders.names {
            var identities = [try await app.verify(app.idps.credential(provider, for: "alice"))]
            if FakeProviders.withPages.contains(provider) { identities.append(try await app.logInAtPage(provider)) }
            for identity in identities {
                #expect(identity.key.subject == app.idps.subject(of: "alice", at: provider))
                #expect(identity.tokens?.profile?.isEmpty == false, "\(provider)")
            }
            // Game Center has no token.
            #expect((identities.last?.tokens?.accessToken == nil) == (provider == .gameCenter), "\(provider)")
        }
    }

    @Test("INFO-4: an ID token is kept of a login that has brought nothing else, and nothing where the app keeps none")
    func idTokens() async throws {
        let app = try FakeApp()
        var credential = try app.idToken(.google)
        let tokens = try await app.verify(credential).tokens
        #expect(tokens?.accessToken == nil)
        #expect(tokens?.idToken == credential.idToken)
        #expect(tokens?.profile?["name"] == "Player alice")
        #expect(tokens?.profile?["iss"] == nil)
        credential.accessToken = app.idps.accessToken(.google, for: "alice")
        #expect(try await app.verify(credential).tokens?.idToken == nil)
        let off = try app.configuration(of: .google, ["keepsProfile": false])
        #expect(try await app.verify(app.idToken(.google), off).tokens == nil)
        // What a withdrawal revokes by is kept.
        let revocable = try await app.verify(credential, off).tokens
        #expect(revocable?.accessToken == credential.accessToken && revocable?.profile == nil)
    }

    @Test("INFO-4: what a device says of a person is not the provider's word, and what is kept is bounded")
    func profiles() async throws {
        let app = try FakeApp()
        let large = String(repeating: "x", count: 3_000)
        var credential = try app.idToken(.google, claims: ["bio": .string(large)])
        let letter = "a" + String(repeating: "\u{301}", count: CombiningMarks.maximum)
        credential.personName = String(repeating: letter, count: 50)
        let profile = try #require(try await app.verify(credential).tokens?.profile)
        #expect(profile["name"] == "Player alice")
        let own = try #require(profile["nameOnDevice"]?.stringValue)
        #expect(own.utf8.count <= CredentialVerifier.maximumNameBytes)
        #expect(profile["bio"]?.stringValue?.count == 3_000)

        // The verifier accepts tokens of 8 KiB. A partner's response may have a quarter of a megabyte.
        let bounded = CredentialVerifier.bounded(
            Dictionary(uniqueKeysWithValues: (0..<100).map { ("m\($0)", .string(large)) } + [("sub", "alice")]))
        #expect(try JSONWriter.bytes(of: bounded).count <= CredentialVerifier.maximumProfileBytes)
        #expect(bounded["sub"] == "alice")
    }
}
