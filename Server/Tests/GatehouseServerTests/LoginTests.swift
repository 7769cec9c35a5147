import FakeProviders
import GatehouseCore
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct LoginTests {
    @Test("SES-6: a login answers with its member and its tokens, and what a client sends as its own is ignored")
    func logIn() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let first = try await server.guest(device)
            #expect(first.member.userId.rawValue.count == UserID.length)
            #expect(first.member.mappings.map(\.subject) == [device.thumbprint.rawValue])
            let body = """
                {"provider":"guest","userId":"AAAAAAAAAAAAAAAA","sessionToken":"mine","expiresAt":9999999999999,"role":"admin",
                 "refreshToken":"mine","status":"Y"}
                """
            let answer = try await server.send(.post, Endpoints.logIn.template, by: device, body: body)
            let second = try answer.decoded(as: Login.self)
            #expect(second.member.userId == first.member.userId)
            #expect(second.session.refreshToken != first.session.refreshToken)
            #expect(second.session.accessToken != first.session.accessToken)
            #expect(!answer.text.contains("mine"))
        }
    }

    @Test("LOGIN-8: the last provider needs the stored session only, and a token that was changed is refused with 3102")
    func lastProvider() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let login = try await server.guest(device)
            let again = try await server.logInWithLastProvider(device, login.session.refreshToken)
                .decoded(as: Login.self)
            #expect(again.member.userId == login.member.userId)
            #expect(again.session.refreshToken == nil)
            #expect(try await server.member(device, again.session.accessToken).status == 200)
            let good = try #require(login.session.refreshToken?.secretValue)
            let flipped = String(good.dropLast()) + (good.hasSuffix("A") ? "E" : "A")
            let access = login.session.accessToken.secretValue
            for token in ["none", "a.b", flipped, good.uppercased(), good + "A", access] {
                let answer = try await server.logInWithLastProvider(device, RefreshToken(token))
                #expect(answer.status == 401)
                #expect([3102, 2].contains(answer.code ?? 0))
                #expect(!answer.text.contains(good))
            }
        }
    }

    @Test("LOGIN-13, REL-6: a call is the same by its key, its device and its bytes")
    func repeatedCall() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let headers = [HeaderNames.idempotencyKey: "0190aaaaaaaa-first-call"]
            let first = try await server.logIn(device, headers: headers).decoded(as: Login.self)
            let second = try await server.logIn(device, headers: headers).decoded(as: Login.self)
            #expect(second.session.refreshToken == first.session.refreshToken)
            let other = try await server.send(
                .post, Endpoints.logIn.template, by: device, body: #"{"provider":"guest" }"#, headers: headers)
            #expect(other.status == 422)
            #expect(other.reason == "idempotency_key_reused")
            let stranger = try await server.logIn(TestDevice(), headers: headers).decoded(as: Login.self)
            #expect(stranger.member.userId != first.member.userId)
        }
    }

    @Test("LOGIN-13: a login with an ID token is answered again although the token has expired since")
    func expiredToken() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let credential = Credential(provider: .google, idToken: try server.idps.idToken(.google, for: "alice"))
            let logIn = { (headers: [String: String]) in
                try await server.call(Endpoints.logIn, credential, by: device, headers: headers)
            }
            let key = [HeaderNames.idempotencyKey: "lost-answer-1"]
            let first = try await logIn(key).decoded(as: Login.self)
            server.clock.advance(seconds: 2 * 3_600)
            #expect(try await logIn([:]).reason == "credential_expired")
            let again = try await logIn(key).decoded(as: Login.self)
            #expect(again.session.refreshToken == first.session.refreshToken)
        }
    }

    @Test(
        "Idempotency keys that no client may send are refused",
        arguments: ["short", "with space in it", "\u{e9}\u{e9}\u{e9}\u{e9}", String(repeating: "k", count: 129)])
    func badIdempotencyKey(key: String) async throws {
        try await TestServer.open(on: .sqlite) { server in
            let answer = try await server.logIn(TestDevice(), headers: [HeaderNames.idempotencyKey: key])
            // A header that HTTP itself can't transport never arrives.
            guard key.allSatisfy(\.isASCII) else { return }
            #expect(answer.status == 400)
            #expect(answer.code == 3)
            #expect(answer.details?.parameter == "Idempotency-Key")
        }
    }
}
