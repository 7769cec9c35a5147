import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reads a single row of what holds a member, of tables `bans`, `ban_templates` and `grace_bans`. Who changes and lists them is the
/// feature.
enum HoldQueries {
    static func ban(_ id: String, app: AppID, in tx: Reader) throws -> BanRecord? {
        try tx.first("SELECT \(banColumns) FROM bans b WHERE b.ban_id = \(id) AND b.app_id = \(app)", ban)
    }

    static let banColumns: SQL = """
        b.ban_id, b.user_id, b.ban_type, b.begins_at, b.ends_at, b.template_code, b.message, b.reason, b.flags, b.caller,
        b.registered_by, b.released_at, b.release_caller, b.release_reason, b.released_by
        """

    static func ban(_ row: Row) throws -> BanRecord {
        let message: String? = try row[6]
        let releasedAt: Moment? = try row[11]
        return BanRecord(
            id: try row[0], user: try row[1], type: try row[2], beginsAt: try row[3], endsAt: try row[4],
            templateCode: try row[5], message: try message.map(JSONText.read), reason: try row[7], flags: try row[8],
            caller: try row[9], registeredBy: try row[10],
            release: try releasedAt.map { .init(at: $0, caller: try row[12], reason: try row[13], by: try row[14]) })
    }

    static func banTemplate(_ code: Int, app: AppID, in tx: Reader) throws -> BanTemplate? {
        try tx.first(
            "SELECT \(templateColumns) FROM ban_templates WHERE app_id = \(app) AND code = \(code)", template)
    }

    static let templateColumns: SQL = "code, name, texts, is_archived"

    static func template(_ row: Row) throws -> BanTemplate {
        var columns = row.columns
        return BanTemplate(
            code: try columns.next(), name: try columns.next(), texts: try JSONText.read(try columns.next()),
            isArchived: try columns.next())
    }

    static func graceBan(_ id: String, app: AppID, in tx: Reader) throws -> GraceBanProgress? {
        try tx.first(
            "SELECT \(graceBanColumns) FROM grace_bans g WHERE g.grace_ban_id = \(id) AND g.app_id = \(app)", graceBan)
    }

    static let graceBanColumns: SQL = """
        g.message, g.ends_at, g.required_amount, g.required_count, g.currency, g.condition_type, g.paid_amount, g.paid_count
        """

    static func graceBan(_ row: Row) throws -> GraceBanProgress {
        GraceBanProgress(
            message: try row[0], endsAt: try row[1], requiredAmount: try row[2], requiredCount: try row[3],
            currency: try row[4], conditionType: try row[5], paidAmount: try row[6], paidCount: try row[7])
    }
}
