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
    private static func id(_ player: Player, _ server: TestServer) async throws -> SessionID {
        try await server.checkToken(player.access).decoded(as: TokenCheck.self).sessionId
    }

    private static func list(_ player: Player, _ server: TestServer) async throws -> DeviceSessions {
        try await server.call(Endpoints.sessions, Empty(), by: player).decoded(as: DeviceSessions.self)
    }

    @Test("SES-11: a device is told by what it has said of itself, and nothing in the list is a secret")
    func device() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let client = "osCode=AOS&osVersion=16&deviceModel=Pixel%2010&clientVersion=1.2.3&telecom=canary"
            let guest = TestDevice()
            let login = try await server.logIn(guest, headers: [HeaderNames.client: client]).decoded(as: Login.self)
            let player = Player(device: guest, login: login)
            let answer = try await server.call(Endpoints.sessions, Empty(), by: player)
            let session = try #require(try answer.decoded(as: DeviceSessions.self).sessions.first)
            #expect(session.sessionId == (try await Self.id(player, server)))
            #expect(session.platformName == "Android")
            #expect([session.osVersion, session.deviceModel, session.clientVersion] == ["16", "Pixel 10", "1.2.3"])
            #expect(session.isCurrent)
            for secret in ["canary", guest.thumbprint.rawValue, player.access.secretValue] {
                #expect(!answer.text.contains(secret))
            }
            // The id alone is no credential.
            #expect(try await server.refresh(guest, RefreshToken(session.sessionId.rawValue)).code == 3011)
            let told = try await server.call(
                gameServer: Endpoints.memberSessions, MemberSessionsRequest(userId: player.user)
            ).decoded(as: MemberSessions.self)
            #expect(told.sessions.map(\.sessionId) == [session.sessionId])
            #expect(told.sessions.map(\.isCurrent) == [false])
            #expect(told.next == nil)
        }
    }

    @Test("SES-11: a player's calls, and a game server's, end the sessions that they name, or all others")
    func ends() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let players = try await together(4) { _ in try await server.logIn(.google, "alice") }
            let request = SessionEndRequest(sessionId: try await Self.id(players[1], server))
            #expect(try await server.call(Endpoints.endSession, request, by: players[0]).text == "{}")
            #expect(try await server.call(Endpoints.endSession, request, by: players[0]).reason == "session_unknown")
            let kickOut = MemberSessionEndRequest(
                userId: players[0].user, sessionId: try await Self.id(players[2], server), registeredBy: "s")
            #expect(try await server.call(gameServer: Endpoints.endMemberSession, kickOut).status == 200)
            #expect(try await server.call(Endpoints.endOtherSessions, Empty(), by: players[0]).text == "{}")
            #expect(try await Self.list(players[0], server).sessions.map(\.isCurrent) == [true])
        }
    }

    @Test(
        "SES-2, SES-11: a session says where its device's key is, as the device has told with its login and its last renewal"
    )
    func keyProtection() async throws {
        try await TestServer.open(on: .sqlite) { server in
            func told(_ player: Player) async throws -> String? {
                try await Self.list(player, server).sessions.first?.keyProtection?.rawValue
            }
            for word in ["hardware", "software", "a_word_of_a_later_version"] {
                let device = TestDevice()
                let answer = try await server.logIn(device, headers: [HeaderNames.keyProtection: word])
                let player = Player(device: device, login: try answer.decoded(as: Login.self))
                #expect(try await told(player) == word)
            }
            let device = TestDevice()
            let login = try await server.logIn(device).decoded(as: Login.self)
            let player = Player(device: device, login: login)
            #expect(try await told(player) == nil)
            // An update of the game may be the first that says it.
            let token = try #require(login.session.refreshToken).secretValue
            let renewals: [(header: String?, told: String)] = [
                ("software", "software"), (nil, "software"), ("hardware", "hardware"),
            ]
            for (header, expected) in renewals {
                let renewal = try await server.send(
                    .post, Endpoints.refreshSession.template, by: device, token: token,
                    headers: header.map { [HeaderNames.keyProtection: $0] } ?? [:])
                #expect(renewal.status == 200)
                #expect(try await told(player) == expected)
            }
            for wrong in ["", "Hardware", "a b", "<b>", String(repeating: "a", count: 33)] {
                let headers = [HeaderNames.keyProtection: wrong]
                let answers = [
                    try await server.logIn(TestDevice(), headers: headers),
                    try await server.send(
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
}
