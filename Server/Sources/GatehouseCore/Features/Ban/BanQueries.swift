import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Tables `bans` and `ban_templates`. The rows of `bans` are the history: a release is added to the row, and nothing is deleted. One ban
/// and one template are read by ``HoldQueries``.
enum BanQueries {
    static func insert(
        _ id: String, user: UserID, _ input: BanRules.Input, _ change: Change, in tx: Draft
    ) throws {
        try tx.insert(
            into: "bans",
            [
                "ban_id": id, "app_id": change.app.id, "user_id": user, "ban_type": input.type,
                "begins_at": change.moment, "ends_at": input.endsAt, "template_code": input.templateCode,
                "message": try input.message.map(JSONText.write), "reason": change.origin.reason ?? "",
                "flags": input.flags, "caller": change.origin.caller,
                "registered_by": change.origin.name ?? change.origin.caller,
            ])
    }

    static func release(_ id: String, _ change: Change, in tx: Draft) throws {
        try tx.update(
            "bans",
            set: """
                released_at = \(change.moment), release_caller = \(change.origin.caller),
                release_reason = \(change.origin.reason ?? ""),
                released_by = \(change.origin.name ?? change.origin.caller)
                """,
            where: ["ban_id": id, "app_id": change.app.id], and: "released_at IS NULL", ifMissed: StorageError.conflict)
    }

    /// Sets the end of a ban that was not released; nil for none.
    static func setEnd(_ id: String, app: AppID, to end: Moment?, in tx: Draft) throws {
        let type = end == nil ? BanType.permanent : .temporary
        try tx.update(
            "bans", set: "ends_at = \(end), ban_type = \(type)", where: ["ban_id": id, "app_id": app],
            and: "released_at IS NULL", ifMissed: StorageError.conflict)
    }

    /// The bans, newest first.
    ///
    /// - Parameter limit: nil for all.
    static func bans(of user: UserID, app: AppID, limit: Int? = nil, in tx: Reader) throws -> [BanRecord] {
        let columns = HoldQueries.banColumns
        let end: SQL = if let limit { "LIMIT \(limit)" } else { "" }
        return try tx.rows(
            "SELECT \(columns) FROM bans b WHERE b.user_id = \(user) AND b.app_id = \(app) ORDER BY b.ban_id DESC \(end)",
            HoldQueries.ban)
    }

    /// Bans that began in a period, newest first. An id begins with that time.
    static func bans(
        of app: AppID, from begin: Moment, to end: Moment, limit: Int, in tx: Reader
    ) throws -> [BanRecord] {
        try tx.rows(
            """
            SELECT \(HoldQueries.banColumns) FROM bans b WHERE b.ban_id >= \(TimeOrderedID.firstSession(at: begin))
                AND b.ban_id < \(TimeOrderedID.firstSession(at: end)) AND b.app_id = \(app)
            ORDER BY b.ban_id DESC LIMIT \(limit)
            """, HoldQueries.ban)
    }

