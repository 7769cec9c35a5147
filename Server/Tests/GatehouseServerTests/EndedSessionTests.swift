import FakeProviders
import Foundation
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// An ended session is never revived, even if the member returns to its earlier state.
@Suite struct EndedSessionTests {
    /// An event that ends a session, followed by one that restores its conditions.
    enum Story: String, CaseIterable, Sendable {
        case loggedOut, replaced, tooMany, unmapped, movedAway, guestEnded, kickedOut, everyoneKickedOut, banned
        case transferred, consentRevoked, frozen, endedElsewhere, othersEnded, sessionKickedOut

        /// The reason in the player's error.
        var reason: String {
            switch self {
            case .loggedOut: "logged_out"
            case .replaced: "replaced"
            case .tooMany: "too_many_sessions"
            case .unmapped, .movedAway, .guestEnded, .frozen: "identity_removed"
            case .kickedOut, .everyoneKickedOut, .sessionKickedOut: "kicked_out"
            case .endedElsewhere, .othersEnded: "ended_elsewhere"
            case .banned: "banned"
            case .transferred: "transferred"
            case .consentRevoked: "consent_revoked"
            }
        }
    }

    @Test(
        "SES-5: what has ended stays ended, on every node and after a restart, when its reasons are there again",
        arguments: Engine.available, Story.allCases)
    func stays(engine: Engine, story: Story) async throws {
        try await World.open(on: engine) { world in
            let server = GameServer(world)
            let (ended, lives) = try await Self.tell(story, in: world)
            // An operator's change takes effect within a second.
            world.clock.advance(seconds: 2)
            try await server.poll()
            for player in ended {
                try await Self.expectEnd(of: player, story.reason, in: world)
                try await world.onSecondNode { try await Self.expectEnd(of: player, story.reason, in: $0) }
                #expect(try !server.accepts(player))
            }
            for player in lives {
                #expect(try await world.checkToken(player.access).status == 200)
                #expect(try server.accepts(player))
                let last = try await world.logInWithLastProvider(player.device, player.login.session.refreshToken)
                #expect(last.status == 200)
                #expect(try server.accepts(last.decoded(as: Login.self).session.accessToken))
            }
            try await world.expectInvariants()
        }
    }

    private static func expectEnd(of player: Player, _ reason: String, in world: World) async throws {
        let token = player.login.session.refreshToken
        for answer in [
            try await world.checkToken(player.access), try await world.refresh(player.device, token),
            try await world.heartbeat(player.device, player.access),
        ] {
            #expect(answer.code == 3011)
            #expect(answer.reason == reason)
        }
        #expect(try await world.logInWithLastProvider(player.device, token).code == 3102)
    }

    /// Returns the players whose sessions must stay ended, and those who came later. All of it happens in one second.
    private static func tell(_ story: Story, in world: World) async throws -> (ended: [Player], lives: [Player]) {
        switch story {
        case .loggedOut, .replaced, .tooMany: try await oneSession(story, in: world)
        case .endedElsewhere, .othersEnded, .sessionKickedOut: try await oneOfTwo(story, in: world)
        case .unmapped, .movedAway, .guestEnded, .frozen: try await identity(story, in: world)
        case .kickedOut, .everyoneKickedOut, .banned, .transferred, .consentRevoked: try await member(story, in: world)
        }
    }

    private static func oneSession(_ story: Story, in world: World) async throws -> ([Player], [Player]) {
        if story == .tooMany {
            _ = try await world.run(ChangeLimits { $0.liveSessions = 1 })
            world.clock.advance(seconds: 2)
        }
        let player = try await world.logIn(.google, "alice")
        switch story {
        case .replaced:
            let other = try await world.logIn(.facebook, "bob")
            let ticket = TicketUse(try await world.ticket(.google, "alice", for: other))
            let login = try await world.call(Endpoints.changeLogin, ticket, by: other).decoded(as: Login.self)
            #expect(try await world.refresh(other.device, login.session.refreshToken).status == 200)
            return (
                [other], [player, Player(device: other.device, login: login), try await world.logIn(.facebook, "bob")]
            )
        case .loggedOut:
            _ = try await world.logOut(player.device, player.login.session.refreshToken)
        default: break
        }
        return ([player], [try await world.logIn(.google, "alice", on: player.device)])
    }

