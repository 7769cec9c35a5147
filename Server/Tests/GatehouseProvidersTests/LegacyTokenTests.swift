import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Testing

/// What a credential of another sign-in system must be.
@Suite struct LegacyTokenTests {
    private typealias Changes = [String: JSONValue?]

    /// A source of each kind, as an operator sets it.
    private static func origin(
        _ name: FakeOldSystems.Name, key: String? = nil, _ app: FakeApp,
        _ change: (inout LegacySettings) -> Void = { _ in }
    ) throws -> LegacyOrigin {
        var settings = LegacySettings()
        settings.origin = app.idps.origin
        settings.project = FakeOldSystems.project
        switch name {
        case .cognito: (settings.issuer, settings.audience) = (FakeOldSystems.cognitoIssuer, FakeOldSystems.audience)
        case .openid: (settings.issuer, settings.audience) = (FakeOldSystems.openIDIssuer, FakeOldSystems.audience)
        case .eos: settings.audience = FakeOldSystems.audience
        default: break
        }
        change(&settings)
        let takesKey = [.nakama, .gamebase, .playfab].contains(name)
        return LegacyOrigin(
            app: FakeApp.id, source: "old", kind: try #require(LegacySourceKind(rawValue: name.rawValue)),
            settings: settings, key: (key ?? (takesKey ? FakeOldSystems.secret : nil)).map { ProviderToken($0) })
    }

    private static let kinds: [FakeOldSystems.Name: LegacyCredential.Kind] = [
        .firebase: .idToken, .eos: .idToken, .cognito: .idToken, .openid: .idToken, .supabase: .accessToken,
        .unity: .accessToken, .nakama: .sessionToken, .gamebase: .accessToken, .playfab: .sessionTicket,
    ]

