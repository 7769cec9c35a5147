import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore

/// A process that ends between a commit and its line loses the line. The next one reports the change.
@Suite struct AuditRecoveryTests {
    private func recovery(_ core: TestCore, node: String = "game.example.com:8080") -> AuditRecovery {
        AuditRecovery(services: core.services, node: node)
    }

    /// A process that has started, and whose clock has moved on since.
    private func start(_ core: TestCore, node: String = "game.example.com:8080") async throws {
        try await recovery(core, node: node).advance(to: core.clock.now)
        core.clock.advance(seconds: 4)
    }

    @Test("After a crash every lost change of players is reported once, from the ledger")
    func players() async throws {
        try await TestCore.open { core in
            try await start(core)
            core.callLog.crash()
            let guest = try await core.guest("phone")
            _ = try await guest.addMapping(.naver, of: "alice")
            let other = try await core.guest("tablet")
            _ = try await other.run(IssueTransferAccount())
            core.clock.advance(seconds: 600)
            let next = try core.restarted()
            #expect(try await recovery(next).recover(at: next.clock.now, isStart: true) == 4)
            let entries = try await core.ledger(of: guest.user) + core.ledger(of: other.user)
            #expect(next.callLog.lines.compactMap { $0.subject["auditId"] } == entries.map(\.id).sorted())
            #expect(next.callLog.lines.allSatisfy { $0.subject["recovered"] == "true" })
            let mapping = try #require(next.callLog.lines(.mappingAdded).first)
            #expect(mapping.subject["idp"] == "naver")
            #expect(mapping.subject["userId"] == guest.user.rawValue)
            #expect(mapping.actor == .player)
            // The events that were lost are reported, and not counted: the metrics are those of this process.
            #expect(next.callLog.counts.isEmpty)
            next.callLog.clear()
            #expect(try await recovery(next).recover(at: next.clock.now, isStart: true) == 0)
            #expect(next.callLog.lines.isEmpty)
        }
    }

    @Test("After a crash bans and withdrawals by the clock are reported once, from the audit log")
    func moderation() async throws {
        try await TestCore.open { core in
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            _ = try await bob.run(RequestWithdrawal())
            core.clock.advance(days: 7)
            try await start(core)
            core.callLog.crash()
            try await core.ban([alice.user])
            let sweeper = Sweeper(services: core.services)
            try await sweeper.sweep()
            let next = try core.restarted()
            try await recovery(next).recover(at: next.clock.now, isStart: true)
            #expect(Set(next.callLog.events) == ["member.banned", "member.withdrawn"])
            #expect(next.callLog.lines.count == 2)
            let ids = try await [core.ledger(of: alice.user), core.ledger(of: bob.user)].compactMap(\.last?.id)
            #expect(Set(next.callLog.lines.compactMap { $0.subject["auditId"] }) == Set(ids))
            #expect(next.callLog.lines.allSatisfy { $0.subject["recovered"] == "true" })
        }
    }

