import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct SessionTests {
    @Test("A session's calls: who am I, heartbeat, refresh, token check", arguments: Engine.available)
    func calls(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let login = try await world.guest(device)
            let member = try await world.member(device, login.session.accessToken).decoded(as: Member.self)
            #expect(member == login.member)
            let heartbeat = try await world.heartbeat(device, login.session.accessToken).decoded(as: Heartbeat.self)
            #expect(heartbeat.standing == login.standing)
            let renewal = try await world.refresh(device, login.session.refreshToken).decoded(as: SessionRenewal.self)
            #expect(renewal.session.refreshToken == nil)
            let check = try await world.checkToken(renewal.session.accessToken).decoded(as: TokenCheck.self)
            #expect(check.member == login.member)
            #expect(check.provider == .guest)
        }
    }

    @Test("SES-2: tokens are worth nothing without a proof by the session's own key", arguments: Engine.available)
    func stolenTokens(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let thief = TestDevice()
            let login = try await world.guest(device)
            let access = login.session.accessToken
            world.audit.clear()

            let withoutProof = try await world.send(
                TestCall(
                    method: .get, path: TestCall.path(Endpoints.member.template),
                    headers: ["Authorization": "DPoP \(access.secretValue)"]))
            #expect(withoutProof.status == 401)
            #expect(withoutProof.reason == "proof_missing")

            let asBearer = try await world.send(
                .get, Endpoints.member.template, by: device, headers: ["Authorization": "Bearer \(access.secretValue)"])
            #expect(asBearer.status == 401)
            #expect(asBearer.code == 2)

            let otherKey = try await world.member(thief, access)
            #expect(otherKey.status == 401)
            #expect(otherKey.code == 3011)
            #expect(otherKey.reason == "key_mismatch")

            for answer in [
                try await world.logInWithLastProvider(thief, login.session.refreshToken),
                try await world.refresh(thief, login.session.refreshToken),
                try await world.logOut(thief, login.session.refreshToken),
            ] {
                #expect(answer.status == 401)
                #expect(answer.reason == "key_mismatch")
            }
            #expect(world.audit.events.count == 6)
            #expect(try await world.member(device, access).status == 200)
        }
    }

    @Test("SES-5: after logout no token works, on any node, also after a restart", arguments: Engine.available)
    func logoutEndsEverything(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let login = try await world.guest(device)
            #expect(try await world.logOut(device, login.session.refreshToken).status == 200)

            @Sendable func expectRefusals(_ world: World) async throws {
                #expect(try await world.member(device, login.session.accessToken).code == 3011)
                #expect(try await world.heartbeat(device, login.session.accessToken).reason == "logged_out")
                #expect(try await world.refresh(device, login.session.refreshToken).code == 3011)
                #expect(try await world.checkToken(login.session.accessToken).code == 3011)
                #expect(try await world.logInWithLastProvider(device, login.session.refreshToken).code == 3102)
            }
            try await expectRefusals(world)
            try await world.onSecondNode(expectRefusals)
        }
    }

    @Test("LOGOUT-2: logging out twice is no failure, and ends the session once", arguments: Engine.available)
    func logoutTwice(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let login = try await world.guest(device)
            world.audit.clear()
            #expect(try await world.logOut(device, login.session.refreshToken).status == 200)
            #expect(try await world.logOut(device, login.session.refreshToken).status == 200)
            #expect(world.audit.events == ["session.ended"])
            // LOGOUT-1: the same device is the same guest afterwards.
            #expect(try await world.guest(device).member.userId == login.member.userId)
        }
    }

    @Test("SES-3: fifty refreshes at once all succeed, and every result works", arguments: Engine.available)
    func manyRefreshes(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let login = try await world.guest(device)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        let renewal = try await world.refresh(device, login.session.refreshToken)
                            .decoded(as: SessionRenewal.self)
                        return try await world.member(device, renewal.session.accessToken).status
                    }
                }
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test(
        "SES-7: a session ends when it is not used, and at its longest life however much it is used",
        arguments: Engine.available)
    func lifetimes(engine: Engine) async throws {
        var configuration = World.configuration()
        configuration.lifetimes = SessionLifetimes(
            accessTokenSeconds: 3_600, idleSeconds: 86_400, maximumSeconds: 172_800)
        try await World.open(on: engine, configuration: configuration) { world in
            let device = TestDevice()
            let login = try await world.guest(device)
            world.clock.advance(seconds: 3_600)
            let expired = try await world.member(device, login.session.accessToken)
            #expect(expired.status == 401)
            #expect(expired.reason == "token_expired")

            world.clock.advance(seconds: 82_799)
            #expect(try await world.refresh(device, login.session.refreshToken).status == 200)
            world.clock.advance(seconds: 86_399)
            let last = try await world.refresh(device, login.session.refreshToken).decoded(as: SessionRenewal.self)
            #expect(last.session.sessionExpiryDate == login.member.registrationDate + 172_800_000)
            #expect(last.session.accessTokenExpiryDate <= last.session.sessionExpiryDate)
            world.clock.advance(seconds: 2)
            let over = try await world.refresh(device, login.session.refreshToken)
            #expect(over.code == 3011)
            #expect(over.reason == "session_expired")

            let idle = try await world.guest(device)
            world.clock.advance(seconds: 86_400)
            #expect(
                try await world.logInWithLastProvider(device, idle.session.refreshToken).reason == "session_expired")
        }
    }

    @Test("SES-9: nothing of one app works in another", arguments: Engine.available)
    func otherApp(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let login = try await world.guest(device)
            let refresh = try #require(login.session.refreshToken).secretValue
            let access = login.session.accessToken.secretValue
            let otherMember = try await world.guest(device, app: World.otherApp).member
            #expect(otherMember.userId != login.member.userId)
            let calls: [(HTTPRequest.Method, String, String)] = [
                (.post, Endpoints.logInWithLastProvider.template, refresh),
                (.post, Endpoints.refreshSession.template, refresh), (.post, Endpoints.logOut.template, refresh),
                (.get, Endpoints.member.template, access), (.post, Endpoints.heartbeat.template, access),
            ]
            for (method, template, token) in calls {
                let answer = try await world.send(
                    method, template, app: World.otherApp, by: device, token: token)
                #expect(answer.status == 401)
                #expect(!answer.text.contains(login.member.userId.rawValue))
            }
            // The other app's secret key is not valid here, and this app's token is not valid there.
            #expect(try await world.checkToken(login.session.accessToken, app: World.otherApp).code == 5)
            let otherSecret = try await world.run(RotateSecret(), in: World.otherApp)
            // An operator's change takes effect within a second.
            world.clock.advance(seconds: 1)
            let foreign = try await world.checkToken(
                login.session.accessToken, app: World.otherApp, secret: otherSecret.secretValue)
            #expect(foreign.code == 3011)
            #expect(foreign.reason == "token_foreign")
            #expect(try await world.checkToken(login.session.accessToken, secret: otherSecret.secretValue).code == 5)
            #expect(try await world.member(device, login.session.accessToken).status == 200)
        }
    }

    @Test("SES-1: tokens differ, and the database holds none of them", arguments: Engine.available)
    func tokensAtRest(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            var tokens: Set<String> = []
            for _ in 0..<50 {
                let login = try await world.guest(TestDevice())
                tokens.insert(try #require(login.session.refreshToken).secretValue)
                tokens.insert(login.session.accessToken.secretValue)
            }
            #expect(tokens.count == 100)
            let stored = try await world.database.read { tx in
                try tx.rows("SELECT session_id, refresh_hash FROM sessions") { row in
                    (id: try row[0] as String, hash: try row[1] as [UInt8])
                }
            }
            #expect(stored.count == 50)
            for row in stored {
                #expect(row.hash.count == 32)
                let secret = tokens.first { $0.hasPrefix(row.id + ".") }?.dropFirst(row.id.count + 1)
                #expect(String(secret ?? "") != Base64URL.encode(row.hash))
            }
        }
    }

    @Test(
        "INFO-3: a game server's check names the member, and refuses another member's name", arguments: Engine.available
    )
    func tokenCheckOfAMember(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let login = try await world.guest(TestDevice())
            #expect(try await world.checkToken(login.session.accessToken, user: login.member.userId).status == 200)
            let other = try await world.guest(TestDevice())
            let answer = try await world.checkToken(login.session.accessToken, user: other.member.userId)
            #expect(answer.code == 3011)
            #expect(answer.reason == "token_foreign")
            #expect(!answer.text.contains(login.member.userId.rawValue))
        }
    }
}
