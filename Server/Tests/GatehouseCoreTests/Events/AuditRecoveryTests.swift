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
    private func recovery(_ desk: Desk, node: String = "game.example.com:8080") -> AuditRecovery {
        AuditRecovery(services: desk.services, node: node)
    }

    /// A process that has started, and whose clock has moved on since.
    private func start(_ desk: Desk, node: String = "game.example.com:8080") async throws {
        try await recovery(desk, node: node).advance(to: desk.clock.now)
        desk.clock.advance(seconds: 4)
    }

    @Test("After a crash every lost change of players is reported once, from the ledger")
    func players() async throws {
        try await Desk.open { desk in
            try await start(desk)
            desk.journal.crash()
            let guest = try await desk.guest("phone")
            _ = try await guest.addMapping(.naver, of: "alice")
            let other = try await desk.guest("tablet")
            _ = try await other.run(IssueTransferAccount())
            desk.clock.advance(seconds: 600)
            let next = try desk.restarted()
            #expect(try await recovery(next).recover(at: next.clock.now, isStart: true) == 4)
            let entries = try await desk.ledger(of: guest.user) + desk.ledger(of: other.user)
            #expect(next.journal.lines.compactMap { $0.subject["auditId"] } == entries.map(\.id).sorted())
            #expect(next.journal.lines.allSatisfy { $0.subject["recovered"] == "true" })
            let mapping = try #require(next.journal.lines(.mappingAdded).first)
            #expect(mapping.subject["idp"] == "naver")
            #expect(mapping.subject["userId"] == guest.user.rawValue)
            #expect(mapping.actor == .player)
            // The events that were lost are reported, and not counted: the metrics are those of this process.
            #expect(next.journal.counts.isEmpty)
            next.journal.clear()
            #expect(try await recovery(next).recover(at: next.clock.now, isStart: true) == 0)
            #expect(next.journal.lines.isEmpty)
        }
    }

    @Test("After a crash bans and withdrawals by the clock are reported once, from the audit log")
    func moderation() async throws {
        try await Desk.open { desk in
            let (alice, bob) = (try await desk.player("alice"), try await desk.player("bob", on: "tablet"))
            _ = try await bob.run(RequestWithdrawal())
            desk.clock.advance(days: 7)
            try await start(desk)
            desk.journal.crash()
            try await desk.ban([alice.user])
            let sweeper = Sweeper(services: desk.services)
            try await sweeper.sweep()
            let next = try desk.restarted()
            try await recovery(next).recover(at: next.clock.now, isStart: true)
            #expect(Set(next.journal.events) == ["member.banned", "member.withdrawn"])
            #expect(next.journal.lines.count == 2)
            let ids = try await [desk.ledger(of: alice.user), desk.ledger(of: bob.user)].compactMap(\.last?.id)
            #expect(Set(next.journal.lines.compactMap { $0.subject["auditId"] }) == Set(ids))
            #expect(next.journal.lines.allSatisfy { $0.subject["recovered"] == "true" })
        }
    }

    @Test("After a crash a redeemed transfer account is reported, whose proof was used up by its first transaction")
    func redemption() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            desk.clock.advance(days: 1)
            try await start(desk)
            desk.journal.crash()
            let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
            try await desk.device("tablet").caller.run(RedeemTransferAccount(redemption: redemption))
            let next = try desk.restarted()
            try await recovery(next).recover(at: next.clock.now, isStart: true)
            #expect(next.journal.events == ["transfer.redeemed"])
        }
    }

    @Test("After a crash a change without any proof is reported: by a provider's report, a job or a game server")
    func changesWithoutProof() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let guest = try await desk.guest("tablet")
            let account = try await guest.run(IssueTransferAccount())
            desk.clock.advance(days: 1)
            try await start(desk)
            desk.journal.crash()
            let wrong = TransferRedemption(id: account.id, password: "wrong")
            for _ in 1...5 {
                _ = await code { try await desk.gameServer().run(ValidateTransferAccount(redemption: wrong)) }
            }
            let work = try await desk.services.work(in: desk.context().app, at: desk.clock.now)
            try await work.transact { change, tx in
                try change.record(.tokensRevoked(.naver), of: alice.user, in: tx)
            }
            let next = try desk.restarted()
            try await recovery(next).recover(at: next.clock.now, isStart: true)
            #expect(Set(next.journal.events) == ["transfer.blocked", "idp-tokens.revoked"])
        }
    }

    @Test("What was told long before the crash is not reported again")
    func toldBefore() async throws {
        try await Desk.open { desk in
            _ = try await desk.guest("phone")
            desk.clock.advance(seconds: 120)
            try await start(desk)
            desk.journal.crash()
            let lost = try await desk.guest("tablet")
            let next = try desk.restarted()
            try await recovery(next).recover(at: next.clock.now, isStart: true)
            #expect(next.journal.lines.map { $0.subject["userId"] } == [lost.user.rawValue])
        }
    }

    @Test("A node that has stopped in order has nothing to report again, and the first start of all neither")
    func orderlyStop() async throws {
        try await Desk.open { desk in
            let process = recovery(desk)
            #expect(try await process.recover(at: desk.clock.now, isStart: true) == 0)
            try await process.advance(to: desk.clock.now)
            desk.clock.advance(seconds: 4)
            _ = try await desk.guest("phone")
            try await process.stop()
            let next = try desk.restarted()
            #expect(try await recovery(next).recover(at: next.clock.now, isStart: true) == 0)
            #expect(next.journal.lines.isEmpty)
        }
    }

    @Test("A node leaves the row of another one alone until it has been silent for a minute, and takes it over once")
    func otherNodes() async throws {
        try await Desk.open { desk in
            try await start(desk, node: "other")
            desk.journal.crash()
            let lost = try await desk.guest("phone")
            let node = try desk.restarted()
            desk.clock.advance(seconds: AuditRecovery.lostAfterSeconds - 4)
            #expect(try await recovery(node).recover(at: desk.clock.now, isStart: true) == 0)
            desk.clock.advance(seconds: 1)
            #expect(try await recovery(node).recover(at: desk.clock.now, isStart: false) == 1)
            #expect(node.journal.lines.map { $0.subject["userId"] } == [lost.user.rawValue])
            #expect(try await recovery(node).recover(at: desk.clock.now, isStart: false) == 0)
        }
    }

    @Test("A running node does not take its own row for that of a crash")
    func ownRow() async throws {
        try await Desk.open { desk in
            let process = recovery(desk)
            try await process.advance(to: desk.clock.now)
            _ = try await desk.guest("phone")
            desk.clock.advance(seconds: 600)
            #expect(try await process.recover(at: desk.clock.now, isStart: false) == 0)
        }
    }

    @Test("A node reports again what it could not write, until it can")
    func lostLines() async throws {
        try await Desk.open { desk in
            let lost = Atomic(0)
            let process = AuditRecovery(services: desk.services, node: "game") { lost.load(ordering: .relaxed) }
            var progress = AuditRecovery.Progress()
            #expect(try await process.follow(&progress, at: desk.clock.now) == 0)
            desk.clock.advance(seconds: 60)
            #expect(try await process.follow(&progress, at: desk.clock.now) == 0)
            desk.journal.crash()
            let guest = try await desk.guest("phone")
            lost.add(1, ordering: .relaxed)
            desk.clock.advance(seconds: 5)
            desk.journal.clear()
            #expect(try await process.follow(&progress, at: desk.clock.now) == 1)
            #expect(desk.journal.lines.map { $0.subject["userId"] } == [guest.user.rawValue])
            desk.clock.advance(seconds: 60)
            #expect(try await process.follow(&progress, at: desk.clock.now) == 0)
            try await process.stop(progress)
            #expect(try await desk.database.read { tx in try AuditProgressQueries.nodes(in: tx) }.isEmpty)
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
        try await Desk.open { desk in
            let log = NarrowLog()
            let services = Services(
                database: desk.database, vault: desk.services.vault, environment: desk.services.environment,
                reporter: EventReporter(audit: log.audit))
            let process = AuditRecovery(services: services, node: "game") { log.lost }
            let toldUntil = {
                try await desk.database.read { tx in try AuditProgressQueries.nodes(in: tx).map(\.toldUntil) }
            }
            var progress = AuditRecovery.Progress()
            #expect(try await process.follow(&progress, at: desk.clock.now) == 0)
            let begin = desk.clock.now
            log.leave(0)
            services.reporter.audit.record(
                .init(event: "lost", app: nil, actor: .system, address: nil, transactionID: nil, subject: [:]))
            desk.journal.crash()
            var users: [String?] = []
            for name in ["one", "two", "three"] {
                desk.clock.advance(seconds: 180)
                users.append(try await desk.guest(name).user.rawValue)
            }
            desk.clock.advance(seconds: 180)

            // The first line is written, and the second is the one that is lost.
            log.leave(1)
            #expect(try await process.follow(&progress, at: desk.clock.now) == 1)
            #expect(log.lost == 2)
            let reached = try #require(try await toldUntil().first)
            #expect(reached > begin.adding(seconds: 180) && reached < begin.adding(seconds: 360))
            // One call is left out, then three.
            for lost in [2, 3, 3, 3, 3, 4] {
                #expect(try await process.follow(&progress, at: desk.clock.now) == 0)
                #expect(log.lost == lost)
            }
            #expect(try await toldUntil() == [reached])
            log.leave(.max)
            var count = 0
            for _ in 0..<8 { count += try await process.follow(&progress, at: desk.clock.now) }
            #expect(count == 2)
            #expect(log.users == users)
            #expect(try await toldUntil() == [desk.clock.now])
        }
    }

    @Test("Lines that only wait in the log's queue do not count as written, and those that get lost are reported")
    func waitingLines() async throws {
        try await Desk.open { desk in
            let lost = Atomic(0)
            let writes = Atomic(false)
            let process = AuditRecovery(
                services: desk.services, node: "game", lostLines: { lost.load(ordering: .relaxed) },
                flush: { writes.load(ordering: .relaxed) })
            let toldUntil = {
                try await desk.database.read { tx in try AuditProgressQueries.nodes(in: tx).map(\.toldUntil) }
            }
            let begin = desk.clock.now
            var progress = AuditRecovery.Progress()
            #expect(try await process.follow(&progress, at: begin) == 0)
            #expect(!progress.hasStarted)
            desk.journal.crash()
            let guest = try await desk.guest("phone")
            desk.clock.advance(seconds: 30)
            // One call is left out, and the next one tries.
            for _ in 0..<2 { #expect(try await process.follow(&progress, at: desk.clock.now) == 0) }
            #expect(try await toldUntil() == [begin])
            // A stop leaves the row, too.
            try await process.stop(progress)
            #expect(try await toldUntil() == [begin])

            lost.add(1, ordering: .relaxed)
            writes.store(true, ordering: .relaxed)
            desk.journal.clear()
            for count in [0, 0, 0, 1, 0] { #expect(try await process.follow(&progress, at: desk.clock.now) == count) }
            #expect(desk.journal.lines.map { $0.subject["userId"] } == [guest.user.rawValue])
            #expect(try await toldUntil() == [desk.clock.now])
        }
    }

    @Test("What crashed nodes have left is not taken for reported while its lines wait in the log's queue")
    func waitingRecovery() async throws {
        try await Desk.open { desk in
            try await start(desk)
            desk.journal.crash()
            let guest = try await desk.guest("phone")
            let next = try desk.restarted()
            next.clock.advance(seconds: 600)
            let stuck = AuditRecovery(services: next.services, node: "game.example.com:8080", flush: { false })
            #expect(try await stuck.recover(at: next.clock.now, isStart: true) == 1)
            next.journal.clear()
            #expect(try await recovery(next).recover(at: next.clock.now, isStart: true) == 1)
            #expect(next.journal.lines.map { $0.subject["userId"] } == [guest.user.rawValue])
        }
    }

    @Test("What a node loses after another one has taken over its row is reported all the same")
    func takenOver() async throws {
        try await Desk.open { desk in
            let lost = Atomic(0)
            let process = AuditRecovery(services: desk.services, node: "one") { lost.load(ordering: .relaxed) }
            var progress = AuditRecovery.Progress()
            #expect(try await process.follow(&progress, at: desk.clock.now) == 0)
            desk.clock.advance(seconds: AuditRecovery.lostAfterSeconds + 1)
            #expect(try await recovery(desk, node: "two").recover(at: desk.clock.now, isStart: false) == 0)
            #expect(try await desk.database.read { tx in try AuditProgressQueries.nodes(in: tx) }.isEmpty)
            desk.journal.crash()
            let guest = try await desk.guest("phone")
            lost.add(1, ordering: .relaxed)
            desk.journal.clear()
            #expect(try await process.follow(&progress, at: desk.clock.now) == 1)
            #expect(desk.journal.lines.map { $0.subject["userId"] } == [guest.user.rawValue])
        }
    }

    @Test("Of two running nodes with one name, the one that goes on reports what the other has lost")
    func sameName() async throws {
        try await Desk.open { desk in
            let other = try desk.restarted()
            let (here, there) = (recovery(desk), recovery(other))
            var (ours, theirs) = (AuditRecovery.Progress(), AuditRecovery.Progress())
            try await here.follow(&ours, at: desk.clock.now)
            try await there.follow(&theirs, at: desk.clock.now)
            desk.clock.advance(seconds: 4)
            other.journal.crash()
            let guest = try await other.guest("phone")
            for _ in 0..<15 {
                desk.clock.advance(seconds: AuditRecovery.intervalSeconds)
                try await here.follow(&ours, at: desk.clock.now)
            }
            #expect(desk.journal.lines.map { $0.subject["userId"] } == [guest.user.rawValue])
        }
    }

    @Test("What commands have done is left to the follower of the audit log, which tells it once")
    func commands() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            desk.clock.advance(seconds: 120)
            try await start(desk)
            let ban = BanRequest(userIds: [alice.user], banType: .permanent, reason: "cheats", registeredBy: "mia")
            _ = try await desk.operator().run(BanMembers(request: ban))
            let next = try desk.restarted()
            #expect(try await recovery(next).recover(at: desk.clock.now, isStart: true) == 0)
            let follower = AuditFollower(database: desk.database, audit: next.journal.reporter.audit)
            try await follower.follow(at: desk.clock.now)
            try await follower.follow(at: desk.clock.now)
            let records = try await desk.records()
            #expect(next.journal.lines(.banned).map { $0.subject["auditId"] } == records.map(\.id))
        }
    }

    @Test("A server's log tells what commands have done, once on each node", arguments: Engine.available)
    func follower(engine: Engine) async throws {
        try await Desk.open(engine) { desk in
            let log = desk.journal.reporter.audit
            let follower = AuditFollower(database: desk.database, audit: log)
            try await follower.follow(at: desk.clock.now)
            let (guest, other) = (try await desk.guest("phone"), try await desk.guest("tablet"))
            desk.clock.advance(seconds: 30)
            try await desk.operator().run(WithdrawMember(user: guest.user))
            try await other.run(Withdraw())
            desk.journal.clear()
            #expect(try await follower.follow(at: desk.clock.now) == 1)
            #expect(desk.journal.lines(.withdrawn).map { $0.subject["userId"] } == [guest.user.rawValue])
            for _ in 0..<40 {
                desk.clock.advance(seconds: 30)
                #expect(try await follower.follow(at: desk.clock.now) == 0)
            }
            // A node that starts later writes it too, because the command's own output may not have been kept.
            let later = AuditFollower(database: desk.database, audit: log)
            #expect(try await later.follow(at: desk.clock.now) >= 1)
        }
    }
}
