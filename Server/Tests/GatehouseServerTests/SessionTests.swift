import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct SessionTests {
    @Test("A session's calls: who am I, heartbeat, refresh, token check, logout")
    func calls() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let login = try await server.guest(device)
            let member = try await server.member(device, login.session.accessToken).decoded(as: Member.self)
            #expect(member == login.member)
            let heartbeat = try await server.heartbeat(device, login.session.accessToken).decoded(as: Heartbeat.self)
            #expect(heartbeat.standing == login.standing)
            let renewal = try await server.refresh(device, login.session.refreshToken).decoded(as: SessionRenewal.self)
            #expect(renewal.session.refreshToken == nil)
            let check = try await server.checkToken(renewal.session.accessToken).decoded(as: TokenCheck.self)
            #expect(check.member == login.member)
            #expect(check.provider == .guest)
            #expect(try await server.logOut(device, login.session.refreshToken).status == 200)
            #expect(try await server.heartbeat(device, login.session.accessToken).reason == "logged_out")
        }
    }

    @Test("SES-2: tokens are worth nothing without a proof by the session's own key")
    func stolenTokens() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let thief = TestDevice()
            let login = try await server.guest(device)
            let access = login.session.accessToken
            server.audit.clear()

            let withoutProof = try await server.send(
                TestCall(
                    method: .get, path: TestCall.path(Endpoints.member.template),
                    headers: ["Authorization": "DPoP \(access.secretValue)"]))
            #expect(withoutProof.status == 401)
            #expect(withoutProof.reason == "proof_missing")

            let asBearer = try await server.send(
                .get, Endpoints.member.template, by: device, headers: ["Authorization": "Bearer \(access.secretValue)"])
            #expect(asBearer.status == 401)
            #expect(asBearer.code == 2)

            let otherKey = try await server.member(thief, access)
            #expect(otherKey.status == 401)
            #expect(otherKey.code == 3011)
            #expect(otherKey.reason == "key_mismatch")

            for answer in [
                try await server.logInWithLastProvider(thief, login.session.refreshToken),
                try await server.refresh(thief, login.session.refreshToken),
                try await server.logOut(thief, login.session.refreshToken),
            ] {
                #expect(answer.status == 401)
                #expect(answer.reason == "key_mismatch")
            }
            #expect(server.audit.events.count == 6)
            #expect(try await server.member(device, access).status == 200)
        }
    }

    @Test("SES-7: sessions and tokens live as long as the server's settings say")
    func lifetimes() async throws {
        var configuration = TestServer.configuration()
        configuration.lifetimes = SessionLifetimes(
            accessTokenSeconds: 3_600, idleSeconds: 86_400, maximumSeconds: 172_800)
        try await TestServer.open(on: .sqlite, configuration: configuration) { server in
            let device = TestDevice()
            let login = try await server.guest(device)
            server.clock.advance(seconds: 3_600)
            #expect(try await server.member(device, login.session.accessToken).reason == "token_expired")
            server.clock.advance(seconds: 82_799)
            #expect(try await server.refresh(device, login.session.refreshToken).status == 200)
            server.clock.advance(seconds: 86_399)
            let last = try await server.refresh(device, login.session.refreshToken).decoded(as: SessionRenewal.self)
            #expect(last.session.sessionExpiryDate == login.member.registrationDate + 172_800_000)
            let idle = try await server.guest(device)
            server.clock.advance(seconds: 86_400)
            #expect(
                try await server.logInWithLastProvider(device, idle.session.refreshToken).reason == "session_expired")
        }
    }

    @Test("SES-9: nothing of one app works in another")
    func otherApp() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let login = try await server.guest(device)
            let refresh = try #require(login.session.refreshToken).secretValue
            let access = login.session.accessToken.secretValue
            let otherMember = try await server.guest(device, app: TestServer.otherApp).member
            #expect(otherMember.userId != login.member.userId)
            let calls: [(HTTPRequest.Method, String, String)] = [
                (.post, Endpoints.logInWithLastProvider.template, refresh),
                (.post, Endpoints.refreshSession.template, refresh), (.post, Endpoints.logOut.template, refresh),
                (.get, Endpoints.member.template, access), (.post, Endpoints.heartbeat.template, access),
            ]
            for (method, template, token) in calls {
                let answer = try await server.send(
                    method, template, app: TestServer.otherApp, by: device, token: token)
                #expect(answer.status == 401)
                #expect(!answer.text.contains(login.member.userId.rawValue))
            }
            // The other app's secret key is not valid here, and this app's token is not valid there.
            #expect(try await server.checkToken(login.session.accessToken, app: TestServer.otherApp).code == 5)
            let otherSecret = try await server.run(CreateSecret(), in: TestServer.otherApp)
            // An operator's change takes effect within a second.
            server.clock.advance(seconds: 1)
            let foreign = try await server.checkToken(
                login.session.accessToken, app: TestServer.otherApp, secret: otherSecret.secretValue)
            #expect(foreign.code == 3011)
            #expect(foreign.reason == "token_foreign")
            #expect(try await server.checkToken(login.session.accessToken, secret: otherSecret.secretValue).code == 5)
            #expect(try await server.member(device, login.session.accessToken).status == 200)
        }
    }
}