    private static func oneOfTwo(_ story: Story, in world: World) async throws -> ([Player], [Player]) {
        let (lost, kept) = (try await world.logIn(.google, "alice"), try await world.logIn(.google, "alice"))
        let id = try await world.checkToken(lost.access).decoded(as: TokenCheck.self).sessionId
        let answer =
            switch story {
            case .endedElsewhere:
                try await world.call(Endpoints.endSession, SessionEndRequest(sessionId: id), by: kept)
            case .othersEnded: try await world.call(Endpoints.endOtherSessions, Empty(), by: kept)
            default:
                try await world.call(
                    server: Endpoints.endMemberSession,
                    MemberSessionEndRequest(userId: lost.user, sessionId: id, registeredBy: "s"))
            }
        #expect(answer.status == 200)
        return ([lost], [kept, try await world.logIn(.google, "alice", on: lost.device)])
    }

    private static func identity(_ story: Story, in world: World) async throws -> ([Player], [Player]) {
        let stays = try await world.mapped(.facebook, "alice", to: world.logIn(.google, "alice"))
        let ends = try await world.logIn(.facebook, "alice")
        switch story {
        case .unmapped:
            _ = try await world.call(Endpoints.removeMapping, MappingRemoval(provider: .facebook), by: stays)
            _ = try await world.mapped(.facebook, "alice", to: stays)
        case .movedAway:
            let guest = try await world.guestPlayer()
            for player in [guest, stays] {
                let ticket = TicketUse(try await world.ticket(.facebook, "alice", for: player))
                #expect(try await world.call(Endpoints.forceMapping, ticket, by: player).status == 200)
            }
        case .guestEnded:
            // The first mapping ends the guest's other session; then the operator undoes the mapping.
            let guest = try await world.guestPlayer()
            let other = try await world.guestPlayer(guest.device)
            let taken = try await world.logIn(.google, "taken")
            let ticket = TicketUse(try await world.ticket(.google, "taken", for: guest))
            #expect(try await world.call(Endpoints.forceMapping, ticket, by: guest).status == 200)
            _ = try await world.run(RestoreMember(user: taken.user, provider: nil), reason: "asked")
            let again = try await world.guestPlayer(guest.device)
            #expect(again.user == guest.user)
            return ([other, guest, taken], [again, try await world.logIn(.google, "taken")])
        default:
            // The last identity moves away and is restored.
            let frozen = try await world.logIn(.apple, "frozen")
            let guest = try await world.guestPlayer()
            let ticket = TicketUse(try await world.ticket(.apple, "frozen", for: guest))
            #expect(try await world.call(Endpoints.forceMapping, ticket, by: guest).status == 200)
            _ = try await world.run(RestoreMember(user: frozen.user, provider: nil), reason: "asked")
            let again = try await world.logIn(.apple, "frozen")
            #expect(again.user == frozen.user)
            return ([frozen], [again])
        }
        let again = try await world.logIn(.facebook, "alice")
        #expect(again.user == stays.user)
        return ([ends], [stays, again])
    }

    private static func member(_ story: Story, in world: World) async throws -> ([Player], [Player]) {
        guard story != .transferred else {
            let guest = try await world.guestPlayer()
            let there = TestDevice()
            // The guest moves to the other device and back.
            var login = try await world.redeem(world.issue(for: guest), on: there).decoded(as: Login.self)
            let away = Player(device: there, login: login)
            login = try await world.redeem(world.issue(for: away), on: guest.device).decoded(as: Login.self)
            #expect(login.member.userId == guest.user)
            return ([guest, away], [Player(device: guest.device, login: login)])
        }
        let provider: Provider = story == .consentRevoked ? .apple : .google
        let logIn = { @Sendable (world: World) in
            let device = TestDevice()
            let login = try await world.call(
                Endpoints.logIn, world.idps.credential(provider, for: "alice"), by: device
            ).decoded(as: Login.self)
            return Player(device: device, login: login)
        }
        let player = try await logIn(world)
        switch story {
        case .consentRevoked:
            let (headers, body) = try world.idps.signal(provider, "consent-revoked", of: "alice")
            let path = Endpoints.path(Endpoints.signal, of: provider, app: World.app)
            let call = TestCall(path: path, headers: headers, body: String(decoding: body, as: UTF8.self))
            #expect(try await world.send(call).status == 200)
        case .banned:
            _ = try await world.run(BanMembers([player.user], until: nil), reason: "x")
            _ = try await world.run(ReleaseBans(users: [player.user]), reason: "appeal")
        case .kickedOut:
            try await world.run(KickOut(user: player.user, message: [:]))
        default:
            try await world.run(KickOut(user: nil, message: [:]))
        }
        // This login is on a node that knows of the kick-out.
        let lives = Lives()
        try await world.onSecondNode { lives.add(try await logIn($0)) }
        return ([player], lives.players)
    }

