import GatehouseStorage
import TestDatabases
import Testing

/// Lists of few members among many.
@Suite struct ListPlanTests {
    @Test(
        "SQLite finds banned and withdrawing members by their indexes, not by looking through all members",
        arguments: [
            ("ban_id IS NOT NULL AND (ban_ends_at IS NULL OR ban_ends_at > 1)", "ban_id DESC", "members_banned"),
            ("due_at IS NOT NULL AND withdraws_at IS NOT NULL", "due_at, user_id", "members_withdrawing"),
        ])
    func plans(condition: String, order: String, index: String) async throws {
        let statement = SQL(
            stringLiteral:
                "EXPLAIN QUERY PLAN SELECT user_id FROM members WHERE \(condition) AND app_id = 'a' ORDER BY \(order) LIMIT 25"
        )
        try await Tables.open(.sqlite) { database in
            let steps = try await database.read { tx in try tx.rows(statement) { row in try row[3] as String } }
            #expect(steps.count == 1, "\(steps)")
            #expect(steps.first?.contains(" USING INDEX \(index) ") == true, "\(steps)")
        }
    }
}
