import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// A member's sessions: lists, and ends of single ones.
@Suite struct DeviceActionTests {
    /// A person on two devices.
    private func twoDevices(_ core: TestCore) async throws -> (phone: Player, tablet: Player) {
        let phone = try await core.player("alice")
        core.clock.advance(seconds: 60)
        return (phone, try await core.player("alice", on: "tablet"))
    }

    private func id(_ player: Player) async throws -> SessionID {
        try await player.run(ListOwnSessions()).sessions.first { $0.isCurrent }?.sessionId ?? SessionID("none")
    }

    // MARK: Lists

    @Test("SES-11: a player's list has each session with its begin and its last use, and says which one asks")
    func list() async throws {
        try await TestCore.open { core in
            let (phone, tablet) = try await twoDevices(core)
            let begin = core.clock.now.milliseconds
            core.clock.advance(seconds: 600)
            let token = phone.login.session.refreshToken
            try await phone.device.holder(of: token).run(RefreshSession())
            let list = try await tablet.run(ListOwnSessions())
            #expect(list.isComplete)
            #expect(list.sessions.map(\.isCurrent) == [true, false])
            #expect(list.sessions.map(\.beginDate) == [begin, begin - 60_000])
            #expect(list.sessions.map(\.lastUsedDate) == [begin, begin + 600_000])
            #expect(list.sessions.map(\.provider) == [.naver, .naver])
            #expect(try await phone.run(ListOwnSessions()).sessions.map(\.isCurrent) == [false, true])
            #expect(core.callLog.counts[.sessionEndedElsewhere] == nil)
        }
    }

    @Test("SES-11: sessions that are over are not listed, whatever has ended them")
    func over() async throws {
        try await TestCore.open { core in
            let (phone, tablet) = try await twoDevices(core)
            _ = try await core.player("bob", on: "console")
            try await phone.device.holder(of: phone.login.session.refreshToken).run(LogOut())
            #expect(try await tablet.run(ListOwnSessions()).sessions.count == 1)
            _ = try await tablet.addMapping(.twitter, of: "alice")
            let other = try await core.device("pc").logIn(FakePeople.credential(.twitter, of: "alice"))
            #expect(try await other.run(ListOwnSessions()).sessions.count == 2)
            try await tablet.run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
            #expect(try await tablet.run(ListOwnSessions()).sessions.map(\.isCurrent) == [true])
            // Without a use, a session is over after ninety days.
            core.clock.advance(days: 91)
            let next = try await core.player("alice", on: "new")
            #expect(try await next.run(ListOwnSessions()).sessions.count == 1)
            _ = try await core.gameServer().run(KickOut(user: nil, message: [:]))
            core.clock.advance(seconds: 4)
            let last = try await core.player("alice", on: "newest")
            #expect(try await last.run(ListOwnSessions()).sessions.count == 1)
        }
    }

    @Test("SES-11: a long list is told in parts to a game server, and a player's has its own session in any case")
    func long() async throws {
        try await TestCore.open { core in
            try await core.changeLimits { $0.liveSessions = 0 }
            let oldest = try await core.player("alice")
            for number in 1...DeviceRules.limit {
                core.clock.advance(seconds: 1)
                _ = try await core.player("alice", on: "device\(number)")
            }
            let own = try await oldest.run(ListOwnSessions())
            #expect(!own.isComplete)
            #expect(own.sessions.count == DeviceRules.limit + 1)
            #expect(own.sessions.last?.isCurrent == true)
            let server = core.gameServer([.profile])
            let first = try await server.run(
                ListMemberSessions(request: MemberSessionsRequest(userId: oldest.user)))
            #expect(first.sessions.count == DeviceRules.limit)
            let rest = try await server.run(
                ListMemberSessions(request: MemberSessionsRequest(userId: oldest.user, after: first.next)))
            #expect(rest.sessions.map(\.sessionId) == [own.sessions.last?.sessionId])
            #expect(rest.next == nil)
        }
    }