    @Test("After a crash a redeemed transfer account is reported, whose proof was used up by its first transaction")
    func redemption() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            core.clock.advance(days: 1)
            try await start(core)
            core.callLog.crash()
            let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
            try await core.device("tablet").caller.run(RedeemTransferAccount(redemption: redemption))
            let next = try core.restarted()
            try await recovery(next).recover(at: next.clock.now, isStart: true)
            #expect(next.callLog.events == ["transfer.redeemed"])
        }
    }

    @Test("After a crash a change without any proof is reported: by a provider's report, a job or a game server")
    func changesWithoutProof() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let guest = try await core.guest("tablet")
            let account = try await guest.run(IssueTransferAccount())
            core.clock.advance(days: 1)
            try await start(core)
            core.callLog.crash()
            let wrong = TransferRedemption(id: account.id, password: "wrong")
            for _ in 1...5 {
                _ = await code { try await core.gameServer().run(ValidateTransferAccount(redemption: wrong)) }
            }
            let work = try await core.services.work(in: core.context().app, at: core.clock.now)
            try await work.transact { change, tx in
                try change.record(.tokensRevoked(.naver), of: alice.user, in: tx)
            }
            let next = try core.restarted()
            try await recovery(next).recover(at: next.clock.now, isStart: true)
            #expect(Set(next.callLog.events) == ["transfer.blocked", "idp-tokens.revoked"])
        }
    }

    @Test("What was told long before the crash is not reported again")
    func toldBefore() async throws {
        try await TestCore.open { core in
            _ = try await core.guest("phone")
            core.clock.advance(seconds: 120)
            try await start(core)
            core.callLog.crash()
            let lost = try await core.guest("tablet")
            let next = try core.restarted()
            try await recovery(next).recover(at: next.clock.now, isStart: true)
            #expect(next.callLog.lines.map { $0.subject["userId"] } == [lost.user.rawValue])
        }
    }

    @Test("A node that has stopped in order has nothing to report again, and the first start of all neither")
    func orderlyStop() async throws {
        try await TestCore.open { core in
            let process = recovery(core)
            #expect(try await process.recover(at: core.clock.now, isStart: true) == 0)
            try await process.advance(to: core.clock.now)
            core.clock.advance(seconds: 4)
            _ = try await core.guest("phone")
            try await process.stop()
            let next = try core.restarted()
            #expect(try await recovery(next).recover(at: next.clock.now, isStart: true) == 0)
            #expect(next.callLog.lines.isEmpty)
        }
    }

    @Test("A node leaves the row of another one alone until it has been silent for a minute, and takes it over once")
    func otherNodes() async throws {
        try await TestCore.open { core in
            try await start(core, node: "other")
            core.callLog.crash()
            let lost = try await core.guest("phone")
            let node = try core.restarted()
            core.clock.advance(seconds: AuditRecovery.lostAfterSeconds - 4)
            #expect(try await recovery(node).recover(at: core.clock.now, isStart: true) == 0)
            core.clock.advance(seconds: 1)
            #expect(try await recovery(node).recover(at: core.clock.now, isStart: false) == 1)
            #expect(node.callLog.lines.map { $0.subject["userId"] } == [lost.user.rawValue])
            #expect(try await recovery(node).recover(at: core.clock.now, isStart: false) == 0)
        }
    }

    @Test("A running node does not take its own row for that of a crash")
    func ownRow() async throws {
        try await TestCore.open { core in
            let process = recovery(core)
            try await process.advance(to: core.clock.now)
            _ = try await core.guest("phone")
            core.clock.advance(seconds: 600)
            #expect(try await process.recover(at: core.clock.now, isStart: false) == 0)
        }
    }

    @Test("A node reports again what it could not write, until it can")
    func lostLines() async throws {
        try await TestCore.open { core in
            let lost = Atomic(0)
            let process = AuditRecovery(services: core.services, node: "game") { lost.load(ordering: .relaxed) }
            var progress = AuditRecovery.Progress()
            #expect(try await process.follow(&progress, at: core.clock.now) == 0)
            core.clock.advance(seconds: 60)
            #expect(try await process.follow(&progress, at: core.clock.now) == 0)
            core.callLog.crash()
            let guest = try await core.guest("phone")
            lost.add(1, ordering: .relaxed)
            core.clock.advance(seconds: 5)
            core.callLog.clear()
            #expect(try await process.follow(&progress, at: core.clock.now) == 1)
            #expect(core.callLog.lines.map { $0.subject["userId"] } == [guest.user.rawValue])
            core.clock.advance(seconds: 60)
            #expect(try await process.follow(&progress, at: core.clock.now) == 0)
            try await process.stop(progress)
            #expect(try await core.database.read { tx in try AuditProgressQueries.nodes(in: tx) }.isEmpty)
        }
    }

    /// A log that takes only some lines.
    private final class NarrowLog: Sendable {
        private struct State {
            var lines: [AuditLog.Entry] = []
            var room = Int.max
            var lost = 0
        }

        private let state = Mutex(State())

        var audit: AuditLog {
            AuditLog { [self] entry in
                state.withLock { state in
                    guard state.room > 0 else { return state.lost += 1 }
                    state.room -= 1
                    state.lines.append(entry)
                }
            }
        }

        var users: [String?] { state.withLock { $0.lines.map { $0.subject["userId"] } } }
        var lost: Int { state.withLock { $0.lost } }
        func leave(_ room: Int) { state.withLock { $0.room = room } }
    }

    @Test("While lines are lost, a node ends at the first, tries more rarely, and goes on where it has come to")
    func longOutage() async throws {
        try await TestCore.open { core in
            let log = NarrowLog()
            let services = Services(
                database: core.database, vault: core.services.vault, environment: core.services.environment,
                reporter: EventReporter(audit: log.audit))
            let process = AuditRecovery(services: services, node: "game") { log.lost }
            let toldUntil = {
                try await core.database.read { tx in try AuditProgressQueries.nodes(in: tx).map(\.toldUntil) }
            }
            var progress = AuditRecovery.Progress()
            #expect(try await process.follow(&progress, at: core.clock.now) == 0)
            let begin = core.clock.now
            log.leave(0)
            services.reporter.audit.record(
                .init(event: "lost", app: nil, actor: .system, address: nil, transactionID: nil, subject: [:]))
            core.callLog.crash()
            var users: [String?] = []
            for name in ["one", "two", "three"] {
                core.clock.advance(seconds: 180)
                users.append(try await core.guest(name).user.rawValue)
            }
            core.clock.advance(seconds: 180)

            // The first line is written, and the second is the one that is lost.
            log.leave(1)
            #expect(try await process.follow(&progress, at: core.clock.now) == 1)
            #expect(log.lost == 2)
            let reached = try #require(try await toldUntil().first)
            #expect(reached > begin.adding(seconds: 180) && reached < begin.adding(seconds: 360))
            // One call is left out, then three.
            for lost in [2, 3, 3, 3, 3, 4] {
                #expect(try await process.follow(&progress, at: core.clock.now) == 0)
                #expect(log.lost == lost)
            }
            #expect(try await toldUntil() == [reached])
            log.leave(.max)
            var count = 0
            for _ in 0..<8 { count += try await process.follow(&progress, at: core.clock.now) }
            #expect(count == 2)
            #expect(log.users == users)
            #expect(try await toldUntil() == [core.clock.now])
        }
    }

    @Test("Lines that only wait in the log's queue do not count as written, and those that get lost are reported")
    func waitingLines() async throws {
        try await TestCore.open { core in
            let lost = Atomic(0)
            let writes = Atomic(false)
            let process = AuditRecovery(
                services: core.services, node: "game", lostLines: { lost.load(ordering: .relaxed) },
                flush: { writes.load(ordering: .relaxed) })
            let toldUntil = {
                try await core.database.read { tx in try AuditProgressQueries.nodes(in: tx).map(\.toldUntil) }
            }
            let begin = core.clock.now
            var progress = AuditRecovery.Progress()
            #expect(try await process.follow(&progress, at: begin) == 0)
            #expect(!progress.hasStarted)
            core.callLog.crash()
            let guest = try await core.guest("phone")
            core.clock.advance(seconds: 30)
            // One call is left out, and the next one tries.
            for _ in 0..<2 { #expect(try await process.follow(&progress, at: core.clock.now) == 0) }
            #expect(try await toldUntil() == [begin])
            // A stop leaves the row, too.
            try await process.stop(progress)
            #expect(try await toldUntil() == [begin])

            lost.add(1, ordering: .relaxed)
            writes.store(true, ordering: .relaxed)
            core.callLog.clear()
            for count in [0, 0, 0, 1, 0] { #expect(try await process.follow(&progress, at: core.clock.now) == count) }
            #expect(core.callLog.lines.map { $0.subject["userId"] } == [guest.user.rawValue])
            #expect(try await toldUntil() == [core.clock.now])
        }
    }

    @Test("What crashed nodes have left is not taken for reported while its lines wait in the log's queue")
    func waitingRecovery() async throws {
        try await TestCore.open { core in
            try await start(core)
            core.callLog.crash()
            let guest = try await core.guest("phone")
            let next = try core.restarted()
            next.clock.advance(seconds: 600)
            let stuck = AuditRecovery(services: next.services, node: "game.example.com:8080", flush: { false })
            #expect(try await stuck.recover(at: next.clock.now, isStart: true) == 1)
            next.callLog.clear()
            #expect(try await recovery(next).recover(at: next.clock.now, isStart: true) == 1)
            #expect(next.callLog.lines.map { $0.subject["userId"] } == [guest.user.rawValue])
        }
    }

    @Test("What a node loses after another one has taken over its row is reported all the same")
    func takenOver() async throws {
        try await TestCore.open { core in
            let lost = Atomic(0)
            let process = AuditRecovery(services: core.services, node: "one") { lost.load(ordering: .relaxed) }
            var progress = AuditRecovery.Progress()
            #expect(try await process.follow(&progress, at: core.clock.now) == 0)
            core.clock.advance(seconds: AuditRecovery.lostAfterSeconds + 1)
            #expect(try await recovery(core, node: "two").recover(at: core.clock.now, isStart: false) == 0)
            #expect(try await core.database.read { tx in try AuditProgressQueries.nodes(in: tx) }.isEmpty)
            core.callLog.crash()
            let guest = try await core.guest("phone")
            lost.add(1, ordering: .relaxed)
            core.callLog.clear()
            #expect(try await process.follow(&progress, at: core.clock.now) == 1)
            #expect(core.callLog.lines.map { $0.subject["userId"] } == [guest.user.rawValue])
        }
    }

    @Test("Of two running nodes with one name, the one that goes on reports what the other has lost")
    func sameName() async throws {
        try await TestCore.open { core in
            let other = try core.restarted()
            let (here, there) = (recovery(core), recovery(other))
            var (ours, theirs) = (AuditRecovery.Progress(), AuditRecovery.Progress())
            try await here.follow(&ours, at: core.clock.now)
            try await there.follow(&theirs, at: core.clock.now)
            core.clock.advance(seconds: 4)
            other.callLog.crash()
            let guest = try await other.guest("phone")
            for _ in 0..<15 {
                core.clock.advance(seconds: AuditRecovery.intervalSeconds)
                try await here.follow(&ours, at: core.clock.now)
            }
            #expect(core.callLog.lines.map { $0.subject["userId"] } == [guest.user.rawValue])
        }
    }

    @Test("What commands have done is left to the follower of the audit log, which tells it once")
    func commands() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            core.clock.advance(seconds: 120)
            try await start(core)
            let ban = BanRequest(userIds: [alice.user], banType: .permanent, reason: "cheats", registeredBy: "mia")
            _ = try await core.operator().run(BanMembers(request: ban))
            let next = try core.restarted()
            #expect(try await recovery(next).recover(at: core.clock.now, isStart: true) == 0)
            let follower = AuditFollower(database: core.database, audit: next.callLog.reporter.audit)
            try await follower.follow(at: core.clock.now)
            try await follower.follow(at: core.clock.now)
            let records = try await core.records()
            #expect(next.callLog.lines(.banned).map { $0.subject["auditId"] } == records.map(\.id))
        }
    }

    @Test("A server's log tells what commands have done, once on each node", arguments: Engine.available)
    func follower(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let log = core.callLog.reporter.audit
            let follower = AuditFollower(database: core.database, audit: log)
            try await follower.follow(at: core.clock.now)
            let (guest, other) = (try await core.guest("phone"), try await core.guest("tablet"))
            core.clock.advance(seconds: 30)
            try await core.operator().run(WithdrawMember(user: guest.user))
            try await other.run(Withdraw())
            core.callLog.clear()
            #expect(try await follower.follow(at: core.clock.now) == 1)
            #expect(core.callLog.lines(.withdrawn).map { $0.subject["userId"] } == [guest.user.rawValue])
            for _ in 0..<40 {
                core.clock.advance(seconds: 30)
                #expect(try await follower.follow(at: core.clock.now) == 0)
            }
            // A node that starts later writes it too, because the command's own output may not have been kept.
            let later = AuditFollower(database: core.database, audit: log)
            #expect(try await later.follow(at: core.clock.now) >= 1)
        }
    }
}
