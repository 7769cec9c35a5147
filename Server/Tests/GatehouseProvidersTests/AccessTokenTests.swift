import FakeProviders
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Testing

/// Access tokens, of which only their provider can say whose they are.
@Suite struct AccessTokenTests {
    @Test(
        "IDP-3, IDP-13: an odd answer of a provider lets nobody in, whatever its status", arguments: FakeOddity.allCases
    )
    func oddities(oddity: FakeOddity) async throws {
        let app = try FakeApp()
        for provider in [Provider.facebook, .naver, .kakao, .twitter, .weibo, .payco, .hangame, .kakaoGame] {
            let configuration = try app.configuration(of: provider, ["acceptsUnboundTokens": true])
            let credentials = [app.accessToken(provider), try app.idps.credential(provider, for: "alice")]
            #expect(await app.code(credentials[0], configuration) == nil)
            app.idps.set(.odd(oddity), for: provider)
            for credential in credentials {
                let code = await app.code(credential, configuration)
                #expect(code == 3201 || code == 8002, "\(provider): \(code ?? 0)")
            }
        }
    }

    @Test("A token that was issued for another client is refused, by every provider that can say so")
    func audiences() async throws {
        let app = try FakeApp()
        for provider in [Provider.google, .facebook, .line, .kakao, .weibo, .hangame, .kakaoGame] {
            app.idps.set(.wrongAudience, for: provider)
            #expect(await app.failure(app.accessToken(provider)) == .audienceMismatch, "\(provider)")
            app.idps.set(.revokedTokens, for: provider)
            #expect(await app.code(app.accessToken(provider)) == 3201)
            app.idps.set(nil, for: provider)
            let token = app.accessToken(provider)
            #expect(await app.code(token) == nil)
            // A partner's response contains no time.
            guard provider != .hangame, provider != .kakaoGame else { continue }
            app.clock.advance(seconds: 3_601)
            #expect(await app.code(token) == 3201, "\(provider)")
        }
    }

    @Test("Where a provider can't say for whom a token was issued, the refusal names the setting that allows it")
    func unbound() async throws {
        let app = try FakeApp()
        for provider in [Provider.naver, .twitter, .payco] {
            let credential = app.accessToken(provider)
            let failure = try #require(await app.failure(credential))
            #expect(failure == .unbound)
            let refusal = failure.refusal(rejected: .authAddMappingFailed, misconfigured: .authIDPLoginInvalidIDPInfo)
            #expect(refusal.code == .authAddMappingFailed)
            #expect(refusal.message.contains("for whom"))
            #expect(refusal.reason == .tokenUnbound)
            #expect(refusal.details.setting == "accept-unbound-tokens")
            let accepting = try app.configuration(of: provider, ["acceptsUnboundTokens": true])
            #expect(await app.code(credential, accepting) == nil)
        }
        // X's old tokens never count.
        var old = Credential(provider: .twitter)
        old.accessToken = "1234567890-abcDEF123456abcDEF123456"
        let accepting = try app.configuration(of: .twitter, ["acceptsUnboundTokens": true])
        #expect(await app.failure(old, accepting)?.words.contains("OAuth 1.0a") == true)
    }

    @Test("Facebook's own way: its library hands over an ID token in the place of an access token")
    func limitedLogin() async throws {
        let app = try FakeApp()
        var limited = Credential(provider: .facebook)
        limited.accessToken = try app.idps.idToken(.facebook, for: "alice")
        #expect(try await app.verify(limited).key == app.verify(app.idps.credential(.facebook, for: "alice")).key)
    }

    @Test("LINE's own ways: a channel of its own for each region, and HS256 from the web only")
    func regions() async throws {
        let app = try FakeApp()
        let keys = [
            try await app.logInAtPage(.line).key, try await app.logInAtPage(.line, region: "japan").key,
            try await app.logInAtPage(.line, region: "thailand").key,
        ]
        #expect(keys.map(\.namespace) == ["", "japan", "thailand"])
        var japan = try app.idps.credential(.line, for: "alice")
        japan.region = "japan"
        #expect(await app.failure(japan) == .audienceMismatch)
        japan.region = "atlantis"
        #expect(await app.failure(japan) == .incomplete("region"))
        #expect(try await app.code(app.idToken(.line, header: ["alg": "HS256"])) == 3201)
    }
}
