import GatehouseImport
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Whether imported players are recognized when they come back.
@Suite struct ImportMatchTests {
    /// Counts logins of Twitter, this many hours ago.
    private func count(_ new: Int64, _ returning: Int64, hoursAgo: Int64, at core: TestCore) async throws {
        let bucket = core.clock.now.adding(seconds: -hoursAgo * 3_600).hourBegin
        try await core.database.transact { tx in
            for (metric, amount) in [(Metric.newMember, new), (.returningLogin, returning)] where amount > 0 {
                let key = Tally.Key(app: TestCore.app, unit: .hour, metric: metric, bucket: bucket, label: "twitter")
                try CountQueries.add(amount, to: key, in: tx)
            }
        }
    }

    private func matches(_ core: TestCore) async throws -> [ImportMatch] {
        try await core.operator().run(.importMatches)
    }

    private func verdicts(_ core: TestCore) async throws -> [AppVerdict] {
        let app = try await core.context().app
        let hours = NumberRange(last: 24, .hour, until: core.clock.now, in: app.zone)
        return AppVerdicts(
            app, try await core.operator().run(.standing),
            try await core.operator().run(.numbers(in: hours)), at: core.clock.now
        ).all.filter { $0.kind == .importMismatch }
    }

    @Test(
        "When most of the latest two hundred logins make new members, operators are warned", arguments: Engine.available
    )
    func wrongTeam(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await ImportedFile.setSource(at: core)
            #expect(try await matches(core).isEmpty)
            let file = ImportedFile(.person("a", "1"), .person("b", "2"), .guest("c"))
            let run = try await file.run(at: core)
            #expect(try run.counts.identities == ["twitter": 2])
            // These logins were before the import, or may have been.
            try await count(500, 0, hoursAgo: 1, at: core)
            try await count(500, 0, hoursAgo: 0, at: core)
            core.clock.advance(days: 2)
            #expect(try await matches(core) == [ImportMatch(provider: .twitter, imported: 2, new: 0, all: 0)])
            try await count(150, 49, hoursAgo: 30, at: core)
            let few = try #require(try await matches(core).first)
            #expect(few == ImportMatch(provider: .twitter, imported: 2, new: 150, all: 199) && !few.isSuspicious)
            #expect(try await verdicts(core).isEmpty)
            try await count(1, 0, hoursAgo: 29, at: core)
            let many = try #require(try await matches(core).first)
            #expect(many == ImportMatch(provider: .twitter, imported: 2, new: 151, all: 200) && many.isSuspicious)
            let verdict = try #require(try await verdicts(core).first)
            #expect(verdict.state == .warn && verdict.provider == .twitter)
            // The settings are right now, and players are recognized.
            try await count(3, 197, hoursAgo: 2, at: core)
            #expect(try await matches(core).map(\.isSuspicious) == [false])
            #expect(try await verdicts(core).isEmpty)
            // A second run of the same file brings nothing more.
            #expect(try await file.run(at: core).counts.identities.isEmpty)
            _ = try await core.operator().run(UndoImport(id: run.run.id))
            #expect(try await matches(core).isEmpty)
        }
    }

    @Test("A node tells once that players are not recognized, and once that it is over", arguments: Engine.available)
    func watched(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let watcher = ImportWatcher(services: core.services)
            try await ImportedFile.setSource(at: core)
            let none = try await watcher.run()
            #expect(none.news.isEmpty && none.apps.isEmpty)
            try await ImportedFile(.person("a", "1"), .person("b", "2")).run(at: core)
            core.clock.advance(seconds: 6 * 3_600)
            try await count(99, 100, hoursAgo: 5, at: core)
            let few = try await watcher.run()
            #expect(few.news.isEmpty && few.apps == [.twitter: 0])
            try await count(20, 0, hoursAgo: 4, at: core)
            let begun = try await watcher.run()
            #expect(begun.news.map(\.app) == [TestCore.app] && begun.news.map(\.provider) == [.twitter])
            #expect(begun.news.first?.mismatch?.new == 119 && begun.apps == [.twitter: 1])
            // More logins of the same kind are nothing new.
            try await count(150, 60, hoursAgo: 3, at: core)
            let again = try await watcher.run()
            #expect(again.news.isEmpty && again.apps == [.twitter: 1])
            // Another node tells it, too, and so does this one after it has started again.
            #expect(try await ImportWatcher(services: core.restarted().services).run().news.count == 1)
            core.clock.advance(days: 8)
            let ended = try await watcher.run()
            #expect(ended.news == [.init(app: TestCore.app, provider: .twitter, mismatch: nil)])
            #expect(ended.apps == [.twitter: 0])
            #expect(try await watcher.run().news.isEmpty)
        }
    }

    @Test("Players who come back are no reason for a warning, and after a month nobody is warned")
    func right() async throws {
        try await TestCore.open { core in
            try await ImportedFile.setSource(at: core)
            try await ImportedFile(.person("a", "1")).run(at: core)
            core.clock.advance(days: 1)
            try await count(100, 100, hoursAgo: 2, at: core)
            #expect(try await matches(core).map(\.isSuspicious) == [false])
            try await count(1, 0, hoursAgo: 2, at: core)
            #expect(try await matches(core).map(\.isSuspicious) == [true])
            core.clock.advance(days: 31)
            try await count(500, 0, hoursAgo: 2, at: core)
            #expect(try await matches(core).isEmpty)
            #expect(try await verdicts(core).isEmpty)
        }
    }
}