    @Test("A list of a member who is not there is refused with 3003, and a list after nonsense with 3")
    func nobody() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let list = { @Sendable (user: UserID, last: SessionID?) in
                try await core.gameServer().run(
                    ListMemberSessions(request: MemberSessionsRequest(userId: user, after: last)))
            }
            #expect(await refusal { try await list(UserID("nobody"), nil) }?.code == .authNotExistMember)
            let nonsense = SessionID(String(repeating: "x", count: 65))
            #expect(await refusal { try await list(alice.user, nonsense) }?.code == .invalidParameter)
            try await alice.run(Withdraw())
            #expect(await refusal { try await list(alice.user, nil) }?.code == .authNotExistMember)
        }
    }

    // MARK: Ends

    @Test("SES-11: a player ends another session: it is over with its reason, is told once, and the own goes on")
    func end() async throws {
        try await TestCore.open { core in
            let (phone, tablet) = try await twoDevices(core)
            let id = try await id(phone)
            core.callLog.clear()
            for _ in 0..<2 { try await tablet.run(EndOwnSession(session: id), once: "key-00001") }
            #expect(await refusal { try await phone.run(SendHeartbeat()) }?.reason == .endedElsewhere)
            #expect(try await tablet.isLoggedIn)
            // A device that is logged out no longer has a say.
            let own = try await self.id(tablet)
            for refused in [
                await refusal { try await phone.run(EndOwnSession(session: own)) },
                await refusal { try await phone.run(EndOtherSessions()) },
                await refusal { try await phone.run(ListOwnSessions()) },
            ] {
                #expect(refused?.reason == .endedElsewhere)
            }
            #expect(try await core.history(of: tablet.user) == [.memberCreated, .sessionEndedElsewhere])
            let lines = core.callLog.lines(.sessionEndedElsewhere)
            #expect(lines.map { $0.subject["sessionId"] } == [id.rawValue])
            #expect(core.callLog.counts[.sessionEndedElsewhere] == 1)
            // Only moderation has records there.
            #expect(try await core.records().isEmpty)
        }
    }

    @Test("SES-11: what a player may not end is refused, and whose session it is makes no difference")
    func refusals() async throws {
        try await TestCore.open { core in
            let (phone, tablet) = try await twoDevices(core)
            let bob = try await core.player("bob", on: "console")
            let (ended, foreign, own) = (try await id(phone), try await id(bob), try await id(tablet))
            try await tablet.run(EndOwnSession(session: ended))
            core.callLog.clear()
            let unknown = await refusal { try await tablet.run(EndOwnSession(session: SessionID("unknown"))) }
            #expect(unknown?.code == .invalidParameter)
            #expect(unknown?.reason == .sessionUnknown)
            for id in [ended, foreign, SessionID(""), SessionID("'; --")] {
                #expect(await refusal { try await tablet.run(EndOwnSession(session: id)) } == unknown)
            }
            let refused = await refusal { try await tablet.run(EndOwnSession(session: own)) }
            #expect(refused?.code == .invalidParameter)
            #expect(refused?.reason == .ownSession)
            #expect(try await tablet.isLoggedIn)
            #expect(try await bob.isLoggedIn)
            #expect(core.callLog.counts.isEmpty)
        }
    }

    @Test("SES-11: a player ends all other sessions at once, of whatever provider; without any, nothing is told")
    func endOthers() async throws {
        try await TestCore.open { core in
            let (phone, tablet) = try await twoDevices(core)
            _ = try await tablet.addMapping(.twitter, of: "alice")
            let other = try await core.device("pc").logIn(FakePeople.credential(.twitter, of: "alice"))
            let bob = try await core.player("bob", on: "console")
            for _ in 0..<2 { try await tablet.run(EndOtherSessions()) }
            for ended in [phone, other] {
                #expect(await refusal { try await ended.run(SendHeartbeat()) }?.reason == .endedElsewhere)
            }
            #expect(try await tablet.isLoggedIn)
            #expect(try await bob.isLoggedIn)
            #expect(try await tablet.run(ListOwnSessions()).sessions.map(\.isCurrent) == [true])
            #expect(core.callLog.counts[.otherSessionsEnded] == 1)
            #expect(try await core.history(of: tablet.user).last == .otherSessionsEnded)
        }
    }

    @Test(
        "SES-11: of sessions that end each other at once, on two nodes, exactly one goes on",
        arguments: Engine.available)
    func race(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let second = try core.restarted()
            for round in 0..<5 {
                let one = try await core.player("alice\(round)")
                let there = try await core.player("alice\(round)", on: "tablet")
                let other = Player(device: second.device("tablet"), login: there.login)
                let (ofOne, ofOther) = (try await id(one), try await id(other))
                async let first = code { try await one.run(EndOwnSession(session: ofOther)) }
                let codes = [await code { try await other.run(EndOwnSession(session: ofOne)) }, await first]
                #expect(codes.count { $0 == nil } == 1)
                #expect(codes.count { $0 == .authInvalidGatehouseToken } == 1)
                #expect(try await one.isLoggedIn != other.isLoggedIn)
            }
        }
    }

    @Test("SES-11, INFO-3: sessions beyond what is named one by one end too, and who checks tokens alone learns it")
    func many() async throws {
        try await TestCore.open { core in
            try await core.changeLimits { ($0.liveSessions, $0.changesPerMinute) = (0, 0) }
            let alice = try await core.guest()
            var others: [Player] = []
            for _ in 0..<6 {
                others += try await withThrowingTaskGroup(of: Player.self) { group in
                    for _ in 0..<167 { group.addTask { try await core.guest() } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            core.clock.advance(seconds: 2)
            try await alice.run(EndOtherSessions())
            #expect(try await alice.run(ListOwnSessions()).sessions.map(\.isCurrent) == [true])
            let checker = TokenChecker(core)
            try await checker.poll()
            for other in others { #expect(try await !checker.accepts(other)) }
            // The revocation by provider concerns the token of the session that goes on, until it has another.
            let renewal = try await alice.device.holder(of: alice.login.session.refreshToken).run(RefreshSession())
            #expect(try await checker.accepts(renewal.session.accessToken))
        }
    }

    @Test("SES-11, BAN-5: a game server ends one session of a member, with a name for the audit log")
    func kickOut() async throws {
        try await TestCore.open { core in
            let (phone, tablet) = try await twoDevices(core)
            let bob = try await core.player("bob", on: "console")
            let (mine, foreign) = (try await id(phone), try await id(bob))
            let server = core.gameServer([.moderate])
            let end = { @Sendable (session: SessionID, user: UserID, caller: Caller) in
                try await caller.run(EndMemberSession(session: session, of: user), once: "key-\(session)")
            }
            for _ in 0..<2 { _ = try await end(mine, phone.user, server) }
            #expect(await refusal { try await phone.run(SendHeartbeat()) }?.reason == .kickedOut)
            #expect(try await tablet.isLoggedIn)
            #expect(try await core.records().map(\.event) == ["session.kicked-out"])
            #expect(core.callLog.counts[.sessionKickedOut] == 1)
            #expect(await refusal { try await end(foreign, phone.user, server) }?.reason == .sessionUnknown)
            #expect(await refusal { try await end(foreign, UserID("nobody"), server) }?.code == .authNotExistMember)
            let nameless = core.gameServer([.moderate], name: "")
            #expect(await refusal { try await end(foreign, bob.user, nameless) }?.code == .invalidParameter)
            #expect(try await bob.isLoggedIn)
        }
    }
}
