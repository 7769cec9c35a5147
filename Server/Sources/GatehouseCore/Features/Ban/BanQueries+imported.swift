import GatehouseImport
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

extension BanQueries {
    static func insertImported(
        _ id: String, _ ban: ImportedBan, from begin: Moment, user: UserID, _ change: Change, in tx: Draft
    ) throws {
        try tx.insert(
            into: "bans",
            [
                "ban_id": id, "app_id": change.app.id, "user_id": user, "ban_type": ban.type, "begins_at": begin,
                "ends_at": ban.endDate, "reason": ban.reason ?? change.origin.name ?? "",
                "caller": change.origin.caller, "registered_by": change.origin.name ?? change.origin.caller,
            ])
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "bans", where: ["user_id": user, "app_id": app])
    }
}
