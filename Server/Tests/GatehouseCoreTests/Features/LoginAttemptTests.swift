import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Logins with a browser, from the provider's page to the game.
@Suite struct LoginAttemptTests {
    private static let provider = Provider.twitter

    /// Sends a device's browser to the provider's page, and returns the state that it has there.
    private func begin(on name: String = "phone", _ core: TestCore) async throws -> String {
        let request = LoginAttemptRequest(provider: Self.provider, redirectUri: "http://127.0.0.1:5000/back")
        let attempt = try await core.device(name).caller.run(BeginLogin(request: request))
        #expect(attempt.expiryDate == core.clock.in(seconds: 600))
        return try #require(Self.parameters(of: attempt.authorizationUrl)["state"])
    }

    /// Brings a browser back from the page.
    private func comeBack(
        _ parameters: [String: String], from provider: Provider = Self.provider, to app: AppID = TestCore.app,
        _ core: TestCore
    ) async throws -> CompleteBrowserLogin.Arrival? {
        let view = try await core.actions.context(of: app, at: core.clock.now)
        let keys = try await core.services.directory.entry(app).keys
        return try await core.actions.run(
            CompleteBrowserLogin(provider: provider, parameters: parameters),
            by: Actor(principal: .anyone(nil), door: .httpAPI),
            in: CallContext(app: view.app, moment: view.moment, keys: keys))
    }

