import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

/// Where a page of the list of members begins: the list's order, and the last member of the page before.
package struct MemberCursor: Sendable, Hashable {
    package let order: MemberOrder
    /// Nil for the first page.
    private(set) package var user: UserID?
    /// The last login of this member, in a list that is in the order of logins.
    private(set) package var lastLoginAt: Moment?

    /// - Parameter text: what ``text(after:)`` has made. The first page follows what is none.
    package init(_ order: MemberOrder = .newest, after text: String? = nil) {
        self.order = order
        guard let text else { return }
        switch order.key {
        case .registration: user = UserID(text)
        case .lastLogin:
            let parts = text.parts(at: "-")
            guard parts.count == 2, let login = Int64(parts[0]) else { return }
            (user, lastLoginAt) = (UserID(String(parts[1])), Moment(milliseconds: login))
        }
    }

    /// The beginning of the page after a member, as an address has it.
    package func text(after row: BrowseMembers.Row) -> String {
        switch order.key {
        case .registration: row.user.rawValue
        case .lastLogin: "\(row.lastLoginAt.milliseconds)-\(row.user)"
        }
    }
}