    private final class Lives: Sendable {
        private let list = Mutex<[Player]>([])

        var players: [Player] { list.withLock { $0 } }
        func add(_ player: Player) { list.withLock { $0.append(player) } }
    }

    @Test(
        "SES-5, LNK-1: a login in the moment in which its mapping is removed does not outlive it",
        arguments: Engine.available)
    func loginAgainstRemoval(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            try await world.onSecondNode { second in
                let players = try await together(20) { number in
                    try await world.mapped(.facebook, "f-\(number)", to: world.logIn(.google, "g-\(number)"))
                }
                let logins = try await together(40) { number -> Player? in
                    let player = players[number / 2]
                    guard number % 2 == 0 else {
                        let removal = MappingRemoval(provider: .facebook)
                        #expect(try await second.call(Endpoints.removeMapping, removal, by: player).status == 200)
                        return nil
                    }
                    return try await world.logIn(.facebook, "f-\(number / 2)")
                }
                let server = GameServer(world)
                for (player, login) in zip(players, logins.compactMap(\.self)) where login.user == player.user {
                    // This session is older than the removal. The mapping is restored, the session is not.
                    _ = try await world.mapped(.facebook, "f-\(player.user)", to: player)
                    try await server.poll()
                    #expect(try !server.accepts(login))
                    #expect(try await world.checkToken(login.access).reason == "identity_removed")
                    #expect(try await second.refresh(login.device, login.login.session.refreshToken).code == 3011)
                }
                try await world.expectInvariants()
            }
        }
    }

    @Test("SES-5: sessions of before the update live on, and don't come back either", arguments: Engine.available)
    func update(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let stays = try await world.mapped(.facebook, "alice", to: world.logIn(.google, "alice"))
            let ended = try await world.logIn(.facebook, "alice")
            let gone = try await world.logIn(.apple, "gone")
            try await world.database.transact { tx in
                for table in ["identities", "sessions"] {
                    try tx.execute(SQL(stringLiteral: "UPDATE \(table) SET link = 0"))
                }
                // A removal by a server of the previous version leaves this state.
                try tx.execute("DELETE FROM identities WHERE idp = 'facebook'")
                try tx.execute("UPDATE members SET version = version + 1 WHERE user_id = \(stays.user)")
            }
            for player in [stays, gone] { #expect(try await world.checkToken(player.access).status == 200) }
            #expect(try await world.checkToken(ended.access).reason == "identity_removed")
            _ = try await world.mapped(.facebook, "alice", to: stays)
            #expect(try await world.checkToken(ended.access).reason == "identity_removed")
            #expect(try await world.refresh(ended.device, ended.login.session.refreshToken).code == 3011)
        }
    }

    @Test("SES-5: sessions whose mapping was removed make room for others", arguments: Engine.available)
    func room(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.run(ChangeLimits { $0.liveSessions = 3 })
            world.clock.advance(seconds: 2)
            let stays = try await world.mapped(.facebook, "alice", to: world.logIn(.google, "alice"))
            for _ in 0..<2 { _ = try await world.logIn(.facebook, "alice") }
            _ = try await world.call(Endpoints.removeMapping, MappingRemoval(provider: .facebook), by: stays)
            let others = [try await world.logIn(.google, "alice"), try await world.logIn(.google, "alice")]
            for player in [stays] + others { #expect(try await world.checkToken(player.access).status == 200) }
        }
    }
}
