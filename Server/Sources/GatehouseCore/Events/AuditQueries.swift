import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage

/// Table `audit_log`, which is append-only: no statement changes or deletes a record.
enum AuditQueries {
    static func insert(_ record: AuditRecord, in tx: Draft) throws {
        let details = record.details.isEmpty ? nil : try JSONText.write(record.details)
        try tx.insert(
            into: "audit_log",
            [
                "audit_id": record.id, "app_id": record.app, "user_id": record.user, "event": record.event,
                "actor": record.origin.actor.rawValue, "door": record.origin.door.rawValue,
                "acted_by": record.origin.name, "details": details, "happened_at": record.date,
            ])
    }

    static func isThere(_ id: String, in tx: Reader) throws -> Bool {
        try tx.first("SELECT 1 FROM audit_log WHERE audit_id = \(id)") { _ in true } ?? false
    }

    /// The records, oldest first.
    ///
    /// - Parameters:
    ///   - id: continues after this record.
    ///   - end: a bound above the ids.
    static func records(
        after id: String, before end: String? = nil, by door: Origin.Door? = nil, limit: Int, in tx: Reader
    ) throws -> [AuditRecord] {
        let condition: SQL = if let door { "AND door = \(door.rawValue)" } else { "" }
        let last: SQL = if let end { "AND audit_id < \(end)" } else { "" }
        return try tx.rows(
            """
            SELECT audit_id, app_id, user_id, event, actor, door, acted_by, details, happened_at FROM audit_log
            WHERE audit_id > \(id) \(last) \(condition) ORDER BY audit_id LIMIT \(limit)
            """
        ) { row in
            let details: String? = try row[7]
            return AuditRecord(
                id: try row[0], event: try row[3], app: try row[1], user: try row[2],
                origin: Origin(
                    actor: ActorKind(rawValue: try row[4]) ?? .system,
                    door: Origin.Door(rawValue: try row[5]) ?? .clock, name: try row[6]),
                details: try details.map { try JSONText.read($0) } ?? [:], date: try row[8])
        }
    }
}
