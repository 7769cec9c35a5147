import Foundation
import GatehouseStorage
import GatehouseWire

/// Table `ledger`: append-only. There is no statement that changes or deletes an entry.
enum LedgerQueries {
    static func insert(_ entry: LedgerEntry, app: AppID, in tx: Transaction) throws {
        let details =
            entry.details.isEmpty ? nil : try JSONText.write(entry.details)
        try tx.later(
            """
            INSERT INTO ledger (user_id, app_id, entry_id, event, actor, door, acted_by, reason, details, happened_at)
            VALUES (\(entry.user), \(app), \(entry.id), \(entry.event), \(entry.origin.actor.rawValue),
                \(entry.origin.door.rawValue), \(entry.origin.name), \(entry.origin.reason), \(details), \(entry.date))
            """)
    }

    /// Oldest first.
    static func entries(of user: UserID, app: AppID, in tx: Transaction) throws -> [LedgerEntry] {
        try tx.rows(
            """
            SELECT entry_id, event, actor, door, acted_by, reason, details, happened_at FROM ledger
            WHERE user_id = \(user) AND app_id = \(app) ORDER BY entry_id
            """
        ) { row in
            let details: String? = try row[6]
            return LedgerEntry(
                id: try row[0], user: user, event: try row[1],
                origin: Origin(
                    actor: AuditLog.Actor(rawValue: try row[2]) ?? .system,
                    door: Origin.Door(rawValue: try row[3]) ?? .clock, name: try row[4], reason: try row[5]),
                details: try details.map { try JSONText.read($0) }
                    ?? [:],
                date: try row[7])
        }
    }
}