    private static func person(
        _ token: ProviderToken, _ name: FakeOldSystems.Name, key: String? = nil, id: String? = nil, _ app: FakeApp,
        _ change: (inout LegacySettings) -> Void = { _ in }
    ) async throws -> LegacyPerson {
        let credential = LegacyCredential(kind: try #require(kinds[name]), value: token, id: id)
        return try await app.providers.person(
            of: credential, from: try origin(name, key: key, app, change), at: app.now)
    }

    /// Why a token is refused; nil for one that is good.
    private static func refusal(
        _ name: FakeOldSystems.Name, _ app: FakeApp, claims: Changes = [:], header: Changes = [:],
        signedBy other: FakeSigningKey? = nil, secret: String? = nil, key: String? = nil,
        _ change: (inout LegacySettings) -> Void = { _ in }
    ) async throws -> IdentityFailure? {
        let token = try app.idps.oldSystems.token(
            name, for: "player-1", claims: claims, header: header, signedBy: other, secret: secret)
        do {
            _ = try await person(token, name, key: key, app, change)
            return nil
        } catch let failure as IdentityFailure {
            return failure
        }
    }

    private static let signing: [FakeOldSystems.Name] = [
        .firebase, .supabase, .unity, .eos, .cognito, .openid, .nakama,
    ]

    @Test(
        "A good token of each system names its player, and belongs to the first device until it ends",
        arguments: signing)
    func good(name: FakeOldSystems.Name) async throws {
        let app = try FakeApp()
        let token = try app.idps.oldSystems.token(name, for: "player-1")
        let person = try await Self.person(token, name, app)
        #expect(person.legacyID == "player-1" && person.identities.isEmpty)
        guard case .token(_, let end)? = person.claim else { return #expect(Bool(false)) }
        let lifetime: Int64 = name == .nakama ? 60 : 3_600
        #expect(end == app.now.adding(seconds: lifetime + 60))
        // Nakama doesn't tell when.
        #expect(person.signedInAt == (name == .nakama ? nil : app.now))
    }

    @Test("IDP-1: a token that is wrong in one point is refused by every system", arguments: signing)
    func wrong(name: FakeOldSystems.Name) async throws {
        let app = try FakeApp()
        let now = app.now.milliseconds / 1_000
        let subject = name == .nakama ? "uid" : "sub"
        var changes: [Changes] = [
            ["exp": nil], ["exp": .integer(now - 61)], ["exp": "soon"], ["exp": -1], ["exp": 9_999_999_999_999_999],
            ["iat": .integer(now + 61)], ["iat": "then"], ["iat": .integer(now - 3_661), "exp": .integer(now + 60)],
            ["nbf": .integer(now + 61)], ["nbf": "soon"], ["auth_time": .integer(now + 61)],
            [subject: nil], [subject: ""], [subject: 1], [subject: "a\u{7}b"],
            [subject: .string(String(repeating: "s", count: 257))],
        ]
        if name != .nakama { changes += [["iat": nil], ["iss": nil], ["iss": "https://evil.example"], ["iss": 1]] }
        if name != .nakama, name != .unity { changes += [["aud": nil], ["aud": "other"], ["aud": []], ["aud": 1]] }
        for claims in changes {
            #expect(try await Self.refusal(name, app, claims: claims) != nil, "\(claims)")
        }
        var headers: [Changes] = [
            ["alg": "none"], ["alg": "None"], ["alg": "RS512"], ["alg": nil], ["alg": 1], ["crit": ["exp"]],
            ["b64": false], ["typ": "at+jwt"], ["typ": 1],
        ]
        if name != .nakama { headers += [["kid": nil], ["kid": "unknown"], ["kid": 1], ["alg": "HS256"]] }
        for header in headers {
            #expect(try await Self.refusal(name, app, header: header) != nil, "\(header)")
        }
        if name == .nakama {
            #expect(try await Self.refusal(name, app, secret: "another") != nil)
        } else {
            #expect(try await Self.refusal(name, app, signedBy: FakeSigningKey()) != nil)
            // A secret key that the operator has not given counts for nothing, whatever it is.
            #expect(try await Self.refusal(name, app, secret: FakeOldSystems.secret) != nil)
        }
        for text in ["", "a.b.c", "..", String(repeating: "a", count: 9_000)] {
            await #expect(throws: IdentityFailure.self) { try await Self.person(ProviderToken(text), name, app) }
        }
        #expect(try await Self.refusal(name, app) == nil)
    }

    @Test("What a system signs besides is refused by its name")
    func otherKinds() async throws {
        let app = try FakeApp()
        let now = app.now.milliseconds / 1_000
        let project = FakeOldSystems.project
        func words(
            _ name: FakeOldSystems.Name, _ claims: Changes = [:], header: Changes = [:]
        ) async throws -> String? {
            try await Self.refusal(name, app, claims: claims, header: header)?.words
        }
        let cookie = try await words(.firebase, ["iss": .string("https://session.firebase.google.com/\(project)")])
        #expect(cookie == "it is a session cookie, and no ID token")
        let toolkit = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
        #expect(try await words(.firebase, ["aud": .string(toolkit)]) == "it is a custom token, and no ID token")
        #expect(try await words(.firebase, header: ["alg": "none"]) == "it is not signed")
        #expect(try await words(.firebase, header: ["kid": "unknown"]) == "its key is not one of the provider's")
        let other = try await words(.firebase, ["iss": "https://securetoken.google.com/other"])
        #expect(other == "its issuer is another: it is of another project or system")
        #expect(try await words(.firebase, ["aud": "other"]) == IdentityFailure.audienceMismatch.words)
        let tenant: JSONValue = ["sign_in_provider": "anonymous", "identities": [:], "tenant": "t1"]
        #expect(try await words(.firebase, ["firebase": tenant]) == "it is of another tenant")
        #expect(try await words(.firebase, ["auth_time": nil]) == "it doesn't say when it was signed in")
        let stale: Changes = ["iat": .integer(now - 3_661), "exp": .integer(now + 9)]
        #expect(try await words(.firebase, stale) == "it was issued more than an hour ago")
        for role in ["anon", "service_role"] {
            let words = try await words(.supabase, ["role": .string(role)])
            #expect(words == "it is a key of the project, and no player's")
        }
        #expect(try await words(.supabase, ["session_id": nil]) == "it is a key of the project, and no player's")
        #expect(try await words(.unity, ["project_id": "other"]) == "it is of another project")
        #expect(try await words(.eos, ["pfdid": "other"]) == "it is of another deployment")
        #expect(try await words(.cognito, ["token_use": "access"]) == "it is an access token, and no ID token")
        #expect(try await words(.cognito, ["token_use": nil]) == "it does not say that it is an ID token")
        #expect(try await words(.nakama, ["tid": nil]) == "it is no session token")
    }

    @Test(
        "A project's tenant, a secret key of an old project, and the audience of a Unity project count if they are set")
    func settings() async throws {
        let app = try FakeApp()
        let tenant: JSONValue = ["sign_in_provider": "anonymous", "tenant": "t1"]
        let ofTenant = { (settings: inout LegacySettings) in settings.tenant = "t1" }
        #expect(try await Self.refusal(.firebase, app, claims: ["firebase": tenant], ofTenant) == nil)
        #expect(try await Self.refusal(.firebase, app, ofTenant) != nil)
        let secret = "a-secret-of-an-old-project-of-32-bytes"
        #expect(try await Self.refusal(.supabase, app, secret: secret, key: secret) == nil)
        #expect(try await Self.refusal(.supabase, app, secret: "other", key: secret) != nil)
        // A key beside the published ones, for a kind whose tokens are never signed with a secret.
        #expect(try await Self.refusal(.firebase, app, secret: secret, key: secret) != nil)
        let ofEnvironment = { (settings: inout LegacySettings) in settings.audience = "envName:production" }
        #expect(try await Self.refusal(.unity, app, ofEnvironment) == nil)
        #expect(try await Self.refusal(.unity, app, claims: ["aud": ["upid:my-game"]], ofEnvironment) != nil)
    }

    @Test("A token says which identities its player has there, and when the player has signed in")
    func identities() async throws {
        let app = try FakeApp()
        func person(_ name: FakeOldSystems.Name, _ claims: Changes) async throws -> LegacyPerson {
            try await Self.person(
                app.idps.oldSystems.token(name, for: "player-1", claims: claims), name, app)
        }
        let earlier = app.now.adding(seconds: -86_400)
        let firebase = try await person(
            .firebase,
            [
                "auth_time": .integer(earlier.milliseconds / 1_000),
                // A client that has linked since its last sign-in goes on saying that it is anonymous.
                "firebase": [
                    "sign_in_provider": "anonymous",
                    "identities": ["google.com": ["113456789012345678901"], "email": ["a@example.com"]],
                ],
            ])
        #expect(firebase.identities == [.init(name: "google.com", subject: "113456789012345678901")])
        #expect(firebase.signedInAt == earlier)
        let password: JSONValue = ["sign_in_provider": "password", "identities": ["email": ["a@example.com"]]]
        #expect(try await person(.firebase, ["firebase": password]).identities.isEmpty)
        let supabase = try await person(.supabase, ["app_metadata": ["providers": ["email", "google"]]])
        #expect(supabase.identities == [.init(name: "google")])
        let unity = try await person(.unity, ["sign_in_provider": "google.com"])
        #expect(unity.identities == [.init(name: "google.com")])
        let cognito = try await person(
            .cognito, ["identities": [["providerName": "Google", "userId": "1134"], ["userId": "x"], "odd"]])
        #expect(cognito.identities == [.init(name: "google", subject: "1134")])
    }

    @Test("Gamebase and PlayFab are asked whose a credential is, with their own key")
    func calls() async throws {
        let app = try FakeApp()
        let user = "AAAAAAAAAAAAAAAA"
        let ticket = app.idps.oldSystems.ticket(of: user)
        let gamebase = try await Self.person(ticket, .gamebase, id: user, app)
        #expect(gamebase.legacyID == user && gamebase.claim != nil)
        let playFab = try await Self.person(ticket, .playfab, app)
        #expect(playFab.legacyID == user && playFab.claim != nil)
        let account = LegacyCredential(
            kind: .transferAccount, value: ProviderToken("password-of-\(user)"), id: user)
        let typed = try await app.providers.person(of: account, from: Self.origin(.gamebase, app), at: app.now)
        // What a player types is bound to no device.
        #expect(typed.legacyID == user && typed.claim == nil)

        func failure(
            _ name: FakeOldSystems.Name, _ token: ProviderToken, id: String? = nil, key: String? = nil
        ) async throws -> IdentityFailure? {
            do {
                _ = try await Self.person(token, name, key: key, id: id, app)
                return nil
            } catch let failure as IdentityFailure {
                return failure
            }
        }
        let refused = IdentityFailure.rejected("the old system refuses it")
        #expect(try await failure(.gamebase, "guessed", id: user) == refused)
        #expect(try await failure(.gamebase, ticket, id: "BBBBBBBBBBBBBBBB") == refused)
        #expect(try await failure(.gamebase, ticket) == .incomplete("credential"))
        // Neither an id nor a token leaves its place in the address.
        for odd in ["..", ".", "", "../../apps", "A/tokens/x", String(repeating: "A", count: 1_025)] {
            #expect(try await failure(.gamebase, ticket, id: odd) != nil, "\(odd)")
            #expect(try await failure(.gamebase, ProviderToken(odd), id: user) != nil, "\(odd)")
        }
        #expect(try await failure(.gamebase, ticket, id: user, key: "wrong") == refused)
        #expect(try await failure(.playfab, "guessed") == refused)
        #expect(try await failure(.playfab, ticket, key: "wrong") == refused)
    }

    @Test("A refresh token of Firebase is exchanged once, with the source's web API key, and belongs to its device")
    func refreshToken() async throws {
        let app = try FakeApp()
        func person(_ text: String, key: String? = FakeOldSystems.secret) async throws -> LegacyPerson {
            let credential = LegacyCredential(kind: .refreshToken, value: ProviderToken(text))
            return try await app.providers.person(
                of: credential, from: Self.origin(.firebase, key: key, app), at: app.now)
        }
        func failure(_ text: String, key: String? = FakeOldSystems.secret) async throws -> IdentityFailure? {
            do {
                _ = try await person(text, key: key)
                return nil
            } catch let failure as IdentityFailure {
                return failure
            }
        }
        let token = app.idps.oldSystems.refreshToken(of: "player/1 +&=").secretValue
        let found = try await person(token)
        #expect(found.legacyID == "player/1 +&=" && found.signedInAt == app.now)
        // It is good for many ID tokens, so it is bound for as long as any credential is.
        #expect(try await person(token).claim == found.claim && found.claim != nil)
        #expect(try await failure("guessed") == .rejected("the old system refuses it"))
        #expect(try await failure("ended") == .expired)
        #expect(try await failure(token, key: nil) == .misconfigured("the source has no secret key"))
        let refused = IdentityFailure.misconfigured("the old system refuses the source's key")
        #expect(try await failure(token, key: "wrong-key-of-it") == refused)
    }

    @Test("An entity token of PlayFab is checked with the title's own, and only a player's counts")
    func entityToken() async throws {
        let app = try FakeApp()
        func failure(_ token: ProviderToken, key: String? = nil) async throws -> IdentityFailure? {
            let credential = LegacyCredential(kind: .entityToken, value: token)
            do {
                let origin = try Self.origin(.playfab, key: key, app)
                let person = try await app.providers.person(of: credential, from: origin, at: app.now)
                #expect(person.legacyID == "PLAYER" && person.claim != nil)
                return nil
            } catch let failure as IdentityFailure {
                return failure
            }
        }
        let systems = app.idps.oldSystems
        #expect(try await failure(systems.ticket(of: "PLAYER")) == nil)
        #expect(try await failure(systems.ticket(of: "TITLE")) == .rejected("it is no player's"))
        #expect(try await failure("guessed") == .rejected("the old system refuses it"))
        let refused = IdentityFailure.misconfigured("the old system refuses the source's key")
        #expect(try await failure(systems.ticket(of: "PLAYER"), key: "wrong") == refused)
    }

    @Test("A system that is down refuses nobody, and one that has no key of the operator's asks nobody")
    func outage() async throws {
        let app = try FakeApp()
        let elsewhere = { (settings: inout LegacySettings) in settings.origin = "http://127.0.0.1:1/nowhere" }
        for name in FakeOldSystems.Name.allCases where Self.kinds[name] != nil && name != .nakama {
            let token = try app.idps.oldSystems.token(name, for: "player-1")
            await #expect(throws: IdentityFailure.unavailable, "\(name)") {
                try await Self.person(token, name, id: "A", app, elsewhere)
            }
        }
        for (name, kind) in [
            (FakeOldSystems.Name.firebase, LegacyCredential.Kind.refreshToken), (.playfab, .entityToken),
        ] {
            let credential = LegacyCredential(kind: kind, value: "token")
            await #expect(throws: IdentityFailure.unavailable, "\(kind)") {
                let origin = try Self.origin(name, key: FakeOldSystems.secret, app, elsewhere)
                return try await app.providers.person(of: credential, from: origin, at: app.now)
            }
        }
        let origin = try Self.origin(.gamebase, app)
        let keyless = LegacyOrigin(
            app: origin.app, source: origin.source, kind: origin.kind, settings: origin.settings, key: nil)
        let credential = LegacyCredential(kind: .accessToken, value: "token", id: "A")
        await #expect(throws: IdentityFailure.misconfigured("the source has no secret key")) {
            try await app.providers.person(of: credential, from: keyless, at: app.now)
        }
    }

    @Test("A source takes the kinds of its system, and no other", arguments: LegacySourceKind.allCases)
    func kinds(kind: LegacySourceKind) async throws {
        let app = try FakeApp()
        let origin = LegacyOrigin(
            app: FakeApp.id, source: "old", kind: kind, settings: LegacySettings(), key: nil)
        for other in [
            "idToken", "accessToken", "refreshToken", "sessionToken", "sessionTicket", "entityToken", "transferAccount",
            "deviceId", "odd",
        ] {
            let credential = LegacyCredential(kind: .init(rawValue: other), value: "token", id: "A")
            guard !kind.description.credentialKinds.contains(credential.kind) else { continue }
            await #expect(throws: IdentityFailure.rejected("this source takes no such kind of credential")) {
                try await app.providers.person(of: credential, from: origin, at: app.now)
            }
        }
    }
}
