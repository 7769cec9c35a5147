import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What is gathered over apps is written for each app by itself, because an engine that distributes apps has no common transaction.
/// `scripts/check-distribution` sees the transactions of these tests.
@Suite struct SeveralAppsTests {
    private static let other = AppID("second-game")
    private static let apps = [TestCore.app, other]

    private static func open(_ engine: Engine, _ test: @escaping @Sendable (TestCore) async throws -> Void) async throws
    {
        try await TestCore.open(engine) { core in
            _ = try await core.actions.run(
                CreateApp(id: other, name: "Second"), by: .operator("operator"), in: .ofServer(moment: core.clock.now))
            try await test(core)
        }
    }

    @Test("Refused calls of several apps are written in their order, up to the last", arguments: Engine.available)
    func refusals(engine: Engine) async throws {
        try await Self.open(engine) { core in
            let caller = RefusedCaller(
                call: "/login", provider: nil, client: nil, actor: try await core.player("alice").caller.actor,
                at: core.clock.now)
            for number in 0..<600 {
                core.services.refusals.keep(
                    Refusal(.authAddMappingFailed), of: caller, app: Self.apps[number % 3 == 0 ? 1 : 0],
                    transactionID: TransactionID("t\(number)"))
            }
            #expect(try await core.services.refusals.write(with: core.services) == 600)
            for (index, count) in [400, 200].enumerated() {
                let app = Self.apps[index]
                let found = try await core.database.read { tx in
                    try RefusalQueries.calls(of: app, before: nil, limit: 900, in: tx).map(\.transactionID)
                }
                let numbers = found.reversed().compactMap { Int($0.dropFirst()) }
                #expect(numbers.count == count && numbers == numbers.sorted())
            }
            #expect(try await core.services.refusals.write(with: core.services) == 0)
        }
    }

    @Test("Counts of several apps are written once, although one app's can't be at first", arguments: Engine.available)
    func counts(engine: Engine) async throws {
        try await Self.open(engine) { core in
            for app in Self.apps + [Self.other] {
                core.services.reporter.tally.count(.newMember, .guest, of: app, at: core.clock.now)
            }
            try await core.database.transact { tx in
                try tx.execute("CREATE UNIQUE INDEX refuses_second ON counts (amount) WHERE app_id = 'second-game'")
            }
            await #expect(throws: StorageError.self) { try await core.services.writeCounts() }
            try await core.database.transact { tx in try tx.execute("DROP INDEX refuses_second") }
            for _ in 0..<2 { try await core.services.writeCounts() }
            for (app, count) in [(TestCore.app, Int64(1)), (Self.other, 2)] {
                let sum = try await core.database.read { tx in
                    try CountQueries.sum(of: app, .newMember, before: core.clock.now.adding(seconds: 86_400), in: tx)
                }
                #expect(sum == count, "\(app)")
            }
        }
    }
}
