import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Mappings that are in each other's way: each happens as a whole or not at all.
@Suite struct MappingRaceTests {
    /// The codes of calls that run at the same time; nil for one that succeeds.
    private func codes(_ calls: [@Sendable () async throws -> Void]) async -> [ErrorCode?] {
        await withTaskGroup(of: ErrorCode?.self) { group in
            for call in calls { group.addTask { await code { try await call() } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    // MARK: On two nodes

    @Test("LNK-1, MAP-10: many first logins of one person at once make one member", arguments: Engine.available)
    func oneMember(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let users = try await together(8) { number in
                try await (number % 2 == 0 ? core : second).player("alice", on: "device\(number)").user
            }
            #expect(Set(users).count == 1)
            let counts = core.callLog.counts.merging(second.callLog.counts) { $0 + $1 }
            #expect(counts == [.memberCreated: 1, .loggedIn: 7])
        }
    }

    @Test(
        "LNK-1, MAP-10: of twenty identities of one provider that are mapped at once, a member gets one",
        arguments: Engine.available)
    func onePerProvider(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let alice = try await core.player("alice")
            let codes = try await together(20) { number in
                await code {
                    try await alice.on(number % 2 == 0 ? core : second).addMapping(.twitter, of: "person\(number)")
                }
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == .authAddMappingAlreadyHasSameIDP } == 19, "\(codes)")
            #expect(try await core.member(alice.user).mappings.map(\.provider) == [.naver, .twitter])
        }
    }

    @Test(
        "LNK-1, MAP-10: an identity that fifty members map at once is one member's, and the others get tickets",
        arguments: Engine.available)
    func oneIdentity(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let players = try await together(50) { number in
                try await (number % 2 == 0 ? core : second).guest("device\(number)")
            }
            let codes = try await together(50) { number in
                await code { try await players[number].addMapping(.twitter, of: "shared") }
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == .authAddMappingAlreadyMappedToOtherMember } == 49, "\(codes)")
            let winner = try #require(codes.firstIndex { $0 == nil })
            #expect(try await core.player("shared", .twitter, on: "console").user == players[winner].user)
            try await core.expectInvariants()
        }
    }

    @Test(
        "LNK-4, MAP-10: of a member's last two mappings that are removed at once, one stays",
        arguments: Engine.available)
    func bothRemovals(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            for round in 0..<10 {
                let phone = try await core.player("alice\(round)")
                _ = try await phone.addMapping(.twitter, of: "alice\(round)")
                let tablet = try await second.player("alice\(round)", .twitter, on: "tablet")
                let results = await codes([
                    { try await phone.run(RemoveMapping(removal: MappingRemoval(provider: .twitter))) },
                    { try await tablet.run(RemoveMapping(removal: MappingRemoval(provider: .naver))) },
                ])
                #expect(results.count { $0 == nil } == 1)
                #expect(try await core.member(phone.user).mappings.count == 1)
            }
            try await core.expectInvariants()
        }
    }

    // MARK: Tickets

    @Test("LNK-2, MAP-10: of two uses of one ticket at once, one counts")
    func oneTicket() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let bob = try await core.player("bob")
            let ticket = try #require(try await bob.ticket(for: .twitter, of: "alice"))
            let results = await codes([
                { try await bob.run(ForceMapping(ticket: ticket)) },
                { try await bob.run(ForceMapping(ticket: ticket)) },
            ])
            #expect(Set(results) == [nil, .authAddMappingForciblyAlreadyUsedKey])
            #expect(try await core.history(of: alice.user) == [.memberCreated, .mappingMovedAway, .memberFrozen])
        }
    }

    @Test("LNK-3: a forced mapping that is refused changes neither member, and leaves its ticket as it was")
    func refusedForce() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let bob = try await core.player("bob")
            let ticket = try #require(try await bob.ticket(for: .twitter, of: "alice"))
            @Sendable func force() async throws { try await bob.run(ForceMapping(ticket: ticket)) }
            func expectNoChange() async throws {
                #expect(try await core.member(alice.user).mappings.map(\.provider) == [.twitter])
                #expect(try await core.member(bob.user).mappings.map(\.provider) == [.naver])
                #expect(try await core.history(of: bob.user) == [.memberCreated])
                #expect(try await bob.isLoggedIn)
            }
            try await core.ban([alice.user])
            #expect(await code { try await force() } == .bannedMember)
            try await expectNoChange()
            try await core.gameServer().run(ReleaseBans(users: [alice.user]))
            try await core.operator().run(SetStatus(status: .maintenance, message: [:]))
            #expect(await code { try await force() } == .authNotPlayable)
            try await core.operator().run(SetStatus(status: .inService, message: [:]))
            try await expectNoChange()
            // A member that has got another identity of the provider meanwhile can't take this one.
            _ = try await bob.addMapping(.twitter, of: "bob")
            #expect(await code { try await force() } == .authAddMappingAlreadyHasSameIDP)
            try await bob.run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
            try await force()
            #expect(try await core.member(bob.user).mappings.map(\.provider) == [.naver, .twitter])
            #expect(try await core.member(alice.user).status == .missing)
        }
    }

    @Test("LNK-3, MAP-7: a ticket for an identity that has moved on moves nothing, and logs in nobody")
    func movedOn() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let (first, second) = (try await core.guest("phone"), try await core.guest("console"))
            let ticket = try #require(try await first.ticket(for: .twitter, of: "alice"))
            let late = try #require(try await second.ticket(for: .twitter, of: "alice"))
            try await first.run(ForceMapping(ticket: ticket))
            let before = try await core.history(of: alice.user)
            for _ in 1...2 {
                #expect(
                    await code { try await second.run(ForceMapping(ticket: late)) }
                        == .authAddMappingForciblyDifferentAuthKey)
                #expect(
                    await code { try await second.run(ChangeLogin(ticket: late)) }
                        == .authAddMappingForciblyDifferentAuthKey)
            }
            #expect(try await core.history(of: alice.user) == before)
            #expect(try await core.history(of: second.user) == [.memberCreated])
            #expect(try await second.isLoggedIn)
            #expect(try await core.guest("console").user == second.user)
            #expect(try await core.player("alice", .twitter, on: "tablet").user == first.user)
        }
    }

    @Test("LNK-2, MAP-6: in the last second of its ten minutes a ticket still counts")
    func lastSecond() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let (bob, carol) = (try await core.player("bob"), try await core.player("carol", on: "console"))
            let tickets = [
                try #require(try await bob.ticket(for: .twitter, of: "alice")),
                try #require(try await carol.ticket(for: .twitter, of: "alice")),
            ]
            core.clock.advance(seconds: 599)
            #expect(try await bob.run(ChangeLogin(ticket: tickets[0])).member.userId == alice.user)
            core.clock.advance(seconds: 1)
            let late = await code { try await carol.run(ChangeLogin(ticket: tickets[1])) }
            #expect(late == .authAddMappingForciblyExpiredKey)
        }
    }

    @Test("LNK-2, WDR-3: a ticket ends with each of its members")
    func withdrawn() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let bob = try await core.player("bob")
            let ticket = try #require(try await bob.ticket(for: .twitter, of: "alice"))
            try await alice.run(Withdraw())
            let code = await code { try await bob.run(ForceMapping(ticket: ticket)) }
            #expect(code == .authAddMappingForciblyNotExistKey)
            #expect(try await bob.addMapping(.twitter, of: "alice").provider == .naver)
        }
    }

    @Test("MAP-4: a guest's other sessions end with its first mapping, and the one that maps goes on")
    func otherSessions() async throws {
        try await TestCore.open { core in
            let (first, second) = (try await core.guest(), try await core.guest())
            #expect(try await second.addMapping(.naver, of: "alice").provider == .naver)
            #expect(await refusal { try await first.run(SendHeartbeat()) }?.reason == .identityRemoved)
            #expect(try await second.isLoggedIn)
        }
    }

    @Test("MAP-6: in the last second of the restore window an operator can still restore a member")
    func restoreWindow() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let guest = try await core.guest()
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            try await guest.run(ForceMapping(ticket: ticket))
            core.clock.advance(seconds: 30 * 86_400 - 1)
            let restoration = try await core.operator().run(RestoreMember(user: alice.user, provider: nil))
            #expect(restoration == Restoration(provider: .twitter, other: guest.user, outcome: .isGuestAgain))
            #expect(try await core.member(alice.user).status == .normal)
        }
    }
}
