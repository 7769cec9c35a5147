import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `legacy_sources` and `import_runs`.
@Suite struct LegacySourceQueryTests {
    private static func source(_ name: String) -> LegacySource {
        var settings = LegacySettings()
        settings.project = Tables.text
        settings.bareIDs = .guests
        settings.providers = ["oidc.studio": Provider("studio")]
        return LegacySource(
            name: name, kind: .firebase, settings: settings, openUntil: Tables.moment + 9, createdAt: Tables.moment,
            sealedSettings: Tables.bytes)
    }

    @Test("Sources are read back, changed, and closed for good", arguments: Engine.available)
    func sources(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for (name, app) in [("b", Tables.app), ("a", Tables.app), ("b", Tables.otherApp)] {
                try LegacySourceQueries.set(Self.source(name), app: app, in: tx)
            }
            let found = { (name: String, app: AppID) in try LegacySourceQueries.source(name, app: app, in: tx) }
            #expect(try found("b", Tables.app) == Self.source("b"))
            #expect(try found("c", Tables.app) == nil)
            let all = try LegacySourceQueries.sources(of: Tables.app, in: tx)
            #expect(all == [Self.source("a"), Self.source("b")])
            var changed = Self.source("b")
            (changed.settings.project, changed.openUntil, changed.sealedSettings) = ("p", Tables.moment + 8, [1])
            try LegacySourceQueries.set(changed, app: Tables.app, in: tx)
            #expect(try found("b", Tables.app) == changed)
            #expect(try found("b", Tables.otherApp) == Self.source("b"))
            let close = { try LegacySourceQueries.close("b", app: Tables.app, at: Tables.moment + 1, in: tx) }
            #expect(try close())
            #expect(try !close())
            (changed.closedAt, changed.sealedSettings) = (Tables.moment + 1, nil)
            #expect(try found("b", Tables.app) == changed)
            #expect(try found("a", Tables.app) == Self.source("a"))
            #expect(throws: StorageError.conflict) {
                try LegacySourceQueries.set(Self.source("b"), app: Tables.app, in: tx)
            }
        }
    }

    private static func run(_ id: String) -> ImportRun {
        var run = ImportRun(
            id: id, source: "old", fileDigest: Tables.bytes, begunBy: "kim", begunAt: Tables.moment)
        (run.counts, run.options, run.records) = (Tables.text, Tables.text, 9_000_000_000)
        return run
    }

    @Test("A run advances from the checkpoint that was read", arguments: Engine.available)
    func advance(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for (id, app) in [("1", Tables.app), ("2", Tables.app), ("1", Tables.otherApp)] {
                try ImportRunQueries.insert(Self.run(id), app: app, in: tx)
            }
            let runs = { (last: String?) in
                try ImportRunQueries.runs(of: Tables.app, before: last, limit: 9, in: tx).map(\.id)
            }
            #expect(try ImportRunQueries.runs(of: Tables.app, limit: 9, in: tx) == [Self.run("2"), Self.run("1")])
            #expect(try runs("2") == ["1"])
            #expect(try runs("1").isEmpty)
            var run = Self.run("1")
            (run.checkpoint, run.counts, run.leasedUntil) = (500, "{}", Tables.moment + 5)
            try ImportRunQueries.advance(run, from: 0, app: Tables.app, in: tx)
            #expect(try ImportRunQueries.run("1", app: Tables.app, in: tx) == run)
            (run.checkpoint, run.state, run.leasedUntil, run.endedAt) = (700, .done, nil, Tables.moment + 6)
            try ImportRunQueries.advance(run, from: 500, app: Tables.app, in: tx)
            #expect(try ImportRunQueries.run("1", app: Tables.app, in: tx) == run)
            #expect(try ImportRunQueries.run("2", app: Tables.app, in: tx) == Self.run("2"))
            #expect(try ImportRunQueries.run("1", app: Tables.otherApp, in: tx) == Self.run("1"))
            (run.resumedAt, run.resumedFrom) = (Tables.moment + 8, 690)
            try ImportRunQueries.resume(run, app: Tables.app, in: tx)
            #expect(try ImportRunQueries.run("1", app: Tables.app, in: tx) == run)
            #expect(try ImportRunQueries.run("2", app: Tables.app, in: tx) == Self.run("2"))
            #expect(try ImportRunQueries.run("1", app: Tables.otherApp, in: tx) == Self.run("1"))
        }
        await #expect(throws: StorageError.conflict) {
            try await Tables.transact(engine) { tx in
                try ImportRunQueries.insert(Self.run("1"), app: Tables.app, in: tx)
                try ImportRunQueries.advance(Self.run("1"), from: 3, app: Tables.app, in: tx)
            }
        }
    }

    @Test("One process at a time works at the runs of an app", arguments: Engine.available)
    func lease(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for (id, app) in [("1", Tables.app), ("2", Tables.app), ("1", Tables.otherApp)] {
                try ImportRunQueries.insert(Self.run(id), app: app, in: tx)
            }
            let lease = { (id: String, app: AppID, held: Moment?, seconds: Int64) in
                try ImportRunQueries.lease(
                    id, holding: held, until: Tables.moment + seconds + 10, app: app, at: Tables.moment + seconds,
                    in: tx)
            }
            #expect(try lease("1", Tables.app, nil, 0))
            #expect(try !lease("2", Tables.app, nil, 1))
            // Another process with the same run.
            #expect(try !lease("1", Tables.app, nil, 1))
            #expect(try lease("1", Tables.otherApp, nil, 1))
            #expect(try lease("1", Tables.app, Tables.moment + 10, 5))
            #expect(try !lease("2", Tables.app, nil, 14))
            #expect(try lease("2", Tables.app, nil, 15))
            #expect(try !lease("3", Tables.app, nil, 40))
        }
    }
}
