import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// One entry of the ledger.
public struct LedgerEntry: Sendable, Hashable {
    public let id: String
    public let user: UserID
    public let event: EventName
    public let origin: Origin
    /// Ids and names of identity providers.
    public let details: [String: String]
    /// Milliseconds since 1970, UTC.
    public let date: Int64
}

/// Table `ledger`, which is append-only: no statement changes an entry, and only the end of the months that are kept deletes one.
enum LedgerQueries {
    static func insert(_ entry: LedgerEntry, app: AppID, in tx: Draft) throws {
        let details =
            entry.details.isEmpty ? nil : try JSONText.write(entry.details)
        try tx.insert(
            into: "ledger",
            [
                "user_id": entry.user, "app_id": app, "entry_id": entry.id, "event": entry.event.stored,
                "actor": entry.origin.actor.rawValue, "door": entry.origin.door.rawValue,
                "acted_by": entry.origin.name, "reason": entry.origin.reason, "details": details,
                "happened_at": entry.date,
            ])
    }

    /// The entries, oldest first.
    static func entries(of user: UserID, app: AppID, in tx: Reader) throws -> [LedgerEntry] {
        try tx.rows(
            """
            SELECT \(columns) FROM ledger
            WHERE user_id = \(user) AND app_id = \(app) ORDER BY entry_id
            """
        ) { row in try entry(of: row.columns) }
    }

    /// A part of the entries, newest first.
    ///
    /// - Parameters:
    ///   - last: the last entry of the page before.
    ///   - actor: only what this kind of actor has done.
    ///   - kind: only what is about this.
    ///   - since: the first moment.
    ///   - until: the moment before which they were.
    static func entries(
        of user: UserID, app: AppID, before last: String?, by actor: ActorKind? = nil, about kind: TimelineKind? = nil,
        since: Moment? = nil, until: Moment? = nil, limit: Int, in tx: Reader
    ) throws -> [LedgerEntry] {
        let condition: SQL = if let actor { "AND actor = \(actor.rawValue)" } else { "" }
        if let kind, kind.events.isEmpty { return [] }
        let subject: SQL = if let kind { "AND \(isOne(of: kind.events))" } else { "" }
        let begin: SQL = if let since { "AND happened_at >= \(since)" } else { "" }
        let end: SQL = if let until { "AND happened_at < \(until)" } else { "" }
        return try tx.rows(
            """
            SELECT \(columns) FROM ledger
            WHERE user_id = \(user) AND app_id = \(app) AND entry_id < \(last ?? TimeOrderedID.end) \(condition) \(subject) \(begin)
                \(end)
            ORDER BY entry_id DESC LIMIT \(limit)
            """
        ) { row in try entry(of: row.columns) }
    }

    /// The newest entries since a moment that say which identities the member has got or lost.
    static func changesOfIdentities(
        of user: UserID, app: AppID, since: Moment, limit: Int, in tx: Reader
    ) throws -> [LedgerEntry] {
        let events: [EventName] = [
            .mappingMovedHere, .mappingMovedAway, .mappingAdded, .mappingRemoved, .memberRestored,
        ]
        return try tx.rows(
            """
            SELECT \(columns) FROM ledger
            WHERE user_id = \(user) AND app_id = \(app) AND entry_id >= \(TimeOrderedID.firstEntry(at: since))
                AND \(isOne(of: events))
            ORDER BY entry_id DESC LIMIT \(limit)
            """
        ) { row in try entry(of: row.columns) }
    }

    /// A list, with which PostgreSQL compares each entry once. Rows of `VALUES` would be a join.
    private static func isOne(of events: [EventName]) -> SQL {
        let rest = events.dropFirst().reduce("" as SQL) { "\($0), \($1.stored)" }
        return "event IN (\(events.first?.stored)\(rest))"
    }

    /// The place of an entry in the order of the key.
    struct Key: Sendable {
        let user: UserID
        let app: AppID
        let id: String
    }

