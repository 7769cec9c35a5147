import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// The server's periodic work, when a part of it fails or takes long.
@Suite struct SweepTests {
    @Test("A step of a sweep that fails is told, and every other step is done", arguments: Engine.available)
    func oneFails(engine: Engine) async throws {
        try await Desk.open(engine) { desk in
            let now = desk.clock.now
            try await desk.database.transact { tx in
                try JobQueries.insert("old", kind: JobKind("kind"), sealed: [1], app: Desk.app, at: now, in: tx)
                _ = try JobQueries.end("old", of: Desk.app, after: 0, state: .done, error: nil, at: now, in: tx)
                try tx.execute("ALTER TABLE forcing_tickets RENAME TO hidden_tickets")
            }
            desk.clock.advance(days: 31)
            let sweeper = Sweeper(services: desk.services)
            let failure = await #expect(throws: SweepFailure.self) { try await sweeper.sweep() }
            #expect(failure?.steps.map(\.name) == ["tickets"])
            #expect(try await desk.database.read { tx in try JobQueries.jobs(in: nil, limit: 9, in: tx) }.isEmpty)
            // Another test gets this database, with the rows of the fixture but with the tables that are left.
            try await desk.database.transact { tx in
                try tx.execute("ALTER TABLE hidden_tickets RENAME TO forcing_tickets")
            }
        }
    }

    @Test("INFO-3: a revocation by a sweep has the moment of its writing, so that no list is read past it")
    func revocations() async throws {
        try await Desk.open { desk in
            for person in ["alice", "bob"] {
                _ = try await desk.player(person, on: person).run(RequestWithdrawal())
            }
            desk.clock.advance(days: 31)
            let begin = desk.clock.now
            // Each member that is settled takes two minutes.
            let services = Services(
                database: desk.database, vault: desk.services.vault, environment: desk.services.environment,
                reporter: EventReporter(audit: AuditLog { _ in desk.clock.advance(seconds: 120) }))
            try await Sweeper(services: services).sweep()
            let late = try await desk.database.read { tx in
                try RevocationQueries.revocations(
                    of: Desk.app, after: TimeOrderedID.firstSession(at: begin.adding(seconds: 119)).rawValue, limit: 9,
                    in: tx)
            }
            #expect(late.count == 1)
        }
    }

    @Test("A frozen member is due when its restore window ends, and not when its ban does")
    func frozenAndBanned() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            try await desk.ban([alice.user], seconds: 3_600)
            let work = try await desk.services.work(in: desk.context().view.app, at: desk.clock.now)
            try await work.transact { change, tx in
                let account = try MemberRules.take(alice.user, app: Desk.app, at: change.moment, in: tx)
                let mapping = try #require(account.mappings.first)
                let identity = IdentityKey(provider: mapping.provider, namespace: "", subject: mapping.subject)
                try LifeRules.freeze(account, without: identity, reason: .identityRemoved, change, in: tx)
            }
            let due = {
                let now = desk.clock.now
                return try await desk.database.read { tx in
                    try MemberQueries.due(at: now, after: nil, limit: 9, in: tx).count
                }
            }
            desk.clock.advance(seconds: 7_200)
            #expect(try await due() == 0)
            desk.clock.advance(days: 400)
            #expect(try await due() == 1)
        }
    }
}
