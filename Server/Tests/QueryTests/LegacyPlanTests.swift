import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// How the engines find players of other systems. An exchange is a login, and a file has a million of them.
@Suite struct LegacyPlanTests {
    private struct Planned: Sendable {
        /// A part of a step for each index.
        let sqlite: String
        let postgresql: String
        let run: @Sendable (Reader) throws -> Void
    }

    private static let (user, app) = (Tables.nobody, Tables.app)

    private static let queries = [
        Planned(sqlite: "legacy_members USING PRIMARY KEY (legacy_id=?", postgresql: "legacy_members_pkey") { tx in
            _ = try LegacyQueries.member("a", source: "old", app: app, in: tx)
        },
        Planned(sqlite: "legacy_members USING PRIMARY KEY (legacy_id=?", postgresql: "legacy_members_pkey") { tx in
            _ = try LegacyQueries.members(["a", "b", "c"], source: "old", app: app, in: tx)
        },
        Planned(sqlite: "legacy_members USING PRIMARY KEY (legacy_id=?", postgresql: "legacy_members_pkey") { tx in
            _ = try LegacyQueries.members(named: "a", app: app, in: tx)
        },
        Planned(sqlite: "(user_id=? AND app_id=?", postgresql: "legacy_members_one_per_source") { tx in
            _ = try LegacyQueries.member(of: user, source: "old", app: app, in: tx)
        },
        Planned(sqlite: "(user_id=? AND app_id=?", postgresql: "legacy_members_one_per_source") { tx in
            _ = try LegacyQueries.members(of: user, app: app, in: tx)
        },
        Planned(sqlite: "(user_id=? AND app_id=?", postgresql: "legacy_members_one_per_source") { tx in
            _ = try LegacyQueries.members(of: [user, user, user], source: "old", app: app, in: tx)
        },
        Planned(sqlite: "legacy_members_run (run_id=? AND user_id>?", postgresql: "legacy_members_run") { tx in
            _ = try LegacyQueries.members(of: "run", app: app, after: user, limit: 9, in: tx)
        },
        Planned(sqlite: "legacy_devices USING PRIMARY KEY (value_hash=?", postgresql: "legacy_devices_pkey") { tx in
            _ = try LegacyQueries.user(ofDevice: [1], "deviceId", source: "old", app: app, in: tx)
        },
        Planned(sqlite: "legacy_devices USING PRIMARY KEY (value_hash=?", postgresql: "legacy_devices_pkey") { tx in
            _ = try LegacyQueries.users(ofDevices: [[1], [2], [3]], source: "old", app: app, in: tx)
        },
        Planned(sqlite: "legacy_erased USING PRIMARY KEY (legacy_hash=?", postgresql: "legacy_erased_pkey") { tx in
            _ = try LegacyQueries.erased([[1], [2], [3]], source: "old", app: app, in: tx)
        },
        Planned(sqlite: "import_runs USING PRIMARY KEY (app_id=? AND run_id<?)", postgresql: "import_runs_pkey") { tx in
            _ = try ImportRunQueries.runs(of: app, limit: 9, in: tx)
        },
        Planned(sqlite: "legacy_devices USING PRIMARY KEY (value_hash>?", postgresql: "legacy_devices_pkey") { tx in
            _ = try LegacyQueries.end(of: .devices, after: [1], rows: 9, in: tx)
        },
        Planned(sqlite: "legacy_erased USING PRIMARY KEY (legacy_hash>?", postgresql: "legacy_erased_pkey") { tx in
            _ = try LegacyQueries.end(of: .erased, after: [1], rows: 9, in: tx)
        },
    ]

    @Test("Each look-up finds its rows by an index, and sorts none", arguments: Engine.available)
    func plans(engine: Engine) async throws {
        try await Tables.transactAlone(engine) { tx in
            for query in Self.queries {
                let plans = try tx.plans(of: query.run)
                let index = engine == .sqlite ? query.sqlite : query.postgresql
                #expect(plans.contains { $0.steps.contains { $0.contains(index) } }, "\(index): \(plans)")
                for plan in plans { #expect(plan.costly.isEmpty, "\(plan)") }
            }
        }
    }
}