    /// Deletes the old ones among the next entries.
    ///
    /// - Parameter key: the last entry that the call before has examined.
    /// - Returns: how many were deleted, and the last examined one; nil at the end of the table.
    static func forget(
        after key: Key?, before moment: Moment, limit: Int, in tx: Transaction
    ) throws -> (deleted: Int, last: Key?) {
        let rows = try tx.rows(
            """
            SELECT user_id, app_id, entry_id FROM ledger
            WHERE (user_id, app_id, entry_id) > (\(key?.user.rawValue ?? ""), \(key?.app.rawValue ?? ""), \(key?.id ?? ""))
            ORDER BY user_id, app_id, entry_id LIMIT \(limit)
            """
        ) { row in Key(user: try row[0], app: try row[1], id: try row[2]) }
        let old = rows.filter { $0.id < TimeOrderedID.firstEntry(at: moment) }
        for row in old {
            try tx.delete(from: "ledger", where: ["user_id": row.user, "app_id": row.app, "entry_id": row.id])
        }
        return (old.count, rows.count < limit ? nil : rows.last)
    }

    /// The next entries of an app, in the order of the key: those of one member after those of another.
    ///
    /// - Parameter last: the last entry of the page before.
    static func entries(of app: AppID, after last: LedgerEntry?, limit: Int, in tx: Reader) throws -> [LedgerEntry] {
        try tx.rows(
            """
            SELECT \(columns) FROM ledger
            WHERE (user_id, app_id, entry_id) > (\(last?.user ?? UserID("")), \(app), \(last?.id ?? "")) AND app_id = \(app)
            ORDER BY user_id, app_id, entry_id LIMIT \(limit)
            """
        ) { row in try entry(of: row.columns) }
    }

    /// The columns for ``entry(of:)``.
    private static let columns: SQL = "user_id, entry_id, event, actor, door, acted_by, reason, details, happened_at"

    private static func entry(of columns: consuming ColumnReader) throws -> LedgerEntry {
        var columns = columns
        let (user, id, name): (UserID, String, String) = (try columns.next(), try columns.next(), try columns.next())
        let origin = Origin(
            actor: ActorKind(rawValue: try columns.next()) ?? .system,
            door: Origin.Door(rawValue: try columns.next()) ?? .clock, name: try columns.next(),
            reason: try columns.next())
        let details: String? = try columns.next()
        return LedgerEntry(
            id: id, user: user, event: EventName(stored: name), origin: origin,
            details: try details.map { try JSONText.read($0) } ?? [:], date: try columns.next())
    }

    /// The steps of withdrawals over all apps, oldest first. It uses the same index as ``withdrawals(of:event:details:in:_:in:)``.
    static func withdrawals(
        after id: String, limit: Int, in tx: Reader
    ) throws -> [(app: AppID, entry: LedgerEntry)] {
        try tx.rows(
            """
            SELECT app_id, \(columns) FROM ledger
            WHERE event IN ('withdrawal.done', 'withdrawal.requested', 'withdrawal.cancelled') AND entry_id > \(id)
            ORDER BY entry_id LIMIT \(limit)
            """
        ) { row in
            var columns = row.columns
            return (try columns.next(), try entry(of: columns))
        }
    }

    /// Completed withdrawals of an app, newest first. The condition must match the one in the definition of the index.
    ///
    /// - Parameter last: the last entry of the page before.
    static func completedWithdrawals(
        of app: AppID, before last: String?, limit: Int, in tx: Reader
    ) throws -> [LedgerEntry] {
        let rest: SQL = if let last { "AND entry_id < \(last)" } else { "" }
        return try tx.rows(
            """
            SELECT \(columns) FROM ledger
            WHERE event IN ('withdrawal.done', 'withdrawal.requested', 'withdrawal.cancelled')
                AND app_id = \(app) AND event = 'withdrawal.done' \(rest)
            ORDER BY entry_id DESC LIMIT \(limit)
            """
        ) { row in try entry(of: row.columns) }
    }

    /// Withdrawals of an app, all or those of one kind. The condition must match the one in the definition of their index.
    static func withdrawals(
        of app: AppID, event: EventName, details: [String: String]?, in period: Period, _ page: Page,
        in tx: Reader
    ) throws -> Paged<LedgerEntry> {
        let kind: SQL = if let details { "AND details = \(try JSONText.write(details))" } else { "" }
        let source: SQL = """
            ledger WHERE event IN ('withdrawal.done', 'withdrawal.requested', 'withdrawal.cancelled')
                AND \(period.holds("entry_id")) AND app_id = \(app) AND event = \(event.stored) \(kind)
            """
        return try tx.page(
            page, columns, from: source, orderedBy: "entry_id"
        ) { row in try entry(of: row.columns) }
    }
}
