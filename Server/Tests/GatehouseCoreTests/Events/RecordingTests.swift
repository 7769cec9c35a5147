import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import Synchronization
import Testing

@testable import GatehouseCore

/// One change is one row of the ledger, one record where it is audited, one line and one count: after the commit, and of the run that was
/// committed.
@Suite struct RecordingTests {
    private struct Failure: Error {}

    /// Work of an operator on the app.
    private func work(_ core: TestCore, once: CallIdentity = .never) async throws -> Work {
        Work(
            services: core.services, actor: .operator("mia", reason: "cheats"), once: once,
            context: try await core.context())
    }

    @Test("A change has one row, one record, one line and one count, and all have the same id")
    func oneChange() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            core.callLog.clear()
            try await core.ban([alice.user])
            let entries = try await core.ledger(of: alice.user).filter { $0.event == .banned }
            #expect(entries.count == 1)
            #expect(try await core.records().map(\.id) == entries.map(\.id))
            #expect(core.callLog.events == ["member.banned"])
            #expect(core.callLog.lines.map { $0.subject["auditId"] } == entries.map(\.id))
            #expect(core.callLog.counts == [.banned: 1])
        }
    }

    @Test("A line says who, for whom, through which door and from where, and an operator's reason only the ledger")
    func line() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await core.ban([alice.user])
            let line = try #require(core.callLog.lines(.banned).first)
            #expect(line.app == TestCore.app)
            #expect(line.actor == .gameServer)
            #expect(line.address == "192.0.2.1")
            #expect(line.subject["userId"] == alice.user.rawValue)
            #expect(line.subject["by"] == "game-1")
            #expect(!line.subject.values.contains("cheats"))
            #expect(try await core.ledger(of: alice.user).last?.origin.reason == "cheats")
            #expect(try await core.records().last?.origin.reason == nil)
        }
    }

    @Test("A login that changes nothing has a line and a count, and no row")
    func returningLogin() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let entries = try await core.ledger(of: alice.user)
            #expect(core.callLog.lines.map { $0.subject["auditId"] } == entries.map(\.id))
            core.callLog.clear()
            _ = try await core.player("alice")
            #expect(core.callLog.events == ["member.logged-in"])
            #expect(core.callLog.counts == [.loggedIn: 1])
            #expect(core.callLog.lines.first?.subject["auditId"] == nil)
            #expect(try await core.history(of: alice.user) == [.memberCreated])
            #expect(try await core.records().isEmpty)
        }
    }

    @Test("A transaction that fails tells nothing, whether its body throws or a constraint refuses its commit")
    func failed() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            core.callLog.clear()
            await #expect(throws: Failure.self) {
                try await work(core).transact { change, tx in
                    try change.record(.kickedOut, of: alice.user, in: tx)
                    throw Failure()
                }
            }
            // A proof that was used is found out by its row, after the body.
            let caller = try await alice.caller
            let proof = Caller.proof(by: alice.device.key, at: core.clock.now)
            _ = try await caller.run(RequestWithdrawal(), proof: proof)
            core.callLog.clear()
            #expect(await code { try await caller.run(CancelWithdrawal(), proof: proof) } != nil)
            #expect(core.callLog.lines.isEmpty)
            #expect(core.callLog.counts.isEmpty)
            #expect(try await core.history(of: alice.user) == [.memberCreated, .withdrawalRequested])
            #expect(try await core.records().map(\.event) == ["withdrawal.requested"])
        }
    }

    @Test("A body that runs again after a conflict tells what its last run has done, once")
    func replayed() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            for isDecision in [true, false] {
                let before = try await core.ledger(of: alice.user).count
                core.callLog.clear()
                let runs = Mutex(0)
                let body: @Sendable (Change, Draft) throws -> Void = { change, tx in
                    let run = runs.withLock { runs in
                        runs += 1
                        return runs
                    }
                    try change.record(.transferBlocked(attempts: run), of: alice.user, in: tx)
                    #expect(core.callLog.lines.isEmpty)
                    if run == 1 { throw StorageError.conflict }
                }
                let work = try await work(core)
                if isDecision { try await work.decide(body) } else { try await work.transact { try body($0, $1) } }
                #expect(runs.withLock { $0 } == 2)
                #expect(core.callLog.lines.map { $0.subject["attempts"] } == ["2"])
                #expect(core.callLog.counts == [.transferBlocked: 1])
                #expect(try await core.ledger(of: alice.user).count == before + 1)
            }
        }
    }

    // MARK: Repeated calls

    /// A call that changes an account: what prepares it, and the call itself with its idempotency key.
    struct Call: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Returns the call, and the member that it is about, if that is known before.
        let prepare: @Sendable (TestCore) async throws -> (call: @Sendable () async throws -> Void, user: UserID?)
    }

    static let calls = [
        Call(testDescription: "a guest's first login") { core in
            ({ _ = try await core.device("phone").logIn(once: "1") }, nil)
        },
        Call(testDescription: "a guest's later login") { core in
            let guest = try await core.guest("phone")
            return ({ _ = try await core.device("phone").logIn(once: "1") }, guest.user)
        },
        Call(testDescription: "a login with a provider") { core in
            let credential = FakePeople.credential(.naver, of: "alice")
            return ({ _ = try await core.device("phone").logIn(credential, once: "1") }, nil)
        },
        Call(testDescription: "a guest's mapping") { core in
            let guest = try await core.guest("phone")
            let action = AddMapping(credential: FakePeople.credential(.naver, of: "alice"))
            return ({ try await guest.run(action, once: "1") }, guest.user)
        },
        Call(testDescription: "a second mapping") { core in
            let alice = try await core.player("alice")
            let action = AddMapping(credential: FakePeople.credential(.twitter, of: "alice"))
            return ({ try await alice.run(action, once: "1") }, alice.user)
        },
        Call(testDescription: "a forced mapping") { core in
            _ = try await core.player("alice", .twitter, on: "tablet")
            let bob = try await core.player("bob")
            let ticket = try #require(try await bob.ticket(for: .twitter, of: "alice"))
            return ({ try await bob.run(ForceMapping(ticket: ticket), once: "1") }, bob.user)
        },
        Call(testDescription: "a change of login") { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let bob = try await core.player("bob")
            let ticket = try #require(try await bob.ticket(for: .twitter, of: "alice"))
            return ({ try await bob.run(ChangeLogin(ticket: ticket), once: "1") }, alice.user)
        },
        Call(testDescription: "an issued transfer account") { core in
            let guest = try await core.guest("phone")
            return ({ try await guest.run(IssueTransferAccount(), once: "1") }, guest.user)
        },
        Call(testDescription: "a redeemed transfer account") { core in
            let guest = try await core.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            let redemption = TransferRedemption(id: account.id, password: account.password ?? "none")
            let tablet = core.device("tablet").caller
            return ({ try await tablet.run(RedeemTransferAccount(redemption: redemption), once: "1") }, guest.user)
        },
        Call(testDescription: "a withdrawal at once") { core in
            let alice = try await core.player("alice")
            return ({ try await alice.run(Withdraw(), once: "1") }, alice.user)
        },
        Call(testDescription: "a requested withdrawal") { core in
            let alice = try await core.player("alice")
            return ({ try await alice.run(RequestWithdrawal(), once: "1") }, alice.user)
        },
        Call(testDescription: "a ban") { core in
            let alice = try await core.player("alice")
            return ({ try await core.ban([alice.user], once: "1") }, alice.user)
        },
        Call(testDescription: "a kick-out") { core in
            let alice = try await core.player("alice")
            return (
                { try await core.gameServer().run(KickOut(user: alice.user, message: [:]), once: "1") }, alice.user
            )
        },
    ]

    /// Everything that was told: rows, records, lines and counts.
    private struct PendingEvents: Equatable {
        let rows: Int
        let records: Int
        let lines: [AuditLog.Entry]
        let counts: [EventName: Int]
    }

    private func told(_ core: TestCore) async throws -> PendingEvents {
        let rows = try await core.database.rows("SELECT COUNT(*) FROM ledger") { row in try row[0] as Int }
        return PendingEvents(
            rows: rows.first ?? 0, records: try await core.records().count, lines: core.callLog.lines,
            counts: core.callLog.counts)
    }

    @Test("LOGIN-13: a call that is repeated with its idempotency key tells nothing twice", arguments: calls)
    func repeated(_ call: Call) async throws {
        try await TestCore.open { core in
            let (perform, user) = try await call.prepare(core)
            core.callLog.clear()
            try await perform()
            let first = try await told(core)
            #expect(!first.lines.isEmpty)
            #expect(user == nil || first.lines.contains { $0.subject["userId"] == user?.rawValue })
            #expect(first.counts.values.reduce(0, +) == first.lines.count)
            for _ in 1...2 { try await perform() }
            // Another process has seen no call yet: what makes it once is in the database.
            #expect(try await told(core) == first)
        }
    }
}
