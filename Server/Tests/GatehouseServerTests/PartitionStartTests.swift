import GatehouseSecurity
import TestDatabases
import Testing

@testable import GatehouseServer
@testable import GatehouseStorage

/// The partitions of a server that starts (`docs/contributing/storage.md`).
@Suite struct PartitionStartTests {
    private static let postgresql = TestDatabases.Engine.available.filter { $0 == .postgresql }

    @Test("A server that was stopped for long has its partitions before the first call", arguments: postgresql)
    func longStop(engine: TestDatabases.Engine) async throws {
        try await TestServer.open(on: engine) { server in
            // From 2026-11-21 to 2027-12-26.
            server.clock.advance(seconds: 400 * 86_400)
            let names = [
                "spent_proofs_2027122600", "spent_proofs_2027122601", "spent_proofs_2027122602", "revocations_20271226",
                "ledger_20271201", "ledger_20280101", "ledger_20280201",
            ]
            // A test of before, with the same database, may have left some.
            try await server.database.transact { tx in
                for name in names { try tx.execute(SQL(stringLiteral: "DROP TABLE IF EXISTS \(name)")) }
            }
            try await server.onSecondNode { node in
                #expect(try await Self.existing(names, in: server) == names)
                _ = try await node.guest(TestDevice())
            }
            // The sweeps of a server that runs make those that follow.
            server.clock.advance(seconds: 2 * 3_600)
            try await server.sweep()
            let next = ["spent_proofs_2027122603", "spent_proofs_2027122604"]
            #expect(try await Self.existing(next, in: server) == next)
            #expect(try await Self.existing([names[0]], in: server) == [])
        }
    }

    @Test("The bounds of partitions are the first ids of their time")
    func bounds() {
        for moment in [
            Moment(milliseconds: 0), TestServer.Clock.start, TestServer.Clock.start.adding(seconds: 400 * 86_400),
        ] {
            for table in [DividedTable.ledger, .revocations] {
                #expect(table.bound(at: moment.milliseconds) == TimeOrderedID.firstEntry(at: moment))
                let id = TimeOrderedID.entry(at: moment, random: RandomSource { [UInt8](repeating: 255, count: $0) })
                #expect(table.milliseconds(of: id) == moment.milliseconds)
            }
        }
    }

    private static func existing(_ names: [String], in server: TestServer) async throws -> [String] {
        try await server.database.read { tx in
            try names.filter { name in
                try tx.first("SELECT 1 WHERE to_regclass(\(name)) IS NOT NULL") { _ in true } ?? false
            }
        }
    }
}
