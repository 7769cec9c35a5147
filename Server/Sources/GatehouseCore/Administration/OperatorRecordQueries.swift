import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `operator_actions`, which is append-only: no statement changes or deletes a row.
enum OperatorRecordQueries {
    static let once = UniqueConstraint("operator_actions_once", on: "operator_actions", "operator_id", "once_key")

    /// If the page was sent at the same time on another way, the transaction is retried and finds the other's row.
    static func insert(_ record: OperatorRecord, once key: String, in tx: Draft) throws {
        try tx.insert(
            into: "operator_actions",
            [
                "entry_id": record.id, "app_id": record.app, "operator_id": record.person,
                "operator_name": record.personName, "role": record.role?.rawValue ?? record.door.rawValue,
                "action": record.action,
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

    /// The column `role` has the role of a person of the console, and otherwise the door.
    private static func record(_ row: Row) throws -> OperatorRecord {
        var columns = row.columns
        let (id, app, person): (String, AppID?, OperatorID) = (
            try columns.next(), try columns.next(), try columns.next()
        )
        let (name, role, action): (String, String, String) = (
            try columns.next(), try columns.next(), try columns.next()
        )
        return OperatorRecord(
            id: id, app: app, person: person, personName: name, role: OperatorRole(rawValue: role),
            action: formerNames[action] ?? action, target: try columns.next(), reason: try columns.next(),
            ticket: try columns.next(), before: try state(columns.next()), after: try state(columns.next()),
            transactionID: try columns.next(), address: try columns.next(), date: try columns.next(),
            door: Origin.Door(rawValue: role) ?? .console)
    }

    /// Names in the rows of earlier versions, with those that the actions have now.
    private static let formerNames = ["session.ended": EndMemberSession.about.name]

    private static func state(_ text: String?) throws -> TargetState? {
        try text.map { TargetState(try JSONText.read($0)) }
    }

    static func find(once key: String, of person: OperatorID, in tx: Reader) throws -> OperatorRecord? {
        try tx.first(
            "SELECT \(columns) FROM operator_actions WHERE operator_id = \(person) AND once_key = \(key)", record)
    }

    static func find(_ id: String, in tx: Reader) throws -> OperatorRecord? {
        try tx.first("SELECT \(columns) FROM operator_actions WHERE entry_id = \(id)", record)
    }

    /// What was done in an app, newest first.
    ///
    /// - Parameter before: the last row of the page before.
    static func records(of app: AppID, before: String?, limit: Int, in tx: Reader) throws -> [OperatorRecord] {
        try tx.rows(
            """
            SELECT \(columns) FROM operator_actions WHERE app_id = \(app) AND entry_id < \(before ?? TimeOrderedID.end)
            ORDER BY entry_id DESC LIMIT \(limit)
            """, record)
    }

    /// What was done in an app, newest first.
    ///
    /// - Parameter ids: between which the rows lie, which are in the order of time.
    static func records(of app: AppID, in ids: Range<String>, limit: Int, in tx: Reader) throws -> [OperatorRecord] {
        try tx.rows(
            """
            SELECT \(columns) FROM operator_actions
            WHERE app_id = \(app) AND entry_id >= \(ids.lowerBound) AND entry_id < \(ids.upperBound)
            ORDER BY entry_id DESC LIMIT \(limit)
            """, record)
    }

    /// What was done in an app by some actions, newest first, as far as it is among the newest records.
    static func records(of app: AppID, by actions: [String], among count: Int, in tx: Reader) throws -> [OperatorRecord]
    {
        try tx.rows(
            """
            SELECT \(columns) FROM (
                SELECT \(columns) FROM operator_actions WHERE app_id = \(app) ORDER BY entry_id DESC LIMIT \(count)
                ) AS newest
            WHERE action IN (VALUES \(rows: actions)) ORDER BY entry_id DESC
            """, record)
    }

    /// What a person has changed in apps, newest first, as far as it is among the newest records of everybody.
    static func targets(
        of person: OperatorID, among count: Int, in tx: Reader
    ) throws -> [(app: AppID?, target: String, date: Moment)] {
        try tx.rows(
            """
            SELECT app_id, target, happened_at FROM (
                SELECT entry_id, app_id, operator_id, target, happened_at FROM operator_actions
                ORDER BY entry_id DESC LIMIT \(count)) AS newest
            WHERE operator_id = \(person) AND app_id IS NOT NULL ORDER BY entry_id DESC
            """
        ) { row in (try row[0], try row[1], try row[2]) }
    }

    /// The names of those who have done the newest records, in an app or anywhere.
    static func people(of app: AppID?, lookingAt bound: Int, in tx: Reader) throws -> [String] {
        let place: SQL = if let app { "WHERE app_id = \(app)" } else { "" }
        return try tx.rows(
            """
            SELECT DISTINCT d.operator_name FROM (
                SELECT operator_name FROM operator_actions \(place) ORDER BY entry_id DESC LIMIT \(bound)) d
            """
        ) { row in try row[0] }
    }

    /// What was done in every app and to the server as a whole, newest first.
    static func records(before: String?, limit: Int, in tx: Reader) throws -> [OperatorRecord] {
        try tx.rows(
            """
            SELECT \(columns) FROM operator_actions WHERE entry_id < \(before ?? TimeOrderedID.end) ORDER BY entry_id DESC LIMIT \(limit)
            """, record)
    }

    /// What was done to the server as a whole, newest first.
    static func recordsOfServer(
        target: String?, before: String?, limit: Int, in tx: Reader
    ) throws -> [OperatorRecord] {
        let rest: SQL = if let before { "AND entry_id < \(before)" } else { "" }
        let part: SQL = if let target { "AND target = \(target)" } else { "" }
        return try tx.rows(
            """
            SELECT \(columns) FROM operator_actions WHERE app_id IS NULL \(part) \(rest) ORDER BY entry_id DESC LIMIT \(limit)
            """, record)
    }

    /// What was done to a target, newest first.
    static func records(of app: AppID, target: String, limit: Int, in tx: Reader) throws -> [OperatorRecord] {
        try tx.rows(
            """
            SELECT \(columns) FROM operator_actions WHERE target = \(target) AND app_id = \(app)
            ORDER BY entry_id DESC LIMIT \(limit)
            """, record)
    }

    /// Why a person has done the last things in an app, or to the server as a whole, newest first.
    static func reasons(
        of person: OperatorID, app: AppID?, limit: Int, in tx: Reader
    ) throws -> [(reason: String, action: String, once: String)] {
        let place: SQL = if let app { "app_id = \(app)" } else { "app_id IS NULL" }
        return try tx.rows(
            """
            SELECT reason, action, once_key FROM operator_actions WHERE operator_id = \(person) AND \(place)
            ORDER BY entry_id DESC LIMIT \(limit)
            """
        ) { row in (try row[0], try row[1], try row[2]) }
    }
}
