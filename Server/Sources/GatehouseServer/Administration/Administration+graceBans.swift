import GatehouseServerWire
import GatehouseStorage
public import GatehouseWire

extension Administration {
    /// Registers a grace ban: the member can play until its deadline, and is then banned permanently unless it has met the condition.
    ///
    /// - Throws: 3 for invalid parameters, and for a member that already has a grace ban; 7 for a banned member; 3003 if there is no
    ///   such member.
    public func registerGraceBan(
        _ graceBan: GraceBan, of user: UserID, reason: String, of app: AppID
    ) async throws -> GraceBan {
        let request = GraceBanRequest(userId: user, graceBan: graceBan, registeredBy: operatorName)
        return try await changeAccount("member.grace-banned", user, reason, app) { change, tx in
            try change.origin.requireReason()
            return try GraceBanRules.register(request, change, in: tx)
        }
    }

    /// Ends a member's grace ban without a ban.
    ///
    /// - Throws: 3 for a member without a grace ban; 3003 if there is no such member.
    public func cancelGraceBan(of user: UserID, reason: String, of app: AppID) async throws {
        try await changeAccount("grace-ban.released", user, reason, app) { change, tx in
            try change.origin.requireReason()
            try GraceBanRules.release(user, change, in: tx)
        }
    }

    /// Grace bans that began before a moment, newest first.
    ///
    /// - Parameters:
    ///   - user: only those of this member; nil for those of all members.
    ///   - isOpen: only those that are in effect now.
    public func graceBans(
        of app: AppID, user: UserID? = nil, isOpen: Bool = true, before end: Moment? = nil, limit: Int = 100
    ) async throws -> [GraceBanRecord] {
        let end = end ?? environment.now().adding(seconds: 1)
        return try await database.read { tx in
            try GraceBanQueries.graceBans(
                of: app, user: user, isOpen: isOpen, before: end, limit: max(1, min(limit, 1_000)), in: tx)
        }
    }
}