    /// The credential with which the game logs in after the browser has come back.
    private func credential(of person: String, on name: String = "phone", _ core: TestCore) async throws -> Credential {
        let state = try await begin(on: name, core)
        let arrival = try #require(try await comeBack(["state": state, "code": "\(person).1"], core))
        #expect(arrival.failure == nil)
        var credential = Credential(provider: Self.provider)
        credential.loginCode = ProviderToken(try #require(Self.parameters(of: arrival.url)["code"]))
        return credential
    }

    private static func parameters(of url: String) throws -> [String: String] {
        let items = try #require(URLComponents(string: url)?.queryItems)
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    @Test("IDP-7: a login code counts once, for the device that began, at the provider that it began with")
    func codes() async throws {
        try await TestCore.open { core in
            let credential = try await credential(of: "alice", core)
            let thief = await refusal { try await core.device("thief").logIn(credential) }
            #expect(thief?.code == .authIDPLoginFailed)
            #expect(thief?.reason == .credentialRejected)
            var wrong = credential
            wrong.provider = .naver
            #expect(await refusal { try await core.device("phone").logIn(wrong) }?.reason == .credentialRejected)
            let parts = try #require(credential.loginCode).secretValue.split(separator: ".")
            wrong = credential
            wrong.loginCode = ProviderToken("\(parts[0]).\(String(repeating: "A", count: 43))")
            #expect(await refusal { try await core.device("phone").logIn(wrong) }?.reason == .credentialRejected)

            let alice = try await core.device("phone").logIn(credential)
            #expect(try await core.player("alice", Self.provider, on: "tablet").user == alice.user)
            for node in [core, try core.restarted()] {
                let again = await refusal { try await node.device("phone").logIn(credential) }
                #expect(again?.code == .authIDPLoginFailed)
                #expect(again?.reason == .credentialRejected)
            }
            let guest = try await core.guest("phone")
            let mapping = await refusal { try await guest.run(AddMapping(credential: credential)) }
            #expect(mapping?.code == .authAddMappingFailed)
        }
    }

    @Test("IDP-7: of several logins with one code at once, one succeeds")
    func codeRace() async throws {
        try await TestCore.open { core in
            let credential = try await credential(of: "alice", core)
            let results = await statuses(6) { _ in _ = try await core.device("phone").logIn(credential) }
            #expect(results.count { $0 == 200 } == 1)
            #expect(try await core.operator().run(.liveSessions).count == 1)
        }
    }

    @Test("IDP-7: a login code counts until the last of the ten minutes, which began with the attempt")
    func codeDeadline() async throws {
        try await TestCore.open { core in
            let (early, late) = (try await credential(of: "alice", core), try await credential(of: "bob", core))
            core.clock.advance(seconds: 599)
            _ = try await core.device("phone").logIn(early)
            core.clock.advance(seconds: 1)
            let refused = await refusal { try await core.device("phone").logIn(late) }
            #expect(refused?.code == .authIDPLoginFailed)
            #expect(refused?.reason == .credentialExpired)
        }
    }

    @Test("IDP-7, IDP-8: a browser comes back once, from its provider, to its app, with the state that it left with")
    func states() async throws {
        try await TestCore.open { core in
            let other = AppID("other-game")
            _ = try await core.actions.run(
                CreateApp(id: other, name: "Other"), by: .operator("operator"), in: .ofServer(moment: core.clock.now))
            let (state, second) = (try await begin(core), try await begin(core))
            let code = "alice.1"
            #expect(try await comeBack(["state": state, "code": code], from: .naver, core) == nil)
            #expect(try await comeBack(["state": state, "code": code], to: other, core) == nil)
            let parts = [state, second].map { $0.split(separator: ".") }
            #expect(try await comeBack(["state": "\(parts[0][0]).\(parts[1][1])", "code": code], core) == nil)
            #expect(try await comeBack(["code": code], core) == nil)
            // None of these has used the state up.
            let arrival = try #require(try await comeBack(["state": state, "code": code], core))
            #expect(arrival.failure == nil)
            #expect(arrival.url.hasPrefix("http://127.0.0.1:5000/back?code="))
            #expect(try await comeBack(["state": state, "code": code], core) == nil)
        }
    }

    @Test("IDP-7: a browser comes back within ten minutes, and in the next second no more")
    func stateDeadline() async throws {
        try await TestCore.open { core in
            let (early, late) = (try await begin(core), try await begin(core))
            core.clock.advance(seconds: 599)
            #expect(try await comeBack(["state": early, "code": "alice.1"], core) != nil)
            core.clock.advance(seconds: 1)
            #expect(try await comeBack(["state": late, "code": "alice.1"], core) == nil)
        }
    }

    @Test("IDP-8, LOGIN-2: a browser that brings another issuer, an error or no code brings no login, and not twice")
    func failures() async throws {
        try await TestCore.open { core in
            let returns: [([String: String], word: String)] = [
                (["code": "alice.1", "iss": "https://accounts.google.com"], "credential_rejected"),
                (["error": "access_denied"], "cancelled"), (["error": "server_error"], "provider_unavailable"),
                (["error": "invalid_scope"], "credential_rejected"), ([:], "credential_rejected"),
                (["code": ""], "credential_rejected"),
            ]
            for (parameters, word) in returns {
                let parameters = parameters.merging(["state": try await begin(core)]) { $1 }
                let arrival = try #require(try await comeBack(parameters, core))
                #expect(arrival.failure?.word == word)
                #expect(try Self.parameters(of: arrival.url) == ["error": word])
                #expect(try await comeBack(parameters, core) == nil)
            }
            #expect(core.callLog.counts[.memberCreated] == nil)
        }
    }

    @Test("IDP-7: each attempt has a state, a nonce and a verifier of its own, of 256, 128 and 256 random bits")
    func secrets() {
        let logins = (0..<2).map { _ in
            LoginAttemptRules.login(
                SplitToken(id: String(repeating: "0", count: 26), random: .live), back: "https://login.example.com/",
                random: .live)
        }
        #expect(logins[0].redirectUri == "https://login.example.com/")
        for (part, length) in [(\CodeLogin.state, 26 + 1 + 43), (\CodeLogin.nonce, 22), (\CodeLogin.verifier, 43)] {
            #expect(logins.map { $0[keyPath: part]?.utf8.count } == [length, length])
            #expect(logins[0][keyPath: part] != logins[1][keyPath: part])
        }
        #expect(logins[0].nonce != logins[0].verifier)
    }

    @Test("MAP-5, IDP-7: a login code maps as a token does, once, and for the device that began alone")
    func mapping() async throws {
        try await TestCore.open { core in
            let credential = try await credential(of: "alice", core)
            let (phone, thief) = (try await core.guest("phone"), try await core.guest("thief"))
            let stolen = await refusal { try await thief.run(AddMapping(credential: credential)) }
            #expect(stolen?.code == .authAddMappingFailed)
            #expect(stolen?.reason == .credentialRejected)
            let change = try await phone.run(AddMapping(credential: credential))
            #expect(change.provider == Self.provider)
            #expect(change.member.mappings.map(\.subject) == ["alice"])
            #expect(await code { try await core.device("phone").logIn(credential) } == .authIDPLoginFailed)
            #expect(try await core.player("alice", Self.provider, on: "tablet").user == phone.user)
        }
    }

    @Test("LOGIN-13: a login by code whose answer was lost is answered again; what is no code is refused")
    func lostAnswer() async throws {
        try await TestCore.open { core in
            let credential = try await credential(of: "alice", core)
            let first = try await core.device("phone").logIn(credential, once: "1")
            for node in [core, try core.restarted()] {
                let again = try await node.device("phone").logIn(credential, once: "1")
                #expect(again.login.session.refreshToken == first.login.session.refreshToken)
            }
            for text in ["", "a.b", String(repeating: "0", count: 26) + "." + String(repeating: "A", count: 43)] {
                var wrong = Credential(provider: Self.provider)
                wrong.loginCode = ProviderToken(text)
                #expect(await code { try await core.device("phone").logIn(wrong) } == .authIDPLoginFailed)
            }
        }
    }

    @Test("SES-9, IDP-7: a login code of one app is none in another")
    func otherApp() async throws {
        try await TestCore.open { core in
            let other = AppID("other-game")
            _ = try await core.actions.run(
                CreateApp(id: other, name: "Other"), by: .operator("operator"), in: .ofServer(moment: core.clock.now))
            let provider = SaveIdentityProvider(
                provider: Self.provider, configuration: ProviderConfiguration(kind: .twitter, clientIds: ["client"]),
                secrets: .replaced(ProviderSecrets(clientSecret: "secret")), samePersons: false)
            _ = try await core.actions.run(
                provider, by: .operator("mia", reason: "new"), in: core.actions.context(of: other, at: core.clock.now))
            let credential = try await credential(of: "alice", core)
            let context = try await core.actions.context(of: other, at: core.clock.now)
            let device = core.device("phone")
            let refused = await refusal {
                try await core.actions.run(LogIn(credential: credential), by: device.caller.actor, in: context)
            }
            #expect(refused?.code == .authIDPLoginFailed)
            #expect(refused?.reason == .credentialRejected)
            _ = try await device.logIn(credential)
        }
    }

    @Test("A browser goes back to this device, or to where the operator has said, and nowhere else")
    func redirects() async throws {
        try await TestCore.open { core in
            let begin = { @Sendable (redirect: String) in
                let request = LoginAttemptRequest(provider: Self.provider, redirectUri: redirect)
                return try await core.device("phone").caller.run(BeginLogin(request: request))
            }
            for redirect in [
                "", "https://evil.example/", "http://evil.example:80/", "http://127.0.0.1/", "http://localhost:5000/",
                "http://127.0.0.1:5000/#a", "http://a@127.0.0.1:5000/", "mygame://login", "javascript:alert(1)",
                "http://127.0.0.1.evil.example:5000/", "//evil.example", String(repeating: "a", count: 2_000),
            ] {
                let refused = await refusal { try await begin(redirect) }
                #expect(refused?.code == .invalidParameter, "\(redirect)")
                #expect(refused?.details.parameter == "redirectUri")
            }
            _ = try await begin("http://[::1]:1/x?y=z")
            try await core.operator().run(SetAccountPolicy { $0.redirects = ["mygame://login"] })
            _ = try await begin("mygame://login")
            #expect(await code { try await begin("mygame://login2") } == .invalidParameter)
        }
    }

    // MARK: Browsers that go

    /// What comes of the request that the browser has not waited for.
    enum End: CaseIterable {
        case failure, nothing
    }

    /// Takes a browser back, which goes during the first request to the provider.
    private func comeBackAndGo(_ state: String, ending end: End, _ core: TestCore) async throws {
        let (began, beginning) = AsyncStream.makeStream(of: Void.self)
        let node = try core.restarted { _ in
            beginning.yield()
            await Gate().wait()
            guard end == .failure else { throw CancellationError() }
            return OutgoingResponse(status: 503, body: Data())
        }
        let arrival = Task { try await comeBack(["state": state, "code": "alice.1"], node) }
        for await _ in began { break }
        arrival.cancel()
        _ = try? await arrival.value
    }

    @Test("A login whose browser goes has ended, so that the game does not wait", arguments: End.allCases)
    func departure(end: End) async throws {
        try await TestCore.open { core in
            try await comeBackAndGo(begin(core), ending: end, core)
            let states = try await core.database.rows("SELECT status FROM login_attempts") { row in
                try row[0] as String
            }
            #expect(states == ["failed"])
        }
    }

    @Test("A test login whose browser goes has a result, so that its page does not wait", arguments: End.allCases)
    func departureOfTest(end: End) async throws {
        try await TestCore.open { core in
            let (person, kim) = (OperatorID("kim"), Actor.operator("kim"))
            let begin = BeginTestLogin(
                provider: Self.provider, region: nil, person: person, publicURL: "https://login.example.com",
                results: "/results")
            let departure = try await core.actions.run(begin, by: kim, in: core.context())
            let url = try #require(departure.url)
            let state = try #require(Self.parameters(of: url)["state"])
            try await comeBackAndGo(state, ending: end, core)
            let read = ReadTestLogin(id: departure.id, provider: Self.provider, person: person)
            guard case .shown(let result, _)? = try await core.actions.run(read, by: kim, in: core.context()) else {
                Issue.record("the test has no result")
                return
            }
            #expect(result.sample == nil && result.failure?.word == "provider_unavailable")
        }
    }
}
