import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `operator_actions`, which is append-only: no statement changes or deletes a row.
enum DeedQueries {
    static let once = UniqueConstraint("operator_actions_once", on: "operator_actions", "operator_id", "once_key")

    /// If the page was sent at the same time on another way, the transaction is retried and finds the other's row.
    static func insert(_ record: DeedRecord, once key: String, in tx: Draft) throws {
        // way: ban 760
        try tx.insert(
            into: "operator_actions",
            [
                "entry_id": record.id, "app_id": record.app, "operator_id": record.person,
                "operator_name": record.personName, "role": record.role.rawValue, "action": record.action,
                "target": record.target, "reason": record.reason, "ticket": record.ticket,
                "state_before": try record.before.map { try JSONText.write($0.values) },
                "state_after": try record.after.map { try JSONText.write($0.values) },
                "transaction_id": record.transactionID, "address": record.address, "once_key": key,
                "happened_at": record.date,
            ], ifTaken: [once: StorageError.conflict])
    }

    private static let columns: SQL = """
        entry_id, app_id, operator_id, operator_name, role, action, target, reason, ticket, state_before, state_after,
        transaction_id, address, happened_at
        """

    private static func record(_ row: Row) throws -> DeedRecord {
        var columns = row.columns
        return DeedRecord(
            id: try columns.next(), app: try columns.next(), person: try columns.next(),
            personName: try columns.next(), role: OperatorRole(rawValue: try columns.next()) ?? .viewer,
            action: try columns.next(), target: try columns.next(), reason: try columns.next(),
            ticket: try columns.next(), before: try state(columns.next()), after: try state(columns.next()),
            transactionID: try columns.next(), address: try columns.next(), date: try columns.next())
    }

    private static func state(_ text: String?) throws -> DeedState? {
        try text.map { DeedState(try JSONText.read($0)) }
    }

    static func find(once key: String, of person: OperatorID, in tx: Reader) throws -> DeedRecord? {
        // way: ban 470, ban 590
        try tx.first(
            "SELECT \(columns) FROM operator_actions WHERE operator_id = \(person) AND once_key = \(key)", record)
    }

    static func find(_ id: String, in tx: Reader) throws -> DeedRecord? {
        try tx.first("SELECT \(columns) FROM operator_actions WHERE entry_id = \(id)", record)
    }

    /// What was done in an app, newest first.
    ///
    /// - Parameter before: the last row of the page before.
    static func records(of app: AppID, before: String?, limit: Int, in tx: Reader) throws -> [DeedRecord] {
        try tx.rows(
            """
            SELECT \(columns) FROM operator_actions WHERE app_id = \(app) AND entry_id < \(before ?? TimeOrderedID.end)
            ORDER BY entry_id DESC LIMIT \(limit)
            """, record)
    }

    /// What was done in every app and to the server as a whole, newest first.
    static func records(before: String?, limit: Int, in tx: Reader) throws -> [DeedRecord] {
        try tx.rows(
            """
            SELECT \(columns) FROM operator_actions WHERE entry_id < \(before ?? TimeOrderedID.end) ORDER BY entry_id DESC LIMIT \(limit)
            """, record)
    }

    /// What was done to the server as a whole, newest first.
    static func recordsOfServer(
        target: String?, before: String?, limit: Int, in tx: Reader
    ) throws -> [DeedRecord] {
        let rest: SQL = if let before { "AND entry_id < \(before)" } else { "" }
        let part: SQL = if let target { "AND target = \(target)" } else { "" }
        return try tx.rows(
            """
            SELECT \(columns) FROM operator_actions WHERE app_id IS NULL \(part) \(rest) ORDER BY entry_id DESC LIMIT \(limit)
            """, record)
    }

    /// What was done to a target, newest first.
    static func records(of app: AppID, target: String, limit: Int, in tx: Reader) throws -> [DeedRecord] {
        try tx.rows(
            """
            SELECT \(columns) FROM operator_actions WHERE target = \(target) AND app_id = \(app)
            ORDER BY entry_id DESC LIMIT \(limit)
            """, record)
    }
}
