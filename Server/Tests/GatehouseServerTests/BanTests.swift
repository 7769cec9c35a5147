import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The calls of bans and kick-outs, and how a player reads of them. Their rules are proven in `BanActionTests`.
@Suite struct BanTests {
    @Test(
        "BAN-3, LOGIN-10: a game server bans and releases, and a login says why and until when",
        arguments: Engine.ofDoors)
    func ban(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            try await server.run(
                AddBanTemplate(code: 7, name: "Cheating", texts: ["en": "You cheated.", "ko": "부정행위"]))
            server.clock.advance(seconds: 1)
            let player = try await server.logIn(.google, "alice")
            let end = server.clock.now.milliseconds + 86_400_000
            let request = BanRequest(
                userIds: [player.user, UserID("AAAAAAAAAAAAAAAA")], banType: .temporary, endDate: end, templateCode: 7,
                reason: "aimbot", registeredBy: "anti-cheat")
            let outcome = try await server.call(gameServer: Endpoints.ban, request).decoded(as: MembersOutcome.self)
            #expect(outcome.failedUserIds == [UserID("AAAAAAAAAAAAAAAA")])
            let heartbeat = try await server.heartbeat(player.device, player.access)
            #expect(heartbeat.code == 3011)
            #expect(heartbeat.reason == "banned")
            #expect(heartbeat.details?.ban?.message == "You cheated.")

            let login = try await server.send(
                .post, Endpoints.logIn.template, by: player.device,
                body: TestServer.json(server.credential(.google, "alice")),
                headers: ["Accept-Language": "ko-KR, en;q=0.5"])
            #expect(login.status == 403)
            #expect(login.code == 7)
            let ban = try #require(login.details?.ban)
            #expect(ban.userId == player.user && ban.endDate == end && ban.message == "부정행위")
            #expect(login.details?.standing?.actions == [.wait, .contactSupport])
            #expect(!login.text.contains("aimbot"))

            let release = BanReleaseRequest(userIds: [player.user], reason: "appeal", registeredBy: "server-2")
            #expect(try await server.call(gameServer: Endpoints.releaseBan, release).status == 200)
            #expect(try await server.logIn(.google, "alice").user == player.user)
        }
    }

    @Test(
        "BAN-5: a game server's kick-out reaches the player with a message in its language",
        arguments: Engine.ofDoors)
    func kickOut(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let player = try await server.guestPlayer()
            let request = KickOutRequest(
                userId: player.user, message: ["en": "Please log in again.", "ko": "다시 로그인"], registeredBy: "operator")
            #expect(try await server.call(gameServer: Endpoints.kickOut, request).status == 200)
            let answer = try await server.send(
                .post, Endpoints.heartbeat.template, by: player.device, token: player.access.secretValue,
                headers: ["Accept-Language": "ko"])
            #expect(answer.code == 3011)
            #expect(answer.reason == "kicked_out")
            #expect(answer.details?.message == "다시 로그인")
        }
    }

    @Test(
        "BAN-5: a player who logs in right after a kick-out of all, at the node that did it, is not thrown out again",
        arguments: Engine.available)
    func loginAfterKickOut(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let before = try await server.guestPlayer()
            let everyone = KickOutRequest(userId: nil, message: [:], registeredBy: "operator")
            #expect(try await server.call(gameServer: Endpoints.kickOut, everyone).status == 200)
            let after = try await server.guestPlayer(before.device)
            for _ in 1...5 {
                #expect(try await server.heartbeat(before.device, before.access).reason == "kicked_out")
                #expect(try await server.heartbeat(after.device, after.access).status == 200)
                server.clock.advance(seconds: 1)
            }
        }
    }

    @Test("BAN-1: what can't be a ban is refused with 3, and writes nothing")
    func badInput() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let player = try await server.guestPlayer()
            let user = player.user.rawValue
            for body in [
                #"{}"#, #"{"userIds":[],"banType":"PERMANENT","reason":"r","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"ETERNAL","reason":"r","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"TEMPORARY","endDate":"soon","reason":"r","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"PERMANENT","reason":"","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"PERMANENT","reason":"r","registeredBy":""}"#,
                #"{"userIds":["\#(user)"],"banType":"PERMANENT","reason":"\#(String(repeating: "r", count: 1_001))","registeredBy":"s"}"#,
                #"{"userIds":"\#(user)","banType":"PERMANENT","reason":"r","registeredBy":"s"}"#,
            ] {
                let answer = try await server.send(
                    TestCall(
                        path: TestCall.path(Endpoints.ban.template),
                        headers: [HeaderNames.secretKey: server.secret.secretValue], body: body))
                #expect(answer.code == 3)
            }
            #expect(try await server.count("SELECT COUNT(*) FROM bans") == 0)
            #expect(try await server.heartbeat(player.device, player.access).status == 200)
        }
    }
}
