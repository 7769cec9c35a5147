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
