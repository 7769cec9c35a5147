import GatehouseImport
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

// Bans of other systems. The change is by the import.
extension BanRules {
    /// Adds a ban to the history. Whether it holds the member is in the member's row.
    ///
    /// - Returns: its id.
    static func insertImported(
        _ ban: ImportedBan, of user: UserID, _ change: Change, in tx: Draft
    ) throws -> String {
        // An id begins with the time of the ban's beginning, by which lists find it. No clock of an old system counts that is ahead.
        let begin = Moment(milliseconds: min(ban.beginDate ?? .max, change.moment.milliseconds))
        let id = TimeOrderedID.session(at: begin, random: change.random).rawValue
        try BanQueries.insertImported(id, ban, from: begin, user: user, change, in: tx)
        return id
    }

    /// Begins a ban of a member whose row is locked, and ends its sessions. The caller writes the hold.
    static func beginImported(
        _ ban: ImportedBan, of account: Account, _ change: Change, in tx: Draft
    ) throws -> Holds.Hold {
        let id = try insertImported(ban, of: account.user, change, in: tx)
        if let grace = account.holds.graceBan {
            try GraceBanQueries.end(grace.id, app: account.app, outcome: "banned", at: change.moment, in: tx)
        }
        try SessionRules.endAll(of: account, .init(reason: .banned), change, in: tx)
        return try recordImported(ban, id, of: account.user, change, in: tx)
    }

    /// Records a ban that holds a member.
    static func recordImported(
        _ ban: ImportedBan, _ id: String, of user: UserID, _ change: Change, in tx: Draft
    ) throws -> Holds.Hold {
        let end = ban.endDate.map { Moment(milliseconds: $0) }
        try change.record(.banned(id: id, ban.type, template: nil, end: end), of: user, in: tx)
        return .init(id: id, endsAt: end)
    }

    /// Lifts an imported ban of a member whose row is locked. The caller writes the hold.
    static func liftImported(_ id: String, of user: UserID, _ change: Change, in tx: Draft) throws {
        try BanQueries.release(id, change, in: tx)
        try change.record(.banReleased(id: id), of: user, in: tx)
    }

    /// Gives an imported ban of a member whose row is locked another end. The caller writes the hold.
    static func changeImported(
        _ id: String, end: Moment?, of user: UserID, _ change: Change, in tx: Draft
    ) throws -> Holds.Hold {
        try BanQueries.setEnd(id, app: change.app.id, to: end, in: tx)
        try change.record(.banChanged(id: id, end: end), of: user, in: tx)
        return .init(id: id, endsAt: end)
    }

    /// Deletes the bans of a member who is deleted, because its import is undone.
    static func deleteImported(of user: UserID, app: AppID, in tx: Draft) throws {
        try BanQueries.deleteAll(of: user, app: app, in: tx)
    }
}

extension Origin {
    /// The server itself, as it does something under a name.
    static func system(_ name: String, reason: String? = nil) -> Origin {
        Origin(actor: .system, door: .command, name: name, reason: reason)
    }
}

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
