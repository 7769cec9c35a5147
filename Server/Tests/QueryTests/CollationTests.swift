import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

/// A database that compares texts as a language does.
@Suite struct CollationTests {
    @Test(
        "The end of all ids follows every id, also where a language decides the order",
        arguments: Engine.available.filter { $0 == .postgresql })
    func end(engine: Engine) async throws {
        let ids = ["0vvvvvvvvvvvvvvvvvvvvvvvvv", MemberQueryTests.user.rawValue, "ZZZZZZZZZZZZZZZZ", "imported-Zoe_9"]
        try await Tables.open(engine) { database in
            for id in ids {
                let isBefore = try await database.read { tx in
                    try tx.first(
                        """
                        SELECT \(id) COLLATE "en-x-icu" < \(TimeOrderedID.end) COLLATE "en-x-icu"
                            AND \(id) COLLATE "en-x-icu" < \(String(id.prefix(2)) + TimeOrderedID.end) COLLATE "en-x-icu"
                            AND \(id) COLLATE "C" < \(TimeOrderedID.end) COLLATE "C"
                        """
                    ) { row in try row[0] as Bool }
                }
                #expect(isBefore == true, "\(id)")
            }
        }
    }
}
