import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `audit_log` and `audit_progress`.
@Suite struct AuditQueryTests {
    private static func record(
        _ seconds: Int64, app: AppID? = Tables.app, user: UserID? = MemberQueryTests.user,
        by origin: Origin = Origin(actor: .operator, door: .command, name: Tables.text),
        details: [String: String] = [:]
    ) -> AuditRecord {
        AuditRecord(
            id: Tables.id(at: Tables.moment + seconds), event: Tables.text, app: app, user: user, origin: origin,
            details: details, date: .max)
    }

    @Test("Records of one decision are read back as they were inserted, oldest first", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        let full = Self.record(2, details: ["a": Tables.text])
        let ofServer = Self.record(1, app: nil, user: nil, by: Origin(actor: .system, door: .clock))
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                for record in [full, ofServer] { try AuditQueries.insert(record, in: draft) }
            }
            let found = try await database.read { tx in try AuditQueries.records(after: "", limit: 9, in: tx) }
            #expect(found == [ofServer, full])
        }
    }

    @Test("The log goes on after an id, within its limit, for one door if asked", arguments: Engine.available)
    func pages(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let records = (1...4).map { seconds in
                Self.record(seconds, by: Origin(actor: .operator, door: seconds % 2 == 0 ? .command : .serverAPI))
            }
            for record in records.reversed() { try AuditQueries.insert(record, in: tx) }
            #expect(try AuditQueries.records(after: records[0].id, limit: 2, in: tx) == [records[1], records[2]])
            #expect(try AuditQueries.records(after: "", by: .command, limit: 9, in: tx) == [records[1], records[3]])
            #expect(try AuditQueries.records(after: records[3].id, limit: 9, in: tx).isEmpty)
            let middle = try AuditQueries.records(after: records[0].id, before: records[2].id, limit: 9, in: tx)
            #expect(middle == [records[1]])
        }
    }

    @Test("Each node has one moment until which its lines are written", arguments: Engine.available)
    func progress(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            try AuditProgressQueries.set("b", toldUntil: Tables.moment, in: tx)
            try AuditProgressQueries.set(Tables.text, toldUntil: Moment(milliseconds: .max), in: tx)
            try AuditProgressQueries.set("b", toldUntil: Tables.moment + 1, in: tx)
            try AuditProgressQueries.add("b", toldUntil: Tables.moment, in: tx)
            try AuditProgressQueries.add("c", toldUntil: Tables.moment, in: tx)
            try AuditProgressQueries.delete("c", toldUntil: Tables.moment, in: tx)
            let nodes = try AuditProgressQueries.nodes(in: tx)
            #expect(nodes.map(\.key) == [Tables.text, "b"])
            #expect(nodes.map(\.toldUntil) == [Moment(milliseconds: .max), Tables.moment + 1])
            let next = Tables.moment + 2
            #expect(try !AuditProgressQueries.move("b", from: Tables.moment, to: next, in: tx))
            #expect(try AuditProgressQueries.move("b", from: Tables.moment + 1, to: next, in: tx))
            #expect(try AuditProgressQueries.nodes(in: tx).map(\.toldUntil).last == next)
            try AuditProgressQueries.delete("b", in: tx)
            #expect(try AuditProgressQueries.nodes(in: tx).map(\.key) == [Tables.text])
        }
    }
}
