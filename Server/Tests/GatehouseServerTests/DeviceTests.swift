import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The calls about a member's sessions, over HTTP.
@Suite struct DeviceTests {
    private static let key = [HeaderNames.idempotencyKey: "end-session-1"]

    private static func id(_ player: Player, _ world: World) async throws -> SessionID {
        try await world.checkToken(player.access).decoded(as: TokenCheck.self).sessionId
    }

    private static func list(_ player: Player, _ world: World) async throws -> DeviceSessions {
        try await world.call(Endpoints.sessions, Empty(), by: player).decoded(as: DeviceSessions.self)
    }

    @Test(
        "SES-11: a device is told by what it has said of itself, and nothing in the list is a secret",
        arguments: Engine.available)
    func device(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let client = "osCode=AOS&osVersion=16&deviceModel=Pixel%2010&clientVersion=1.2.3&telecom=canary"
            let guest = TestDevice()
            let login = try await world.logIn(guest, headers: [HeaderNames.client: client]).decoded(as: Login.self)
            let player = Player(device: guest, login: login)
            let answer = try await world.call(Endpoints.sessions, Empty(), by: player)
            let session = try #require(try answer.decoded(as: DeviceSessions.self).sessions.first)
            #expect(session.sessionId == (try await Self.id(player, world)))
            #expect(session.platformName == "Android")
            #expect([session.osVersion, session.deviceModel, session.clientVersion] == ["16", "Pixel 10", "1.2.3"])
            #expect(session.isCurrent)
            for secret in ["canary", guest.thumbprint.rawValue, player.access.secretValue] {
                #expect(!answer.text.contains(secret))
            }
            // The id alone is no credential.
            #expect(try await world.refresh(guest, RefreshToken(session.sessionId.rawValue)).code == 3011)
            let told = try await world.call(
                server: Endpoints.memberSessions, MemberSessionsRequest(userId: player.user)
            ).decoded(as: MemberSessions.self)
            #expect(told.sessions.map(\.sessionId) == [session.sessionId])
            #expect(told.sessions.map(\.isCurrent) == [false])
            #expect(told.next == nil)
        }
    }

    @Test(
        "SES-2, SES-11: a session says where its device's key is, as the device has told with its login and its last renewal",
        arguments: Engine.available)
    func keyProtection(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            func told(_ player: Player) async throws -> String? {
                try await Self.list(player, world).sessions.first?.keyProtection?.rawValue
            }
            for word in ["hardware", "software", "a_word_of_a_later_version"] {
                let device = TestDevice()
                let answer = try await world.logIn(device, headers: [HeaderNames.keyProtection: word])
                let player = Player(device: device, login: try answer.decoded(as: Login.self))
                #expect(try await told(player) == word)
            }
            let device = TestDevice()
            let login = try await world.logIn(device).decoded(as: Login.self)
            let player = Player(device: device, login: login)
            #expect(try await told(player) == nil)
            // An update of the game may be the first that says it.
            let token = try #require(login.session.refreshToken).secretValue
            let renewals: [(header: String?, told: String)] = [
                ("software", "software"), (nil, "software"), ("hardware", "hardware"),
            ]
            for (header, expected) in renewals {
                let renewal = try await world.send(
                    .post, Endpoints.refreshSession.template, by: device, token: token,
                    headers: header.map { [HeaderNames.keyProtection: $0] } ?? [:])
                #expect(renewal.status == 200)
                #expect(try await told(player) == expected)
            }
            for wrong in ["", "Hardware", "a b", "<b>", String(repeating: "a", count: 33)] {
                let headers = [HeaderNames.keyProtection: wrong]
                let answers = [
                    try await world.logIn(TestDevice(), headers: headers),
                    try await world.send(
                        .post, Endpoints.refreshSession.template, by: device, token: token, headers: headers),
                ]
                for answer in answers {
                    #expect(answer.code == 3 && answer.status == 400)
                    #expect(answer.details?.parameter == HeaderNames.keyProtection)
                }
            }
            #expect(try await told(player) == "hardware")
        }
    }

    @Test(
        "SES-4, SES-11: a repeated call ends a session once, and the key is not good for another session",
        arguments: Engine.available)
    func repeated(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let players = try await together(3) { _ in try await world.logIn(.google, "alice") }
            let request = SessionEndRequest(sessionId: try await Self.id(players[1], world))
            world.audit.clear()
            for _ in 0..<2 {
                let answer = try await world.call(Endpoints.endSession, request, by: players[0], headers: Self.key)
                #expect(answer.status == 200)
                #expect(answer.text == "{}")
            }
            #expect(world.audit.events == ["session.ended-elsewhere"])
            let other = SessionEndRequest(sessionId: try await Self.id(players[2], world))
            let reused = try await world.call(Endpoints.endSession, other, by: players[0], headers: Self.key)
            #expect(reused.reason == "idempotency_key_reused")
            #expect(try await world.call(Endpoints.endSession, request, by: players[0]).reason == "session_unknown")
            #expect(try await Self.list(players[0], world).sessions.count == 2)
            // A device that is logged out no longer has a say.
            #expect(try await world.call(Endpoints.endSession, other, by: players[1]).reason == "ended_elsewhere")
            #expect(try await world.call(Endpoints.endOtherSessions, Empty(), by: players[1]).code == 3011)
            #expect(try await world.call(Endpoints.sessions, Empty(), by: players[1]).code == 3011)
        }
    }

    @Test(
        "SES-9, SES-11: an id of another member or app is answered like one that nobody has",
        arguments: Engine.available)
    func foreign(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let (player, other) = (try await world.guestPlayer(), try await world.guestPlayer())
            let elsewhere = try await world.guest(player.device, app: World.otherApp)
            let ids = [
                SessionID("01k7ug5grod55d1un1046c9p9t"), try await Self.id(other, world),
                SessionID(String((elsewhere.session.refreshToken?.secretValue ?? "").prefix { $0 != "." })),
            ]
            let answers = try await together(ids.count) { number in
                try await world.call(Endpoints.endSession, SessionEndRequest(sessionId: ids[number]), by: player)
            }
            for answer in answers {
                #expect(answer.status == 400)
                #expect(answer.code == 3)
                #expect(answer.details == answers.first?.details)
                #expect(answer.error?.message == answers.first?.error?.message)
            }
            for id in ids {
                let request = MemberSessionEndRequest(userId: player.user, sessionId: id, registeredBy: "s")
                #expect(try await world.call(server: Endpoints.endMemberSession, request).reason == "session_unknown")
            }
            #expect(try await world.checkToken(other.access).status == 200)
        }
    }

    @Test(
        "SES-11: of sessions that end each other at once, on two nodes, exactly one goes on",
        arguments: Engine.available)
    func race(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            try await world.onSecondNode { second in
                for round in 0..<5 {
                    let players = try await together(2) { _ in try await world.logIn(.google, "alice-\(round)") }
                    let ids = [try await Self.id(players[0], world), try await Self.id(players[1], world)]
                    let codes = try await together(2) { number in
                        try await (number == 0 ? world : second).call(
                            Endpoints.endSession, SessionEndRequest(sessionId: ids[1 - number]), by: players[number]
                        ).code
                    }
                    #expect(codes.count { $0 == nil } == 1)
                    #expect(codes.count { $0 == 3011 } == 1)
                    let winner = try #require(codes.firstIndex { $0 == nil })
                    #expect(try await Self.list(players[winner], second).sessions.count == 1)
                }
                try await world.expectInvariants()
            }
        }
    }

    @Test("SES-11, INFO-3: sessions beyond what is named one by one end too, and their game servers learn it")
    func many() async throws {
        try await World.open(on: .sqlite) { world in
            _ = try await world.run(ChangeLimits { $0.liveSessions = 0 })
            world.clock.advance(seconds: 2)
            let player = try await world.logIn(.google, "alice")
            let others = try await together(1_002) { _ in try await world.logIn(.google, "alice") }
            world.clock.advance(seconds: 2)
            #expect(try await world.call(Endpoints.endOtherSessions, Empty(), by: player).status == 200)
            #expect(try await Self.list(player, world).sessions.count == 1)
            let server = GameServer(world)
            try await server.poll()
            for other in others { #expect(try !server.accepts(other)) }
            // The revocation by provider concerns the token of the session that goes on, until it has another.
            let renewal = try await world.refresh(player.device, player.login.session.refreshToken)
            #expect(try server.accepts(renewal.decoded(as: SessionRenewal.self).session.accessToken))
        }
    }
}
