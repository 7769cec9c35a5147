package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Lists members, newest first. A filter looks at a limited number of members at a time, so that nothing rare costs more than a fixed time.
package struct BrowseMembers: Report {
    /// Upper bound on the members that one page looks at.
    package static let maximumLookedAt = 5_000

    let filter: MemberFilter
    /// The last member of the page before.
    let before: UserID?
    let limit: Int

    package init(_ filter: MemberFilter, before: UserID? = nil, limit: Int) {
        self.filter = filter
        self.before = before
        self.limit = limit
    }

    package struct Row: Sendable, Hashable {
        package let user: UserID
        package let status: MemberStatus
        package let registeredAt: Moment
        package let lastLoginAt: Moment
        package var providers: [Provider] = []
    }

    package struct Page: Sendable {
        package let rows: [Row]
        /// Where the next page begins; nil after the last member.
        package let next: UserID?
        /// The number of members that were looked at without filling the page, and when the last of them was registered.
        package let lookedAt: (count: Int, until: Moment)?
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> Page {
        let app = view.app.id
        let count = max(1, min(limit, 500))
        var rows = try MemberQueries.browse(
            filter, app: app, before: before, limit: count + 1, lookingAt: Self.maximumLookedAt, in: tx)
        let isFull = rows.count > count
        rows = Array(rows.prefix(count))
        let providers = try MemberQueries.providers(of: rows.map(\.user), app: app, in: tx)
        for index in rows.indices { rows[index].providers = providers[rows[index].user] ?? [] }
        if isFull { return Page(rows: rows, next: rows.last?.user, lookedAt: nil) }
        guard filter.selects,
            let last = try MemberQueries.lastLookedAt(
                filter, app: app, before: before, lookingAt: Self.maximumLookedAt, in: tx)
        else { return Page(rows: rows, next: nil, lookedAt: nil) }
        return Page(rows: rows, next: last.user, lookedAt: (Self.maximumLookedAt, last.registeredAt))
    }
}
