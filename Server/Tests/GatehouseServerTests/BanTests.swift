import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct BanTests {
    @Test(
        "BAN-2, BAN-3, LOGIN-10, BAN-1, SES-5: a ban ends every session on every node at once, and says why and until when",
        arguments: Engine.available)
    func ban(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            try await world.run(SetBanTemplate(code: 7, name: "Cheating", texts: ["en": "You cheated.", "ko": "부정행위"]))
            _ = try await world.run(
                ChangeAccountPolicy { policy in
                    policy.supportContact = "support@example.com"
                    policy.supportURL = "https://example.com/support"
                })
            world.clock.advance(seconds: 1)
            let player = try await world.logIn(.google, "alice")
            let other = try await world.logIn(.google, "alice")
            let end = world.clock.now.milliseconds + 86_400_000
            let request = BanRequest(
                userIds: [player.user, UserID("AAAAAAAAAAAAAAAA")], banType: .temporary, endDate: end, templateCode: 7,
                reason: "aimbot", registeredBy: "anti-cheat")
            let outcome = try await world.call(server: Endpoints.ban, request).decoded(as: MembersOutcome.self)
            #expect(outcome.failedUserIds == [UserID("AAAAAAAAAAAAAAAA")])

            @Sendable func expectRefusals(_ node: World) async throws {
                for player in [player, other] {
                    let heartbeat = try await node.heartbeat(player.device, player.access)
                    #expect(heartbeat.code == 3011)
                    #expect(heartbeat.reason == "banned")
                    let ban = heartbeat.details?.ban
                    #expect(ban?.message == "You cheated.")
                    #expect(try await node.refresh(player.device, player.login.session.refreshToken).code == 3011)
                    #expect(try await node.checkToken(player.access).code == 3011)
                    #expect(
                        try await node.logInWithLastProvider(player.device, player.login.session.refreshToken).code == 7
                    )
                }
            }
            try await expectRefusals(world)
            try await world.onSecondNode(expectRefusals)

            let before = try await world.rowCounts()
            let login = try await world.send(
                .post, Endpoints.logIn.template, by: player.device,
                body: World.json(world.credential(.google, "alice")), headers: ["Accept-Language": "ko-KR, en;q=0.5"])
            #expect(login.status == 403)
            #expect(login.code == 7)
            let ban = try #require(login.details?.ban)
            #expect(
                ban
                    == Ban(
                        userId: player.user, banType: .temporary, beginDate: world.clock.now.milliseconds, endDate: end,
                        message: "부정행위", contact: "support@example.com", contactUrl: "https://example.com/support"))
            let standing = try #require(login.details?.standing)
            #expect(!standing.isPlayable)
            #expect(standing.reason == .banned)
            #expect(standing.untilDate == end)
            #expect(standing.message == "부정행위")
            #expect(standing.actions == [.wait, .contactSupport])
            #expect(!login.text.contains("aimbot"))
            #expect(try await world.rowCounts() == before)
            #expect(try await world.history(player.user) == ["member.created", "member.banned"])
        }
    }

    @Test(
        "BAN-2: the end of a temporary ban lifts it by itself, and no old session comes back",
        arguments: Engine.available)
    func expiry(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let swept = try await world.logIn(.google, "alice")
            let met = try await world.logIn(.google, "bob")
            let end = world.clock.now.adding(seconds: 3_600)
            for player in [swept, met] {
                let isBanned = try await world.run(BanMembers([player.user], until: end), reason: "rude").failedUserIds
                    .isEmpty
                #expect(isBanned)
            }
            world.clock.advance(seconds: 3_599)
            #expect(
                try await world.call(Endpoints.logIn, world.credential(.google, "alice"), by: TestDevice()).code == 7)
            world.clock.advance(seconds: 1)
            // One is ended by a login, the other by the sweeper.
            #expect(try await world.logIn(.google, "bob").user == met.user)
            try await world.sweep()
            for player in [swept, met] {
                #expect(try await world.history(player.user) == ["member.created", "member.banned", "ban.expired"])
                #expect(try await world.report(player.user).member.status == .normal)
                #expect(try await world.refresh(player.device, player.login.session.refreshToken).reason == "banned")
                #expect(
                    try await world.logInWithLastProvider(player.device, player.login.session.refreshToken).code == 3102
                )
            }
        }
    }

    @Test("BAN-1: permanent bans, releases with a reason, and the history of both", arguments: Engine.available)
    func releaseAndHistory(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.logIn(.google, "alice")
            let ban = BanRequest(userIds: [player.user], banType: .permanent, reason: "bot", registeredBy: "server-1")
            #expect(
                try await world.call(server: Endpoints.ban, ban).decoded(as: MembersOutcome.self).failedUserIds.isEmpty)
            // The member is already banned.
            #expect(
                try await world.call(server: Endpoints.ban, ban).decoded(as: MembersOutcome.self).failedUserIds
                    == [player.user])
            #expect(
                try await world.call(Endpoints.logIn, world.credential(.google, "alice"), by: player.device).code == 7)
            world.clock.advance(seconds: 60)
            let release = BanReleaseRequest(userIds: [player.user], reason: "appeal", registeredBy: "server-2")
            #expect(try await world.call(server: Endpoints.releaseBan, release).status == 200)
            #expect(
                try await world.call(server: Endpoints.releaseBan, release).decoded(as: MembersOutcome.self)
                    .failedUserIds
                    == [player.user])
            #expect(try await world.logIn(.google, "alice").user == player.user)
            let bans = try await world.run(ListBansOfMember(user: player.user))
            let record = try #require(bans.first)
            #expect(bans.count == 1)
            #expect(record.caller == "APP_SERVER")
            #expect(record.registeredBy == "server-1")
            #expect(record.reason == "bot")
            let released = try #require(record.release)
            #expect(released.at == world.clock.now)
            #expect([released.caller, released.reason, released.by] == ["APP_SERVER", "appeal", "server-2"])
            let recent = ListRecentBans(
                begin: world.clock.now.adding(seconds: -3_600), end: world.clock.now)
            let all = try await world.run(recent)
            #expect(all == bans)
        }
    }

    @Test("LOGIN-10: without a template the player still reads something, in the player's language")
    func standardMessage() async throws {
        try await World.open(on: .sqlite) { world in
            let device = TestDevice()
            let player = try await world.guestPlayer(device)
            _ = try await world.run(BanMembers([player.user], until: nil), reason: "x")
            for (language, text) in [("ja", "このアカウントは利用が制限されています。"), ("fr", "This account is banned.")] {
                let answer = try await world.logIn(device, headers: ["Accept-Language": language])
                let ban = answer.details?.ban
                #expect(ban?.message == text)
                #expect(ban?.banType == .permanent)
                #expect(ban?.endDate == nil)
            }
        }
    }

    @Test("BAN-5: a kick-out ends a member's sessions, or everyone's, with a message", arguments: Engine.available)
    func kickOut(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let one = try await world.guestPlayer()
            let other = try await world.guestPlayer()
            let request = KickOutRequest(
                userId: one.user, message: ["en": "Please log in again.", "ko": "다시 로그인"], registeredBy: "operator")
            #expect(try await world.call(server: Endpoints.kickOut, request).status == 200)
            let answer = try await world.send(
                .post, Endpoints.heartbeat.template, by: one.device, token: one.access.secretValue,
                headers: ["Accept-Language": "ko"])
            #expect(answer.code == 3011)
            #expect(answer.reason == "kicked_out")
            #expect(answer.details?.message == "다시 로그인")
            #expect(try await world.heartbeat(other.device, other.access).status == 200)
            #expect(try await world.guest(one.device).member.userId == one.user)
            #expect(try await world.history(one.user).last == "sessions.kicked-out")

            try await world.run(KickOut(user: nil, message: ["en": "New season."]))
            world.clock.advance(seconds: 1)
            let everyone = try await world.heartbeat(other.device, other.access)
            #expect(everyone.reason == "kicked_out")
            #expect(everyone.details?.message == "New season.")
            #expect(try await world.logInWithLastProvider(other.device, other.login.session.refreshToken).code == 3102)
            let again = try await world.guest(other.device)
            #expect(again.member.userId == other.user)
            #expect(try await world.heartbeat(other.device, again.session.accessToken).status == 200)
            let elsewhere = try await world.guest(TestDevice(), app: World.otherApp)
            #expect(elsewhere.standing.isPlayable)
        }
    }

    @Test(
        "BAN-5: a player who logs in right after a kick-out of all, at the node that did it, is not thrown out again",
        arguments: Engine.available)
    func loginAfterKickOut(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let before = try await world.guestPlayer()
            let everyone = KickOutRequest(userId: nil, message: [:], registeredBy: "operator")
            #expect(try await world.call(server: Endpoints.kickOut, everyone).status == 200)
            let after = try await world.guestPlayer(before.device)
            for _ in 1...5 {
                #expect(try await world.heartbeat(before.device, before.access).reason == "kicked_out")
                #expect(try await world.heartbeat(after.device, after.access).status == 200)
                world.clock.advance(seconds: 1)
            }
        }
    }

    @Test("BAN-1: what can't be a ban is refused with 3, and writes nothing", arguments: Engine.available)
    func badInput(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.guestPlayer()
            let user = player.user.rawValue
            let good = world.clock.now.milliseconds + 1_000
            for body in [
                #"{}"#, #"{"userIds":[],"banType":"PERMANENT","reason":"r","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"ETERNAL","reason":"r","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"TEMPORARY","reason":"r","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"TEMPORARY","endDate":1,"reason":"r","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"TEMPORARY","endDate":"soon","reason":"r","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"PERMANENT","endDate":\#(good),"reason":"r","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"PERMANENT","templateCode":1,"reason":"r","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"PERMANENT","reason":"","registeredBy":"s"}"#,
                #"{"userIds":["\#(user)"],"banType":"PERMANENT","reason":"r","registeredBy":""}"#,
                #"{"userIds":["\#(user)"],"banType":"PERMANENT","reason":"\#(String(repeating: "r", count: 1_001))","registeredBy":"s"}"#,
                #"{"userIds":"\#(user)","banType":"PERMANENT","reason":"r","registeredBy":"s"}"#,
            ] {
                let answer = try await world.send(
                    TestCall(
                        path: TestCall.path(Endpoints.ban.template),
                        headers: [HeaderNames.secretKey: world.secret.secretValue], body: body))
                #expect(answer.code == 3)
            }
            // Another app's member is unknown in this app.
            let elsewhere = try await world.guest(TestDevice(), app: World.otherApp)
            let request = BanRequest(
                userIds: [elsewhere.member.userId], banType: .permanent, reason: "r", registeredBy: "s")
            #expect(
                try await world.call(server: Endpoints.ban, request).decoded(as: MembersOutcome.self).failedUserIds
                    == [elsewhere.member.userId])
            #expect(try await world.count("SELECT COUNT(*) FROM bans") == 0)
            #expect(try await world.heartbeat(player.device, player.access).status == 200)
        }
    }
}
