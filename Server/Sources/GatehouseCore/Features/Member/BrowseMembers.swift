package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Lists members, newest first or in another order. A filter looks at a limited number of members at a time, so that nothing rare costs more than a fixed time.
package struct BrowseMembers: Report {
    /// Upper bound on the members that one page looks at.
    package static let maximumLookedAt = 5_000

    let filter: MemberFilter
    let cursor: MemberCursor
    let limit: Int

    package init(_ filter: MemberFilter, from cursor: MemberCursor = MemberCursor(), limit: Int) {
        self.filter = filter
        self.cursor = cursor
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
        /// Where the next page begins, as ``MemberCursor`` reads it; nil after the last member.
        package let next: String?
        /// The number of members that were looked at, and when the last of them was registered: in the order of registration if they have
        /// not filled the page, and in the order of logins if there are more members than those.
        package let lookedAt: (count: Int, until: Moment)?
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> Page {
        let app = view.app.id
        let count = max(1, min(limit, 500))
        var rows = try MemberQueries.browse(
            filter, from: cursor, app: app, limit: count + 1, lookingAt: Self.maximumLookedAt, in: tx)
        let isFull = rows.count > count
        rows = Array(rows.prefix(count))
        let providers = try MemberQueries.providers(of: rows.map(\.user), app: app, in: tx)
        for index in rows.indices { rows[index].providers = providers[rows[index].user] ?? [] }
        let next = isFull ? rows.last.map(cursor.text) : nil
        let isPartial = cursor.order.key == .lastLogin || (!isFull && filter.selects)
        guard isPartial,
            let last = try MemberQueries.lastLookedAt(
                filter, from: cursor, app: app, lookingAt: Self.maximumLookedAt, in: tx)
        else { return Page(rows: rows, next: next, lookedAt: nil) }
        let goesOn = cursor.order.key == .registration
        return Page(
            rows: rows, next: goesOn ? last.user.rawValue : next, lookedAt: (Self.maximumLookedAt, last.registeredAt))
    }
}
