import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

@Suite struct WithdrawalActionTests {
    @Test("WITHDRAW-1, WDR-1: a withdrawal takes effect at once, and the identity makes a new member")
    func now() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await alice.run(Withdraw())
            #expect(try await core.member(alice.user).status == .withdrawn)
            #expect(try await core.member(alice.user).mappings.isEmpty)
            #expect(try await !alice.isLoggedIn)
            #expect(try await core.player("alice").user != alice.user)
            let entry = try #require(try await core.ledger(of: alice.user).last)
            #expect(entry.details == ["event": "WAA"] && entry.origin.actor == .player)
            let again = WithdrawMember(user: alice.user)
            #expect(await code { try await core.operator().run(again) } == .authNotExistMember)
            let bob = try await core.player("bob", on: "tablet")
            try await bob.run(RequestWithdrawal())
            try await core.operator().run(WithdrawMember(user: bob.user))
            let other = try #require(try await core.ledger(of: bob.user).last)
            #expect(other.details == ["event": "WACS"] && other.origin.reason == "cheats")
        }
    }

    @Test("WITHDRAW-2, WDR-2: a requested withdrawal can be cancelled until its end, and requested again")
    func cancel() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            #expect(await code { try await alice.run(CancelWithdrawal()) } == .authWithdrawNotTemporaryWithdraw)
            let pending = try await alice.run(RequestWithdrawal())
            #expect(pending.member.status == .pendingWithdrawal)
            #expect(await code { try await alice.run(RequestWithdrawal()) } == .authWithdrawAlreadyTemporaryWithdraw)
            #expect(pending.member.temporaryWithdrawal?.gracePeriodDate == core.clock.in(seconds: 7 * 86_400))
            let back = try await alice.run(CancelWithdrawal()).member
            #expect(back.status == .normal && back.temporaryWithdrawal == nil)
            core.clock.advance(days: 8)
            try await core.sweep()
            let again = try await core.player("alice")
            #expect(again.user == alice.user)
            _ = try await again.run(RequestWithdrawal())
            #expect(
                try await core.history(of: alice.user)
                    == [.memberCreated, .withdrawalRequested, .withdrawalCancelled, .withdrawalRequested])
        }
    }

    @Test("WITHDRAW-2: the grace period is the app's, from 1 to 30 days")
    func graceDays() async throws {
        try await TestCore.open { core in
            for days in [0, 31, -1] {
                let change = SetAccountPolicy { $0.withdrawalGraceDays = days }
                #expect(await code { try await core.operator().run(change) } != nil)
            }
            try await core.operator().run(SetAccountPolicy { $0.withdrawalGraceDays = 30 })
            let member = try await core.guest("phone").run(RequestWithdrawal()).member
            #expect(member.temporaryWithdrawal?.gracePeriodDate == core.clock.in(seconds: 30 * 86_400))
        }
    }

    @Test("WITHDRAW-2, WITHDRAW-3: after the grace period the next call finds the member withdrawn, by the clock")
    func grace() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            _ = try await alice.run(RequestWithdrawal())
            core.clock.advance(days: 7)
            let resuming = alice.device.holder(of: alice.login.session.refreshToken)
            #expect(await code { try await resuming.run(LogInWithLastProvider()) } == .authTokenLoginInvalidTokenInfo)
            #expect(try await core.player("alice").user != alice.user)
            let entry = try #require(try await core.ledger(of: alice.user).last)
            #expect(entry.event == .withdrawn)
            #expect(entry.origin.door == .clock)
            #expect(entry.details == ["event": "WAGE"])
            #expect(core.callLog.lines(.withdrawn).count == 1)
        }
    }

    @Test("WITHDRAW-2: a developer's clock that was put forward past a grace period shows a time after its end")
    func developersClock() async throws {
        try await TestCore.open { core in
            let clock = try await DevClock.kept(in: core.database) { core.clock.now }
            let end = core.clock.now.adding(seconds: 7 * 86_400)
            #expect(try await clock.advance(seconds: 7 * 86_400, in: core.services))
            #expect(clock.now == end)
            #expect(try await DevClock.kept(in: core.database) { core.clock.now }.now == end)
            // It goes on with the machine's time.
            core.clock.advance(seconds: 1)
            #expect(clock.now == end.adding(seconds: 1))
            try await clock.reset(in: core.services)
            #expect(clock.now == core.clock.now)
        }
    }

    @Test("WITHDRAW-3: at its end a withdrawal happens by itself, and not before", arguments: Engine.available)
    func swept(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let guest = try await core.guest()
            _ = try await guest.run(RequestWithdrawal())
            core.clock.advance(seconds: 7 * 86_400 - 1)
            try await core.sweep()
            #expect(try await core.member(guest.user).status == .pendingWithdrawal)
            core.clock.advance(seconds: 1)
            try await core.sweep()
            #expect(try await core.member(guest.user).status == .withdrawn)
            #expect(try await core.ledger(of: guest.user).last?.details == ["event": "WAGE"])
            #expect(core.callLog.events.last == "member.withdrawn")
        }
    }

    @Test("WITHDRAW-3: the identity of a member whose deadline has passed is mapped without a conflict")
    func mapped() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", on: "tablet")
            _ = try await alice.run(RequestWithdrawal())
            core.clock.advance(days: 7)
            let guest = try await core.guest()
            #expect(try await guest.addMapping(.naver, of: "alice").member.userId == guest.user)
            #expect(try await core.history(of: alice.user).last == .withdrawn)
        }
    }

    @Test("WITHDRAW-3: one second before its end the member can still play and cancel")
    func beforeTheEnd() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            _ = try await alice.run(RequestWithdrawal())
            core.clock.advance(seconds: 7 * 86_400 - 1)
            let back = try await core.player("alice")
            #expect(back.user == alice.user)
            let standing = back.login.standing
            #expect(standing.isPlayable && standing.reason == .withdrawalPending)
            #expect(standing.untilDate == core.clock.in(seconds: 1) && standing.actions == [.play, .cancelWithdrawal])
            #expect(try await back.run(CancelWithdrawal()).member.status == .normal)
        }
    }

    @Test("WITHDRAW-4: a game server withdraws a member that has a request pending, and names itself")
    func gameServer() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            _ = try await alice.run(RequestWithdrawal())
            let withdrawal = WithdrawMember(user: alice.user)
            #expect(await code { try await core.gameServer(name: "").run(withdrawal) } == .invalidParameter)
            try await core.gameServer().run(withdrawal)
            let entry = try #require(try await core.ledger(of: alice.user).last)
            #expect(entry.details == ["event": "WAES"])
            #expect(entry.origin.name == "game-1")
            #expect(await code { try await core.gameServer().run(withdrawal) } == .authNotExistMember)
            #expect(await refusal { try await core.gameServer().run(withdrawal) }?.reason == .withdrawn)
        }
    }

    @Test("WDR-3, WITHDRAW-5: a withdrawal leaves no row about the person but the history, which names nobody")
    func traces() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let alice = try await core.player("alice", .twitter, on: "tablet")
            try await core.operator().run(AddMemberNote(user: guest.user, text: "asked for help"))
            try await guest.run(IssueTransferAccount())
            try await guest.run(IssueTransferKey(request: TransferKeyRequest(validSeconds: 600)))
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            #expect(
                try await rows(in: ["member_notes", "transfer_accounts", "transfer_keys", "forcing_tickets"], core) == [
                    1, 1, 1, 1,
                ])
            // The move makes former identities: the guest's, and the moved one of the member that had it.
            try await guest.run(ForceMapping(ticket: ticket))
            #expect(try await rows(in: ["former_identities"], core) == [2])
            try await guest.run(Withdraw())
            let tables = [
                "identities", "sessions", "former_identities", "identity_tokens", "forcing_tickets",
                "transfer_accounts",
                "transfer_keys", "member_notes",
            ]
            // The other member's session is its own.
            #expect(try await rows(in: tables, core) == [0, 1, 0, 0, 0, 0, 0, 0])
            #expect(
                await code { try await core.operator().run(RestoreMember(user: alice.user, provider: nil)) }
                    == .invalidParameter)
            for entry in try await core.ledger(of: guest.user) {
                let texts = Array(entry.details.values) + [entry.origin.name, entry.origin.reason].compactMap(\.self)
                #expect(!texts.contains { $0.contains("alice") || $0.contains(guest.device.key.rawValue) })
            }
            #expect(try await core.ledger(of: guest.user).last?.origin.door == .httpAPI)
        }
    }

    /// How many rows each table has.
    private func rows(in tables: [String], _ core: TestCore) async throws -> [Int] {
        var counts: [Int] = []
        for table in tables {
            let statement = SQL(stringLiteral: "SELECT COUNT(*) FROM \(table)")
            counts += try await core.database.rows(statement) { row in try row[0] as Int }
        }
        return counts
    }

    @Test(
        "WDR-2, WITHDRAW-2: in the second of its end a withdrawal is carried out, and its cancellation comes too late")
    func lateCancellation() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            _ = try await alice.run(RequestWithdrawal())
            core.clock.advance(seconds: 7 * 86_400 - 60)
            var login = alice.login
            login.session = try await alice.device.holder(of: login.session.refreshToken).run(RefreshSession()).session
            let late = Player(device: alice.device, login: login)
            core.clock.advance(seconds: 60)
            let refused = await refusal { try await late.run(CancelWithdrawal()) }
            #expect(refused?.code == .authInvalidGatehouseToken)
            #expect(refused?.reason == .withdrawn)
            #expect(try await core.history(of: alice.user) == [.memberCreated, .withdrawalRequested, .withdrawn])
            #expect(core.callLog.counts[.withdrawn] == 1)
        }
    }
}
