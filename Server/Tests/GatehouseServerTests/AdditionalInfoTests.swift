import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct AdditionalInfoTests {
    /// Configures a provider with this additional information, as an operator does.
    private func set(
        _ provider: Provider, _ info: [String: JSONValue]?, in world: World, _ changes: [String: JSONValue] = [:]
    ) async throws {
        guard case .object(var settings) = world.idps.configuration(of: provider) else { return }
        settings["additionalInfo"] = info.map { .object($0) }
        for (name, value) in changes { settings[name] = value }
        try await world.run(
            SetIdentityProvider(
                provider: provider, settings: .object(settings), secrets: world.idps.secrets(of: provider)))
        world.clock.advance(seconds: 2)
    }

    private func attempt(
        _ provider: Provider, _ info: [String: JSONValue]? = nil, in world: World, redirect: String = World.redirect,
        reauthenticates: Bool? = nil
    ) async throws -> TestAnswer {
        try await world.call(
            Endpoints.beginLogin,
            LoginAttemptRequest(
                provider: provider, redirectUri: redirect, additionalInfo: info, reauthenticates: reauthenticates),
            by: TestDevice())
    }

    /// The parameters in the page's address.
    private func page(
        _ provider: Provider, _ info: [String: JSONValue]? = nil, in world: World, reauthenticates: Bool? = nil
    ) async throws -> [String: String] {
        let attempt = try await attempt(provider, info, in: world, reauthenticates: reauthenticates)
            .decoded(as: LoginAttempt.self)
        let items = URLComponents(string: attempt.authorizationUrl)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    @Test(
        "LOGIN-3: facebook_permission of the operator decides what the page asks for, and the call's wins over it",
        arguments: Engine.available)
    func facebook(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            #expect(try await page(.facebook, in: world)["scope"] == "public_profile")
            // These are the guide's settings.
            try await set(.facebook, ["facebook_permission": ["public_profile", "email", "user_friends"]], in: world)
            #expect(try await page(.facebook, in: world)["scope"] == "public_profile,email,user_friends")
            #expect(
                try await page(.facebook, ["facebook_permission": ["email"]], in: world)["scope"]
                    == "public_profile,email")
            // Another key of the call for the same purpose takes precedence too.
            #expect(
                try await page(.facebook, ["scope": "gaming_profile"], in: world)["scope"]
                    == "public_profile,gaming_profile")
            let credential = try await world.loginCode(.facebook, "alice", by: TestDevice())
            #expect(credential.loginCode != nil)
        }
    }

    @Test(
        "LOGIN-3: a call's scope is one that is known to be harmless, or one that the operator has named: 3 otherwise")
    func strangeScopes() async throws {
        try await World.open(on: .sqlite) { world in
            for (provider, info) in [
                (Provider.facebook, ["facebook_permission": ["public_profile", "user_posts"]]),
                (.google, ["scope": "openid https://www.googleapis.com/auth/drive"]),
                (.studio, ["scopes": ["admin"]]), (.weibo, ["scope": "all"]), (.kakao, ["scope": "friends"]),
            ] as [(Provider, [String: JSONValue])] {
                let answer = try await attempt(provider, info, in: world)
                #expect(answer.code == 3, "\(provider)")
                #expect(answer.details?.parameter == "additionalInfo")
            }
            try await set(.facebook, ["facebook_permission": ["user_posts"]], in: world)
            #expect(
                try await page(.facebook, ["facebook_permission": ["user_posts"]], in: world)["scope"]
                    == "public_profile,user_posts")
            try await set(.studio, nil, in: world, ["scopes": ["openid", "games"]])
            #expect(try await page(.studio, ["scope": ["games"]], in: world)["scope"] == "openid games")
            // Without `openid` there would be no ID token to verify.
            #expect(try await page(.google, ["scope": ["email"]], in: world)["scope"] == "openid email")
        }
    }

    @Test(
        "LOGIN-3: a call can't bring back what the operator has taken away, and gets what a login needs without asking")
    func narrowedScopes() async throws {
        try await World.open(on: .sqlite) { world in
            // What remains where a call asks for nothing.
            let needed: [Provider: String] = [
                .google: "openid", .line: "openid", .kakao: "openid", .studio: "openid", .facebook: "public_profile",
                .twitter: "tweet.read users.read",
            ]
            for provider in FakeProviders.withPages where ![.naver, .payco].contains(provider) {
                #expect(try await page(provider, ["scope": ""], in: world)["scope"] == needed[provider], "\(provider)")
            }
            try await set(.google, nil, in: world, ["scopes": ["openid"]])
            #expect(try await page(.google, in: world)["scope"] == "openid")
            #expect(try await page(.google, ["scope": ""], in: world)["scope"] == "openid")
            #expect(try await page(.google, ["scope": "openid email"], in: world)["scope"] == "openid email")
            #expect(try await attempt(.google, ["scope": "profile"], in: world).code == 3)
            try await set(.twitter, nil, in: world, ["scopes": ["tweet.read", "users.read"]])
            for scope in ["", "users.email", "tweet.read"] {
                let asked = try await page(.twitter, ["scope": .string(scope)], in: world)["scope"]
                #expect(asked?.contains("offline.access") == false, "\(scope)")
            }
            #expect(try await attempt(.twitter, ["scope": "offline.access"], in: world).code == 3)
            // Access for as long as nobody takes it back is the operator's to ask for.
            #expect(try await attempt(.studio, ["scope": "openid offline_access"], in: world).code == 3)
            try await set(.studio, nil, in: world, ["scopes": ["profile", "offline_access"]])
            #expect(
                try await page(.studio, ["scope": "offline_access"], in: world)["scope"] == "openid offline_access")
            #expect(try await page(.studio, ["scope": "openid"], in: world)["scope"] == "openid")
        }
    }

    @Test("LOGIN-3: a provider without a page has no use for what a page takes")
    func withoutPage() async throws {
        try await World.open(on: .sqlite) { world in
            let changes: [String: JSONValue] = ["authorizationURL": .null, "tokenURL": .null]
            try await set(.kakaoGame, nil, in: world, changes)
            for key in ["scope", "scopes"] {
                await #expect(throws: Refusal.self) { try await set(.kakaoGame, [key: "game"], in: world, changes) }
            }
            try await set(.kakaoGame, ["x-own": 1], in: world, changes)
            // With a page the same is of use.
            try await set(.kakaoGame, ["scope": "game"], in: world)
            #expect(try await page(.kakaoGame, in: world)["scope"] == "game")
        }
    }

    @Test(
        "LOGIN-3: what the operator has stored and is wrong is the operator's, and no player's mistake",
        arguments: Engine.available)
    func stored(engine: Engine) async throws {
        let journal = LogJournal()
        try await World.open(on: engine, journal: journal) { world in
            let wrong: [(Provider, [String: JSONValue], [String: JSONValue])] = [
                (.payco, ["service_name": ""], ["service_name": "Game"]), (.naver, ["service_name": 5], [:]),
                (.facebook, ["facebook_permission": 5], [:]), (.google, ["scope": ["a b"]], [:]),
                (.line, ["region": 1], ["region": "japan"]),
            ]
            for (provider, info, given) in wrong {
                // As an earlier version has taken it.
                try await world.database.transact { tx in
                    var settings = try #require(
                        try IdentityProviderQueries.providers(of: World.app, in: tx)[provider])
                    settings.additionalInfo = info
                    try IdentityProviderQueries.set(
                        provider, settings, app: World.app, at: world.clock.now, in: tx)
                }
                world.clock.advance(seconds: 2)
                let answer = try await attempt(provider, in: world)
                #expect(answer.code == 3202, "\(provider)")
                #expect(answer.reason == "provider_misconfigured", "\(provider)")
                // What exactly is the operator's to know.
                let key = info.keys.first ?? ""
                #expect(!answer.text.contains(key))
                #expect(
                    journal.lines.contains { $0.contains("additionalInfo: \(key) is") && $0.contains("\(provider)") })
                if !given.isEmpty { #expect(try await attempt(provider, given, in: world).status == 200) }
                await #expect(throws: Refusal.self) { try await set(provider, info, in: world) }
            }
        }
    }

    @Test("LOGIN-3: PAYCO's service_code and service_name and Naver's service_name go to their pages, key by key")
    func services() async throws {
        try await World.open(on: .sqlite) { world in
            #expect(try await page(.payco, in: world)["serviceProviderCode"] == "FRIENDS")
            try await set(.payco, ["service_code": "HANGAME", "service_name": "Your Service Name"], in: world)
            let own = try await page(.payco, in: world)
            #expect(own["serviceProviderCode"] == "HANGAME")
            #expect(own["serviceName"] == "Your Service Name")
            let given = try await page(.payco, ["service_name": "더 게임"], in: world)
            #expect(given["serviceProviderCode"] == "HANGAME")
            #expect(given["serviceName"] == "더 게임")
            #expect(given["client_id"] == "gatehouse-payco")
            #expect(try await page(.naver, ["service_name": "Game"], in: world)["service_name"] == "Game")
            let names: [JSONValue] = [
                "", .string(String(repeating: "a", count: 65)), "a\u{202e}b", "a\nb", 5, ["a"],
            ]
            for name in names {
                #expect(try await attempt(.naver, ["service_name": name], in: world).code == 3, "\(name)")
            }
        }
    }

    @Test("LOGIN-3: the operator's region counts where the call gives none, by either of its names")
    func regions() async throws {
        try await World.open(on: .sqlite) { world in
            try await set(.line, ["sub_code": "thailand"], in: world)
            #expect(try await page(.line, in: world)["client_id"] == "gatehouse-line-thailand")
            #expect(try await page(.line, ["region": "japan"], in: world)["client_id"] == "gatehouse-line-japan")
            #expect(try await attempt(.line, ["sub_code": "mars"], in: world).code == 3202)
        }
    }

    @Test("Naver's url_scheme_ios_only is where its page comes back to: the operator's, and no client's")
    func scheme() async throws {
        try await World.open(on: .sqlite) { world in
            let info: [String: JSONValue] = ["url_scheme_ios_only": "evil"]
            #expect(try await attempt(.naver, info, in: world, redirect: "evil://login").code == 3)
            try await set(.naver, ["url_scheme_ios_only": "mygame", "service_name": "Game"], in: world)
            #expect(try await attempt(.naver, in: world, redirect: "mygame://login").status == 200)
            #expect(try await attempt(.naver, in: world, redirect: "mygame://other").code == 3)
            #expect(try await attempt(.google, in: world, redirect: "mygame://login").code == 3)
            let answer = try await attempt(.naver, info, in: world, redirect: "mygame://login")
            #expect(try answer.decoded(as: LoginAttempt.self).unusedKeys == ["url_scheme_ios_only"])
        }
    }

    @Test("LOGIN-3: a key that the provider can't use is named in the answer, and the login goes on")
    func unused() async throws {
        try await World.open(on: .sqlite) { world in
            let info: [String: JSONValue] = [
                "key1": "value1", "facebook_permission": [], "client_id": "evil",
                "redirect_uri": "https://evil.example",
                "scope": "email", "x-own": 1, "fakeWorld": "http://evil.example",
            ]
            let answer = try await attempt(.google, info, in: world).decoded(as: LoginAttempt.self)
            #expect(
                answer.unusedKeys == ["client_id", "facebook_permission", "fakeWorld", "key1", "redirect_uri"])
            #expect(!answer.authorizationUrl.contains("evil"))
            #expect(try await page(.google, info, in: world)["client_id"] == "gatehouse-google")
            let many = Dictionary(uniqueKeysWithValues: (0..<33).map { ("k\($0)", JSONValue.null) })
            #expect(try await attempt(.google, many, in: world).code == 3)
        }
    }

    @Test("LOGIN-3: a key without an effect is refused when the operator sets it, with the keys that there are")
    func operators() async throws {
        try await World.open(on: .sqlite) { world in
            func refusal(_ provider: Provider, _ info: [String: JSONValue]) async -> String? {
                do {
                    try await set(provider, info, in: world)
                    return nil
                } catch {
                    return "\(error)"
                }
            }
            let typo = await refusal(.facebook, ["facebook_permision": ["email"]])
            #expect(typo?.contains("facebook_permision") == true)
            #expect(typo?.contains("facebook_permission, scope, scopes") == true)
            #expect(await refusal(.gameCenter, ["scope": "a"])?.contains("none is known") == true)
            #expect(await refusal(.naver, ["scope": "a"])?.contains("service_name, url_scheme_ios_only") == true)
            for (provider, info) in [
                (Provider.facebook, ["facebook_permission": 5]), (.facebook, ["facebook_permission": ["a b"]]),
                (.payco, ["service_name": ""]), (.line, ["region": "mars"]), (.line, ["region": 1]),
                (.naver, ["url_scheme_ios_only": "https"]), (.naver, ["url_scheme_ios_only": "a://b"]),
                (.naver, ["url_scheme_ios_only": ["a"]]),
            ] as [(Provider, [String: JSONValue])] {
                #expect(await refusal(provider, info) != nil, "\(provider) \(info)")
            }
            // This key is for a game's own adapter.
            #expect(await refusal(.google, ["x-anything": ["a": 1]]) == nil)
            // The fake world is accepted only for a provider that is in it.
            let failed = await refusal(.google, ["fakeWorld": .string(world.idps.origin)])
            #expect(failed == nil)
            var real = ProviderConfiguration(kind: .google, clientIds: ["a"])
            real.additionalInfo = ["fakeWorld": "http://127.0.0.1:1"]
            await #expect(throws: (any Error).self) {
                try await world.run(SetIdentityProvider(provider: .google, configuration: real))
            }
        }
    }

    @Test(
        "LOGOUT-1: a page that is to ask anew is told so in its provider's own words, or belongs into a session of its own"
    )
    func reauthentication() async throws {
        try await World.open(on: .sqlite) { world in
            let words: [Provider: (String, String)] = [
                .google: ("prompt", "select_account"), .facebook: ("auth_type", "reauthenticate"),
                .line: ("disable_auto_login", "true"), .naver: ("auth_type", "reauthenticate"),
                .kakao: ("prompt", "login"), .weibo: ("forcelogin", "true"), .studio: ("prompt", "login"),
                .hangame: ("prompt", "login"), .kakaoGame: ("prompt", "login"),
            ]
            for provider in FakeProviders.withPages {
                let answer = try await attempt(provider, in: world, reauthenticates: true)
                    .decoded(as: LoginAttempt.self)
                // Google's list has the account of before, which one tap lets in.
                let isEnough = words[provider] != nil && provider != .google
                #expect(answer.needsPrivateSession == (isEnough ? nil : true), "\(provider)")
                let asked = try await page(provider, in: world, reauthenticates: true)
                let plain = try await page(provider, in: world)
                guard let (name, value) = words[provider] else {
                    #expect(Set(asked.keys) == Set(plain.keys))
                    continue
                }
                #expect(asked[name] == value, "\(provider)")
                #expect(plain[name] == nil, "\(provider)")
            }
            // The operator's settings for an additional provider.
            try await set(.studio, nil, in: world, ["reauthentication": ["max_age": "0"]])
            let asked = try await page(.studio, in: world, reauthenticates: true)
            #expect(asked["max_age"] == "0")
            #expect(asked["prompt"] == nil)
            try await set(.hangame, nil, in: world, ["reauthentication": [:]])
            let answer = try await attempt(.hangame, in: world, reauthenticates: true)
            #expect(try answer.decoded(as: LoginAttempt.self).needsPrivateSession == true)
            for (provider, changes) in [
                (Provider.studio, ["reauthentication": ["client_id": "evil"]]),
                (.google, ["reauthentication": ["prompt": "login"]]),
            ] as [(Provider, [String: JSONValue])] {
                await #expect(throws: (any Error).self) { try await set(provider, nil, in: world, changes) }
            }
        }
    }

    @Test("A partner has a page where the operator describes it, and without one no login with a browser")
    func partners() async throws {
        try await World.open(on: .sqlite) { world in
            func refused(_ changes: [String: JSONValue], _ provider: Provider = .kakaoGame) async {
                await #expect(throws: (any Error).self, "\(changes)") {
                    try await set(provider, nil, in: world, changes)
                }
            }
            await refused(["tokenURL": .null])
            await refused(["authorizationURL": "http://partner.kakaogame.example/authorize"])
            await refused(["clientAuthentication": "private_key_jwt"])
            await refused(["authorizationURL": "https://a.example", "tokenURL": "https://a.example"], .google)
            try await set(.kakaoGame, nil, in: world, ["authorizationURL": .null, "tokenURL": .null])
            #expect(try await attempt(.kakaoGame, in: world).code == 3202)
            try await set(.kakaoGame, nil, in: world, ["scopes": ["game"]])
            let page = try await page(.kakaoGame, in: world)
            #expect(page["scope"] == "game")
            #expect(page["code_challenge_method"] == "S256")
            let device = TestDevice()
            let answer = try await world.call(
                Endpoints.logIn, world.loginCode(.kakaoGame, "alice", by: device), by: device)
            #expect(try answer.decoded(as: Login.self).member.mappings.map(\.subject) == ["alice"])
            let findings = try await world.run(
                TestIdentityProvider(provider: .kakaoGame, publicURL: "http://127.0.0.1:8080"))
            #expect(findings.allSatisfy { $0.isFine }, "\(findings)")
            #expect(findings.contains { $0.text.contains("browser logins") })
        }
    }
}
