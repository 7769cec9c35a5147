import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// The state of a member before a ban or a release.
public enum BanFinding: String, Sendable, Hashable {
    case unknown
    /// The member has withdrawn or is missing: nobody can log in as this member.
    case gone
    case free
    case banned
}

/// Finds out whether a member is banned now.
package struct FindBan: Report {
    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> BanFinding {
        let (app, moment) = (view.app.id, view.moment)
        guard let found = try MemberQueries.account(user, app: app, in: tx) else { return .unknown }
        guard !found.isGone else { return .gone }
        return try MemberRules.withHolds(found, in: tx).isBanned(at: moment) ? .banned : .free
    }
}
