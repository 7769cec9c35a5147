import FakeProviders
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Testing

/// What a call and an operator's settings make of a provider's page.
@Suite struct AdditionalInfoTests {
    private func info(_ keys: [String: JSONValue]) -> [String: JSONValue] { ["additionalInfo": .object(keys)] }

    /// The scopes that a page asks for.
    private func scope(
        _ provider: Provider, _ given: [String: JSONValue] = [:], _ changes: [String: JSONValue] = [:], in app: FakeApp
    ) async throws -> String? {
        try await app.page(provider, given, app.configuration(of: provider, changes))["scope"]
    }

    /// The refusal of a call; nil if there is a page.
    private func refused(
        _ provider: Provider, _ given: [String: JSONValue], _ changes: [String: JSONValue] = [:], in app: FakeApp
    ) async throws -> Refusal? {
        do {
            _ = try await scope(provider, given, changes, in: app)
            return nil
        } catch let refusal as Refusal {
            return refusal
        }
    }

    @Test("LOGIN-3: facebook_permission of the operator decides what the page asks for, and the call's wins over it")
    func facebook() async throws {
        let app = try FakeApp()
        #expect(try await scope(.facebook, in: app) == "public_profile")
        // These are the guide's settings.
        let guide = info(["facebook_permission": ["public_profile", "email", "user_friends"]])
        #expect(try await scope(.facebook, [:], guide, in: app) == "public_profile,email,user_friends")
        #expect(
            try await scope(.facebook, ["facebook_permission": ["email"]], guide, in: app) == "public_profile,email")
        // Another key of the call for the same purpose takes precedence too.
        #expect(
            try await scope(.facebook, ["scope": "gaming_profile"], guide, in: app) == "public_profile,gaming_profile")
        let configuration = try app.configuration(of: .facebook, guide)
        #expect(try await app.logInAtPage(.facebook, "alice", configuration).key.provider == .facebook)
    }

    @Test(
        "LOGIN-3: a call's scope is one that is known to be harmless, or one that the operator has named: 3 otherwise")
    func strangeScopes() async throws {
        let app = try FakeApp()
        for (provider, given) in [
            (Provider.facebook, ["facebook_permission": ["public_profile", "user_posts"]]),
            (.google, ["scope": "openid https://www.googleapis.com/auth/drive"]),
            (.studio, ["scopes": ["admin"]]), (.weibo, ["scope": "all"]), (.kakao, ["scope": "friends"]),
        ] as [(Provider, [String: JSONValue])] {
            let refusal = try await refused(provider, given, in: app)
            #expect(refusal?.code == .invalidParameter, "\(provider)")
            #expect(refusal?.details.parameter == "additionalInfo")
        }
        let posts: [String: JSONValue] = ["facebook_permission": ["user_posts"]]
        #expect(try await scope(.facebook, posts, info(posts), in: app) == "public_profile,user_posts")
        let games: [String: JSONValue] = ["scopes": ["openid", "games"]]
        #expect(try await scope(.studio, ["scope": ["games"]], games, in: app) == "openid games")
        // Without `openid` there would be no ID token to verify.
        #expect(try await scope(.google, ["scope": ["email"]], in: app) == "openid email")
    }

    @Test(
        "LOGIN-3: a call can't bring back what the operator has taken away, and gets what a login needs without asking")
    func narrowedScopes() async throws {
        let app = try FakeApp()
        // What remains where a call asks for nothing.
        let needed: [Provider: String] = [
            .google: "openid", .line: "openid", .kakao: "openid", .studio: "openid", .facebook: "public_profile",
            .twitter: "tweet.read users.read",
        ]
        for provider in FakeProviders.withPages where ![.naver, .payco].contains(provider) {
            #expect(try await scope(provider, ["scope": ""], in: app) == needed[provider], "\(provider)")
        }
        let google: [String: JSONValue] = ["scopes": ["openid"]]
        #expect(try await scope(.google, [:], google, in: app) == "openid")
        #expect(try await scope(.google, ["scope": ""], google, in: app) == "openid")
        #expect(try await scope(.google, ["scope": "openid email"], google, in: app) == "openid email")
        #expect(try await refused(.google, ["scope": "profile"], google, in: app)?.code == .invalidParameter)
        let twitter: [String: JSONValue] = ["scopes": ["tweet.read", "users.read"]]
        for text in ["", "users.email", "tweet.read"] {
            let asked = try await scope(.twitter, ["scope": .string(text)], twitter, in: app)
            #expect(asked?.contains("offline.access") == false, "\(text)")
        }
        #expect(try await refused(.twitter, ["scope": "offline.access"], twitter, in: app)?.code == .invalidParameter)
        // Access for as long as nobody takes it back is the operator's to ask for.
        let offline: [String: JSONValue] = ["scope": "openid offline_access"]
        #expect(try await refused(.studio, offline, in: app)?.code == .invalidParameter)
        let studio: [String: JSONValue] = ["scopes": ["profile", "offline_access"]]
        #expect(try await scope(.studio, ["scope": "offline_access"], studio, in: app) == "openid offline_access")
        #expect(try await scope(.studio, ["scope": "openid"], studio, in: app) == "openid")
    }

    @Test("LOGIN-3: a provider without a page has no use for what a page takes")
    func withoutPage() async throws {
        let app = try FakeApp()
        let pageless: [String: JSONValue] = ["authorizationURL": .null, "tokenURL": .null]
        for key in ["scope", "scopes"] {
            #expect(throws: Refusal.self) {
                try app.configuration(of: .kakaoGame, pageless.merging(info([key: "game"])) { $1 })
            }
        }
        _ = try app.configuration(of: .kakaoGame, pageless.merging(info(["x-own": 1])) { $1 })
        // With a page the same is of use.
        #expect(try await scope(.kakaoGame, [:], info(["scope": "game"]), in: app) == "game")
    }

    @Test("LOGIN-3: what the operator has stored and is wrong is the operator's, and no player's mistake")
    func stored() async throws {
        let app = try FakeApp()
        let wrong: [(Provider, [String: JSONValue], [String: JSONValue])] = [
            (.payco, ["service_name": ""], ["service_name": "Game"]), (.naver, ["service_name": 5], [:]),
            (.facebook, ["facebook_permission": 5], [:]), (.google, ["scope": ["a b"]], [:]),
            (.line, ["region": 1], ["region": "japan"]),
        ]
        for (provider, keys, given) in wrong {
            // As an earlier version has taken it.
            var configuration = try app.configuration(of: provider)
            configuration.additionalInfo = keys
            let failure = await #expect(throws: IdentityFailure.self) {
                try await app.page(provider, [:], configuration)
            }
            let key = keys.keys.first ?? ""
            #expect(failure?.words.hasPrefix("additionalInfo: \(key) is") == true, "\(provider)")
            // What exactly is the operator's to know.
            let told = failure?.refusal(rejected: .authIDPLoginFailed, misconfigured: .authIDPLoginInvalidIDPInfo)
            #expect(told?.code == .authIDPLoginInvalidIDPInfo && told?.reason == .providerMisconfigured)
            #expect(told?.message.contains(key) == false)
            if !given.isEmpty { _ = try await app.page(provider, given, configuration) }
            #expect(throws: Refusal.self) { try app.configuration(of: provider, info(keys)) }
        }
    }

    @Test("LOGIN-3: PAYCO's service_code and service_name and Naver's service_name go to their pages, key by key")
    func services() async throws {
        let app = try FakeApp()
        #expect(try await app.page(.payco)["serviceProviderCode"] == "FRIENDS")
        let configuration = try app.configuration(
            of: .payco, info(["service_code": "HANGAME", "service_name": "Your Service Name"]))
        let own = try await app.page(.payco, [:], configuration)
        #expect(own["serviceProviderCode"] == "HANGAME")
        #expect(own["serviceName"] == "Your Service Name")
        let given = try await app.page(.payco, ["service_name": "더 게임"], configuration)
        #expect(given["serviceProviderCode"] == "HANGAME")
        #expect(given["serviceName"] == "더 게임")
        #expect(given["client_id"] == "gatehouse-payco")
        #expect(try await app.page(.naver, ["service_name": "Game"])["service_name"] == "Game")
        let names: [JSONValue] = ["", .string(String(repeating: "a", count: 65)), "a\u{202e}b", "a\nb", 5, ["a"]]
        for name in names {
            let refusal = try await refused(.naver, ["service_name": name], in: app)
            #expect(refusal?.code == .invalidParameter, "\(name)")
        }
    }

    @Test("LOGIN-3: the operator's region counts where the call gives none, by either of its names")
    func regions() async throws {
        let app = try FakeApp()
        let configuration = try app.configuration(of: .line, info(["sub_code": "thailand"]))
        #expect(try await app.page(.line, [:], configuration)["client_id"] == "gatehouse-line-thailand")
        let japan = try await app.page(.line, ["region": "japan"], configuration)
        #expect(japan["client_id"] == "gatehouse-line-japan")
        await #expect(throws: IdentityFailure.incomplete("region")) {
            try await app.page(.line, ["sub_code": "mars"], configuration)
        }
    }

    @Test("LOGIN-3: a key that the provider can't use is named in the answer, and the login goes on")
    func unused() async throws {
        let app = try FakeApp()
        let given: [String: JSONValue] = [
            "key1": "value1", "facebook_permission": [], "client_id": "evil", "redirect_uri": "https://evil.example",
            "scope": "email", "x-own": 1, "fakeWorld": "http://evil.example",
        ]
        let configuration = try app.configuration(of: .google)
        #expect(
            try AdditionalInfo(configuration, given: given).unusedKeys
                == ["client_id", "facebook_permission", "fakeWorld", "key1", "redirect_uri"])
        let page = try await app.page(.google, given)
        #expect(page["client_id"] == "gatehouse-google")
        #expect(!page.values.contains { $0.contains("evil") })
        let many = Dictionary(uniqueKeysWithValues: (0..<33).map { ("k\($0)", JSONValue.null) })
        #expect(throws: Refusal.self) { try AdditionalInfo(configuration, given: many) }
    }

    @Test("Naver's url_scheme_ios_only is where its page comes back to: the operator's, and no client's")
    func scheme() throws {
        let app = try FakeApp()
        let given: [String: JSONValue] = ["url_scheme_ios_only": "evil"]
        #expect(try AdditionalInfo(app.configuration(of: .naver), given: given).callbackScheme == nil)
        let own = try app.configuration(
            of: .naver, info(["url_scheme_ios_only": "mygame", "service_name": "Game"]))
        let info = try AdditionalInfo(own, given: given)
        #expect(info.callbackScheme == "mygame")
        #expect(info.unusedKeys == ["url_scheme_ios_only"])
    }

    @Test("LOGIN-3: a key without an effect is refused when the operator sets it, with the keys that there are")
    func operators() throws {
        let app = try FakeApp()
        func refusal(_ provider: Provider, _ keys: [String: JSONValue]) -> String? {
            do {
                _ = try app.configuration(of: provider, info(keys))
                return nil
            } catch {
                return "\(error)"
            }
        }
        let typo = refusal(.facebook, ["facebook_permision": ["email"]])
        #expect(typo?.contains("facebook_permision") == true)
        #expect(typo?.contains("facebook_permission, scope, scopes") == true)
        #expect(refusal(.gameCenter, ["scope": "a"])?.contains("none is known") == true)
        #expect(refusal(.naver, ["scope": "a"])?.contains("service_name, url_scheme_ios_only") == true)
        for (provider, keys) in [
            (Provider.facebook, ["facebook_permission": 5]), (.facebook, ["facebook_permission": ["a b"]]),
            (.payco, ["service_name": ""]), (.line, ["region": "mars"]), (.line, ["region": 1]),
            (.naver, ["url_scheme_ios_only": "https"]), (.naver, ["url_scheme_ios_only": "a://b"]),
            (.naver, ["url_scheme_ios_only": ["a"]]),
        ] as [(Provider, [String: JSONValue])] {
            #expect(refusal(provider, keys) != nil, "\(provider) \(keys)")
        }
        // This key is for a game's own adapter.
        #expect(refusal(.google, ["x-anything": ["a": 1]]) == nil)
        // The fake world is accepted only for a provider that is in it.
        #expect(refusal(.google, ["fakeWorld": .string(app.idps.origin)]) == nil)
        var real = ProviderConfiguration(kind: .google, clientIds: ["a"])
        real.additionalInfo = ["fakeWorld": "http://127.0.0.1:1"]
        #expect(throws: Refusal.self) { try ProviderSettingsCheck(configuration: real).check() }
    }

    @Test("LOGOUT-1: a page that is to ask anew is told so in its provider's own words")
    func reauthentication() async throws {
        let app = try FakeApp()
        let words: [Provider: (String, String)] = [
            .google: ("prompt", "select_account"), .facebook: ("auth_type", "reauthenticate"),
            .line: ("disable_auto_login", "true"), .naver: ("auth_type", "reauthenticate"),
            .kakao: ("prompt", "login"), .weibo: ("forcelogin", "true"), .studio: ("prompt", "login"),
            .hangame: ("prompt", "login"), .kakaoGame: ("prompt", "login"),
        ]
        for provider in FakeProviders.withPages {
            let asked = try await app.page(provider, reauthenticates: true)
            let plain = try await app.page(provider)
            guard let (name, value) = words[provider] else {
                #expect(Set(asked.keys) == Set(plain.keys))
                continue
            }
            #expect(asked[name] == value, "\(provider)")
            #expect(plain[name] == nil, "\(provider)")
        }
        // The operator's settings for an additional provider.
        let studio = try app.configuration(of: .studio, ["reauthentication": ["max_age": "0"]])
        let asked = try await app.page(.studio, [:], studio, reauthenticates: true)
        #expect(asked["max_age"] == "0")
        #expect(asked["prompt"] == nil)
        for (provider, changes) in [
            (Provider.studio, ["reauthentication": ["client_id": "evil"]]),
            (.google, ["reauthentication": ["prompt": "login"]]),
        ] as [(Provider, [String: JSONValue])] {
            #expect(throws: Refusal.self) { try app.configuration(of: provider, changes) }
        }
    }

    @Test("A partner has a page where the operator describes it, and without one no login with a browser")
    func partners() async throws {
        let app = try FakeApp()
        for (provider, changes) in [
            (Provider.kakaoGame, ["tokenURL": .null]),
            (.kakaoGame, ["authorizationURL": "http://partner.kakaogame.example/authorize"]),
            (.kakaoGame, ["clientAuthentication": "private_key_jwt"]),
            (.google, ["authorizationURL": "https://a.example", "tokenURL": "https://a.example"]),
        ] as [(Provider, [String: JSONValue])] {
            #expect(throws: Refusal.self, "\(changes)") { try app.configuration(of: provider, changes) }
        }
        let pageless = try app.configuration(of: .kakaoGame, ["authorizationURL": .null, "tokenURL": .null])
        await #expect(throws: IdentityFailure.misconfigured("it has no login with a browser")) {
            try await app.page(.kakaoGame, [:], pageless)
        }
        let configuration = try app.configuration(of: .kakaoGame, ["scopes": ["game"]])
        let page = try await app.page(.kakaoGame, [:], configuration)
        #expect(page["scope"] == "game")
        #expect(page["code_challenge_method"] == "S256")
        #expect(try await app.logInAtPage(.kakaoGame, "alice", configuration).key.subject == "alice")
        let findings = try await app.findings(.kakaoGame, configuration)
        #expect(findings.allSatisfy { $0.isFine }, "\(findings)")
        #expect(findings.contains { $0.text.contains("browser logins") })
    }
}
