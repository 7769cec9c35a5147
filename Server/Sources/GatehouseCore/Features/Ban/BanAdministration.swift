package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Lists a member's bans, newest first.
package struct ListBansOfMember: Report {
    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [BanRecord] {
        try BanQueries.bans(of: user, app: view.app.id, in: tx)
    }
}

/// Lists the bans of an app that began in a period, newest first.
package struct ListRecentBans: Report {
    let begin: Moment
    let end: Moment
    let limit: Int

    package init(begin: Moment, end: Moment, limit: Int = 100) {
        self.begin = begin
        self.end = end
        self.limit = limit
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [BanRecord] {
        try BanQueries.bans(of: view.app.id, from: begin, to: end, limit: max(1, min(limit, 1_000)), in: tx)
    }
}

/// Lists the grace bans of an app that began before a moment, newest first.
package struct ListGraceBans: Report {
    /// Only those of this member; nil for those of all members.
    let user: UserID?
    /// Only those that are in effect now.
    let isOpen: Bool
    /// Nil for now.
    let end: Moment?
    /// The last one of the page before.
    let last: String?
    let limit: Int

    package init(
        user: UserID? = nil, isOpen: Bool = true, end: Moment? = nil, after last: String? = nil, limit: Int = 100
    ) {
        self.last = last
        self.user = user
        self.isOpen = isOpen
        self.end = end
        self.limit = limit
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [GraceBanRecord] {
        let app = view.app.id
        let end = end ?? view.moment.adding(seconds: 1)
        return try GraceBanQueries.graceBans(
            of: app, user: user, isOpen: isOpen, before: end, after: last, limit: max(1, min(limit, 1_000)), in: tx)
    }
}
