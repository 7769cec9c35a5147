import Crypto
import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Testing

/// Guests who come from another Gatehouse, by its access tokens.
@Suite struct LegacyGatehouseTests {
    private typealias Changes = [String: JSONValue?]

    private static let user = "1346789ABCDFGHJK"

    private static func origin(
        _ app: FakeApp, _ change: (inout LegacySettings) -> Void = { _ in }
    ) -> LegacyOrigin {
        var settings = LegacySettings()
        settings.origin = app.idps.origin
        (settings.issuer, settings.audience) = (FakeOldSystems.gatehouseIssuer, FakeOldSystems.gatehouseApp)
        settings.isGatehouse = true
        change(&settings)
        return LegacyOrigin(app: FakeApp.id, source: "old", kind: .openid, settings: settings, key: nil)
    }

    /// Why a token is refused; nil for one that is good.
    private static func refusal(
        _ app: FakeApp, claims: Changes = [:], header: Changes = [:], signedBy other: FakeSigningKey? = nil,
        secret: String? = nil, shownAs kind: LegacyCredential.Kind = .accessToken,
        _ change: (inout LegacySettings) -> Void = { _ in }
    ) async throws -> IdentityFailure? {
        let token = try app.idps.oldSystems.token(
            .gatehouse, for: user, claims: claims, header: header, signedBy: other, secret: secret)
        do {
            _ = try await app.providers.person(
                of: LegacyCredential(kind: kind, value: token), from: origin(app, change), at: app.now)
            return nil
        } catch let failure as IdentityFailure {
            return failure
        }
    }

    @Test("An access token of another Gatehouse names its member, and belongs to the first device until it ends")
    func good() async throws {
        let app = try FakeApp()
        let token = try app.idps.oldSystems.token(.gatehouse, for: Self.user)
        let person = try await app.providers.person(
            of: LegacyCredential(kind: .accessToken, value: token), from: Self.origin(app), at: app.now)
        #expect(person.legacyID == Self.user && person.identities.isEmpty && person.signedInAt == app.now)
        guard case .token(_, let end)? = person.claim else { return #expect(Bool(false)) }
        #expect(end == app.now.adding(seconds: 3_660))
        // A player with a provider logs in with it here, because the token does not say when the player has signed in.
        let linked = try app.idps.oldSystems.token(.gatehouse, for: Self.user, claims: ["idp": "google"])
        let other = try await app.providers.person(
            of: LegacyCredential(kind: .accessToken, value: linked), from: Self.origin(app), at: app.now)
        #expect(other.identities.isEmpty)
    }

    @Test("IDP-1: a token of another issuer, app, algorithm, key, type, form or time is refused")
    func wrong() async throws {
        let app = try FakeApp()
        let now = app.now.milliseconds / 1_000
        let neighbour = "https://login.old.example/v1/apps/other-game"
        let changes: [Changes] = [
            ["iss": nil], ["iss": 1], ["iss": .string(neighbour)],
            ["iss": .string("\(FakeOldSystems.gatehouseIssuer)/")],
            ["iss": "https://evil.example/v1/apps/old-game"],
            ["aud": nil], ["aud": "other-game"], ["aud": []], ["aud": 1],
            ["aud": [.string(FakeOldSystems.gatehouseApp), "other-game"]],
            ["exp": nil], ["exp": .integer(now - 61)], ["exp": "soon"],
            ["iat": nil], ["iat": .integer(now + 61)], ["iat": .integer(now - 3_661), "exp": .integer(now + 60)],
            ["nbf": .integer(now + 61)],
            ["sub": nil], ["sub": ""], ["sub": 1], ["sub": "player-1"], ["sub": "1346789ABCDFGHJI"],
            ["sub": "1346789ABCDFGHJKK"], ["sid": nil], ["sid": 1], ["cnf": nil], ["cnf": [:]],
        ]
        for claims in changes {
            #expect(try await Self.refusal(app, claims: claims) != nil, "\(claims)")
        }
        #expect(try await Self.refusal(app, claims: ["aud": "other-game"]) == .audienceMismatch)
        #expect(try await Self.refusal(app, claims: ["exp": .integer(now - 61)]) == .expired)
        let headers: [Changes] = [
            ["typ": nil], ["typ": "JWT"], ["typ": "dpop+jwt"], ["typ": "application/at+jwt"], ["typ": 1],
            ["alg": "none"], ["alg": "RS256"], ["alg": "HS256"], ["alg": nil], ["kid": nil], ["kid": "unknown"],
            ["crit": ["exp"]],
        ]
        for header in headers {
            #expect(try await Self.refusal(app, header: header) != nil, "\(header)")
        }
        for key in [try FakeSigningKey(id: "gatehouse-1"), .p256(id: "gatehouse-1"), .ed25519(id: "gatehouse-1")] {
            #expect(try await Self.refusal(app, signedBy: key) != nil)
        }
        #expect(try await Self.refusal(app, secret: FakeOldSystems.secret) != nil)
        #expect(try await Self.refusal(app) == nil)
    }

    @Test("The issuer's discovery document must be its own, and an access token is no ID token")
    func elsewhere() async throws {
        let app = try FakeApp()
        #expect(try await Self.refusal(app, shownAs: .idToken) != nil)
        // Without the operator's word an issuer of any kind has ID tokens alone.
        for word in [nil, false] {
            for kind in [LegacyCredential.Kind.accessToken, .idToken] {
                #expect(try await Self.refusal(app, shownAs: kind) { $0.isGatehouse = word } != nil, "\(kind)")
            }
        }
        let token = try app.idps.oldSystems.token(.openid, for: Self.user)
        for kind in [LegacyCredential.Kind.accessToken, .idToken] {
            await #expect(throws: IdentityFailure.self) {
                try await app.providers.person(
                    of: LegacyCredential(kind: kind, value: token), from: Self.origin(app), at: app.now)
            }
        }
        #expect(
            try await Self.refusal(app, claims: ["iss": "https://login.old.example/v1/apps/gone"]) {
                $0.issuer = "https://login.old.example/v1/apps/gone"
            } != nil)
    }

    @Test("The fake Gatehouse's tokens have the form of a server's own")
    func form() throws {
        let app = try FakeApp()
        let key = SigningKey(
            id: "k", privateKey: P256.Signing.PrivateKey(), createdAt: app.now, activeAt: app.now)
        let own = try AccessTokens.sign(
            AccessClaims(
                app: AppID(FakeOldSystems.gatehouseApp), user: UserID(Self.user), session: SessionID("s"),
                provider: .guest, key: KeyThumbprint("t"), issuedAt: app.now, expiresAt: app.now.adding(seconds: 60),
                generation: 0, issuer: FakeOldSystems.gatehouseIssuer), with: key
        ).secretValue
        let fake = try app.idps.oldSystems.token(.gatehouse, for: Self.user).secretValue
        #expect(try Self.members(of: own, 0) == Self.members(of: fake, 0))
        #expect(try Self.members(of: own, 1) == Self.members(of: fake, 1))
        #expect(try Self.json(own, 0)["typ"] == Self.json(fake, 0)["typ"])
        #expect(try Self.json(own, 0)["alg"] == Self.json(fake, 0)["alg"])
    }

    private static func json(_ token: String, _ part: Int) throws -> [String: JSONValue] {
        let bytes = try #require(Base64URL.decode(token.split(separator: ".")[part].utf8))
        return try JSONDecoder().decode([String: JSONValue].self, from: Data(bytes))
    }

    private static func members(of token: String, _ part: Int) throws -> [String] {
        try json(token, part).keys.sorted()
    }
}