    static func setTemplate(_ template: BanTemplate, app: AppID, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO ban_templates (app_id, code, name, texts)
            VALUES (\(app), \(template.code), \(template.name), \(try JSONText.write(template.texts)))
            ON CONFLICT (app_id, code) DO UPDATE SET name = excluded.name, texts = excluded.texts
            """)
    }

    static func templates(of app: AppID, in tx: Reader) throws -> [BanTemplate] {
        try tx.rows(
            "SELECT \(HoldQueries.templateColumns) FROM ban_templates WHERE app_id = \(app) ORDER BY code",
            HoldQueries.template)
    }

    /// False if there is no such template.
    static func setArchived(_ isArchived: Bool, template code: Int, app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute(
            "UPDATE ban_templates SET is_archived = \(isArchived) WHERE app_id = \(app) AND code = \(code)") == 1
    }
}

extension Origin {
    /// The actor in the words of the histories (Gamebase's `banCaller`).
    var caller: String {
        switch actor {
        case .operator: "CONSOLE"
        case .gameServer: "APP_SERVER"
        case .player, .system: "SYSTEM"
        }
    }
}

extension BanQueries {
    static func begun(
        in period: Period, _ page: Page, app: AppID, in tx: Reader
    ) throws -> Paged<BanRecord> {
        // A ban's id begins with its time, so it can be compared with the period.
        try tx.page(
            page, HoldQueries.banColumns, from: "bans b WHERE \(period.holds("b.ban_id")) AND b.app_id = \(app)",
            orderedBy: "b.ban_id",
            decode: HoldQueries.ban)
    }

    static func released(
        in period: Period, _ page: Page, app: AppID, in tx: Reader
    ) throws -> Paged<BanRecord> {
        let source: SQL = """
            bans b WHERE b.released_at IS NOT NULL AND b.released_at >= \(period.begin) AND b.released_at <= \(period.end)
                AND b.app_id = \(app)
            """
        return try tx.page(
            page, HoldQueries.banColumns, from: source, orderedBy: "b.released_at", "b.ban_id", decode: HoldQueries.ban)
    }

    static func current(
        at moment: Moment, _ page: Page, app: AppID, in tx: Reader
    ) throws -> Paged<BanRecord> {
        let source: SQL = """
            members m JOIN bans b ON b.ban_id = m.ban_id AND b.app_id = m.app_id
            WHERE \(isBanned) AND m.app_id = \(app) AND (m.ban_ends_at IS NULL OR m.ban_ends_at > \(moment))
            """
        return try tx.page(page, HoldQueries.banColumns, from: source, orderedBy: "b.ban_id", decode: HoldQueries.ban)
    }

    /// Whether a member `m` has a ban. It is a range, because SQLite would look through all members of the app by the key of their table
    /// rather than join by an index on what is not null.
    private static let isBanned: SQL = "m.ban_id > ''"
}

// The console's lists go on after the last key.
extension BanQueries {
    /// Bans in any state, newest first.
    ///
    /// - Parameter last: the last ban of the page before.
    static func bans(of app: AppID, before last: String?, limit: Int, in tx: Reader) throws -> [BanRecord] {
        let rest: SQL = if let last { "AND b.ban_id < \(last)" } else { "" }
        return try tx.rows(
            """
            SELECT \(HoldQueries.banColumns) FROM bans b WHERE b.app_id = \(app) \(rest)
            ORDER BY b.ban_id DESC LIMIT \(limit)
            """, HoldQueries.ban)
    }

    /// Bans that are in effect now, newest first.
    static func inForce(
        at moment: Moment, app: AppID, before last: String?, limit: Int, in tx: Reader
    ) throws -> [BanRecord] {
        try tx.rows(
            """
            SELECT \(HoldQueries.banColumns) FROM \(newestInForce(at: moment, app: app, before: last, limit: limit))
            JOIN bans b ON b.ban_id = m.ban_id AND b.app_id = m.app_id ORDER BY b.ban_id DESC
            """, HoldQueries.ban)
    }

    /// The number of bans that are in effect now, up to a limit.
    static func countInForce(at moment: Moment, app: AppID, limit: Int, in tx: Reader) throws -> Int {
        try tx.rows(
            """
            SELECT user_id FROM members
            WHERE ban_id IS NOT NULL AND (ban_ends_at IS NULL OR ban_ends_at > \(moment)) AND app_id = \(app)
            ORDER BY ban_id DESC LIMIT \(limit)
            """
        ) { _ in true }.count
    }

    /// The number of bans in effect with each template, and without one, among the newest.
    ///
    /// - Parameter bound: how many bans are looked at.
    static func countsOfTemplates(
        at moment: Moment, app: AppID, lookingAt bound: Int, in tx: Reader
    ) throws -> [Int?: Int] {
        let rows = try tx.rows(
            """
            SELECT b.template_code, COUNT(*) FROM \(newestInForce(at: moment, app: app, limit: bound))
            JOIN bans b ON b.ban_id = m.ban_id AND b.app_id = m.app_id GROUP BY b.template_code
            """
        ) { row in (try row[0] as Int?, try row[1] as Int) }
        return Dictionary(rows) { first, _ in first }
    }

    /// Bans that are in effect, as `m`. The limit comes before a join. Otherwise PostgreSQL joins and sorts the bans of all members.
    private static func newestInForce(at moment: Moment, app: AppID, before last: String? = nil, limit: Int) -> SQL {
        let rest: SQL = if let last { "AND ban_id < \(last)" } else { "" }
        return """
            (SELECT ban_id, app_id FROM members
            WHERE ban_id IS NOT NULL AND app_id = \(app) \(rest) AND (ban_ends_at IS NULL OR ban_ends_at > \(moment))
            ORDER BY ban_id DESC LIMIT \(limit)) m
            """
    }
}

extension BanQueries {
    /// The bans of a page of members, whether they are over or not.
    static func bans(of users: UserRange, app: AppID, in tx: Reader) throws -> [BanRecord] {
        try tx.rows(
            """
            SELECT \(HoldQueries.banColumns) FROM bans b WHERE \(users.condition) AND b.app_id = \(app)
            """, HoldQueries.ban)
    }
}
