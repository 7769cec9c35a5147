import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore

/// The server's periodic work: what it deletes and changes in its time, also when a part of it fails or takes long.
@Suite struct SweepTests {
    /// The number of rows of some tables.
    private struct Rows: Equatable {
        var proofs = 0
        var calls = 0
        var sessions = 0
        var revocations = 0
    }

    private func rows(_ core: TestCore) async throws -> Rows {
        try await core.database.read { tx in
            let count = { (sql: SQL) in try tx.first(sql) { row in try row[0] as Int } ?? -1 }
            return Rows(
                proofs: try count("SELECT COUNT(*) FROM spent_proofs"),
                calls: try count("SELECT COUNT(*) FROM idempotent_calls"),
                sessions: try count("SELECT COUNT(*) FROM sessions"),
                revocations: try count("SELECT COUNT(*) FROM revocations"))
        }
    }

    private func resume(_ player: Player) async -> ErrorCode? {
        let holder = player.device.holder(of: player.login.session.refreshToken)
        return await code { try await holder.run(LogInWithLastProvider()) }
    }

    @Test("What is over is deleted in its time, and nothing else", arguments: Engine.available)
    func times(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let sweeper = Sweeper(services: core.services)
            let leaver = try await core.guest("leaver")
            try await leaver.device.holder(of: leaver.login.session.refreshToken).run(LogOut())
            let stayer = try await core.device("stayer").logIn(once: "1")
            #expect(try await sweeper.sweep() == 0)
            #expect(try await rows(core) == Rows(proofs: 3, calls: 1, sessions: 2, revocations: 1))
            // Proofs are deleted after minutes, on PostgreSQL with those of their hour; repeated calls after an hour,
            // revocations soon after it, on PostgreSQL with those of their day; ended sessions after a month.
            core.clock.advance(seconds: 300)
            let deleted = engine == .sqlite ? 3 : 0
            #expect(try await sweeper.sweep() == deleted)
            #expect(try await rows(core) == Rows(proofs: 3 - deleted, calls: 1, sessions: 2, revocations: 1))
            core.clock.advance(seconds: 2 * 3_600)
            _ = try await sweeper.sweep()
            #expect(
                try await rows(core) == Rows(sessions: 2, revocations: engine == .sqlite ? 0 : 1))
            core.clock.advance(days: 31)
            _ = try await sweeper.sweep()
            #expect(try await rows(core) == Rows(sessions: 1))
            #expect(await resume(stayer) == nil)
            // A session at the end of its maximum lifetime is deleted, used or not; its member stays.
            core.clock.advance(days: 400)
            _ = try await sweeper.sweep()
            #expect(try await rows(core).sessions == 0)
            #expect(await resume(stayer) == .authTokenLoginInvalidTokenInfo)
            #expect(try await core.member(stayer.user).status == .normal)
        }
    }

    @Test(
        "The ledger is kept for the months of the setting, for ever without it, and the rest of the account stays",
        arguments: Engine.available)
    func history(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let sweeper = Sweeper(services: core.services, historyMonths: 2)
            let november = try await core.guest("november").user
            // The last second of January: November, December and January are kept.
            core.clock.advance(seconds: 72 * 86_400 - 1)
            try await sweeper.sweep()
            #expect(try await core.history(of: november).count == 1)
            core.clock.advance(seconds: 1)
            let february = try await core.guest("february").user
            try await Sweeper(services: core.services).sweep()
            #expect(try await core.history(of: november).count == 1)
            try await sweeper.sweep()
            #expect(try await core.history(of: november).isEmpty)
            #expect(try await core.history(of: february).count == 1)
            #expect(try await core.member(november).status == .normal)
        }
    }

    @Test("SES-7: sessions that nobody has used are deleted a month after their end, used ones stay")
    func idleSessions() async throws {
        try await TestCore.open { core in
            let sweeper = Sweeper(services: core.services)
            let used = try await core.guest("used")
            for number in 0..<20 { _ = try await core.guest("idle\(number)") }
            core.clock.advance(days: 80)
            try await used.device.holder(of: used.login.session.refreshToken).run(RefreshSession())
            // The session ended 29 days ago: an operator may still investigate it.
            core.clock.advance(days: 39)
            _ = try await sweeper.sweep()
            #expect(try await rows(core).sessions == 21)
            core.clock.advance(days: 2)
            _ = try await sweeper.sweep()
            #expect(try await rows(core).sessions == 1)
            #expect(await resume(used) == nil)
        }
    }

    @Test("A transfer account that is over says so for a month, and is deleted then")
    func transferAccounts() async throws {
        try await TestCore.open { core in
            let account = try await core.guest().run(IssueTransferAccount())
            let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
            let redeem = { try await core.device("tablet").caller.run(RedeemTransferAccount(redemption: redemption)) }
            let sweeper = Sweeper(services: core.services)
            core.clock.advance(days: 59)
            _ = try await sweeper.sweep()
            #expect(await code { try await redeem() } == .authTransferAccountExpired)
            core.clock.advance(days: 2)
            _ = try await sweeper.sweep()
            #expect(await code { try await redeem() } == .authTransferAccountInvalidID)
        }
    }

    @Test("Two nodes that sweep at once delete everything once", arguments: Engine.available)
    func twoNodes(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            for number in 0..<20 { _ = try await core.device("phone\(number)").logIn(once: "1") }
            core.clock.advance(seconds: 2 * 3_600)
            let second = try core.restarted()
            async let here = Sweeper(services: core.services).sweep()
            async let there = Sweeper(services: second.services).sweep()
            // Outcomes of calls are deleted one by one, proofs on SQLite only.
            #expect(try await here + there == (engine == .sqlite ? 40 : 20))
            #expect(try await rows(core) == Rows(sessions: 20))
        }
    }

    @Test("WITHDRAW-3: a member that can't be settled holds up nobody behind it, is told of, and is tried again")
    func failingSettlement() async throws {
        try await TestCore.open { core in
            let broken = try await core.player("broken")
            let others = [try await core.player("alice", on: "tablet"), try await core.guest("guest")]
            for player in [broken] + others {
                core.clock.advance(seconds: 1)
                _ = try await player.run(RequestWithdrawal())
            }
            try await core.database.transact { tx in
                let wrong: [UInt8] = [1, 2, 3]
                try tx.execute("UPDATE identity_tokens SET sealed_tokens = \(wrong) WHERE user_id = \(broken.user)")
            }
            core.clock.advance(days: 30)
            let failures = Mutex<[UserID]>([])
            let sweeper = Sweeper(services: core.services) { member, _ in failures.withLock { $0.append(member.user) } }
            _ = try await sweeper.sweep()
            #expect(failures.withLock { $0 } == [broken.user])
            for player in others { #expect(try await core.history(of: player.user).last == .withdrawn) }
            #expect(try await core.history(of: broken.user).last == .withdrawalRequested)
            try await core.database.transact { tx in
                try tx.execute("DELETE FROM identity_tokens WHERE user_id = \(broken.user)")
            }
            _ = try await sweeper.sweep()
            #expect(failures.withLock { $0 } == [broken.user])
            #expect(try await core.history(of: broken.user).last == .withdrawn)
        }
    }

    @Test("A step of a sweep that fails is told, and every other step is done", arguments: Engine.available)
    func oneFails(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let now = core.clock.now
            try await core.database.transact { tx in
                try JobQueries.insert(
                    "old", kind: JobKind("kind"), lane: "old", sealed: [1], app: TestCore.app, at: now, in: tx)
                _ = try JobQueries.end("old", of: TestCore.app, after: 0, state: .done, error: nil, at: now, in: tx)
                try tx.execute("ALTER TABLE forcing_tickets RENAME TO hidden_tickets")
            }
            core.clock.advance(days: 31)
            let sweeper = Sweeper(services: core.services)
            let failure = await #expect(throws: SweepFailure.self) { try await sweeper.sweep() }
            #expect(failure?.steps.map(\.name) == ["tickets"])
            #expect(try await core.database.read { tx in try JobQueries.jobs(in: nil, limit: 9, in: tx) }.isEmpty)
            // Another test gets this database, with the rows of the fixture but with the tables that are left.
            try await core.database.transact { tx in
                try tx.execute("ALTER TABLE hidden_tickets RENAME TO forcing_tickets")
            }
        }
    }

    @Test("REL-4: a sweep ends at the first step that can't reach the database, and tries no other")
    func outage() async throws {
        try await TestCore.open { core in
            await core.database.close()
            await #expect(throws: StorageError.closed) { try await core.sweep() }
        }
    }

    @Test("INFO-3: a revocation by a sweep has the moment of its writing, so that no list is read past it")
    func revocations() async throws {
        try await TestCore.open { core in
            for person in ["alice", "bob"] {
                _ = try await core.player(person, on: person).run(RequestWithdrawal())
            }
            core.clock.advance(days: 31)
            let begin = core.clock.now
            // Each member that is settled takes two minutes.
            let services = Services(
                database: core.database, vault: core.services.vault, environment: core.services.environment,
                reporter: EventReporter(audit: AuditLog { _ in core.clock.advance(seconds: 120) }))
            try await Sweeper(services: services).sweep()
            let late = try await core.database.read { tx in
                try RevocationQueries.revocations(
                    of: TestCore.app, after: TimeOrderedID.firstSession(at: begin.adding(seconds: 119)).rawValue,
                    limit: 9,
                    in: tx)
            }
            #expect(late.count == 1)
        }
    }

    @Test("A frozen member is due when its restore window ends, and not when its ban does")
    func frozenAndBanned() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await core.ban([alice.user], seconds: 3_600)
            let work = try await core.services.work(in: core.context().app, at: core.clock.now)
            try await work.transact { change, tx in
                let account = try MemberRules.take(alice.user, app: TestCore.app, at: change.moment, in: tx)
                let mapping = try #require(account.mappings.first)
                let identity = IdentityKey(provider: mapping.provider, namespace: "", subject: mapping.subject)
                try LifeRules.freeze(account, without: identity, reason: .identityRemoved, change, in: tx)
            }
            let due = {
                let now = core.clock.now
                return try await core.database.read { tx in
                    try MemberQueries.due(at: now, after: nil, limit: 9, in: tx).count
                }
            }
            core.clock.advance(seconds: 7_200)
            #expect(try await due() == 0)
            core.clock.advance(days: 400)
            #expect(try await due() == 1)
        }
    }
}
