import GatehouseStorage
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// A rule that names a constraint is right only if both schemas have it.
@Suite struct ConstraintNameTests {
    private static let constraints = [
        KnownCredentials.key, Idempotency.key, IdentityTokenQueries.key, LoginAttemptQueries.key,
        MemberQueries.memberKey, MemberQueries.identityKey, MemberQueries.oneIdentityPerProvider, ProofQueries.key,
        TransferKeyQueries.key, TransferQueries.key, TransferQueries.onePerMember,
        LegacyQueries.legacyKey, LegacyQueries.oneIDPerSource, LegacyQueries.deviceKey,
    ]

    @Test("Every constraint that a rule names exists, with these columns in this order", arguments: Engine.available)
    func exist(engine: Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            for constraint in Self.constraints {
                let found = try await database.read { tx in try Self.columns(of: constraint, engine, in: tx) }
                #expect(found.contains(constraint.columns), "\(constraint)")
            }
        }
    }

    /// The columns of every unique constraint that this could be.
    private static func columns(
        of constraint: UniqueConstraint, _ engine: Engine, in tx: Reader
    ) throws -> [String] {
        if engine == .postgresql {
            let columns = try tx.rows(
                """
                SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT) FROM information_schema.key_column_usage
                WHERE constraint_name = \(constraint.name) ORDER BY ordinal_position
                """
            ) { row in try "\(row[0] as String).\(row[1] as String)" }
            return [columns.joined(separator: ", ")]
        }
        let table = String(constraint.columns.prefix { $0 != "." })
        let indexes = try tx.rows("SELECT name FROM pragma_index_list(\(table)) WHERE \"unique\" = 1") { row in
            try row[0] as String
        }
        return try indexes.map { index in
            try tx.rows("SELECT name FROM pragma_index_info(\(index)) ORDER BY seqno") { row in
                "\(table).\(try row[0] as String)"
            }.joined(separator: ", ")
        }
    }
}
