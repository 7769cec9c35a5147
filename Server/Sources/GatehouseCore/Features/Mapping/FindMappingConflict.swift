import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Finds the members that a refused mapping (3302) was about, as far as that is still known: the one that had the identity, and those
/// that had it before.
package struct FindMappingConflict: Report {
    package struct Party: Sendable, Hashable {
        package let user: UserID
        package let status: MemberStatus
        /// When the identity left the member; nil for the one that had it.
        package let until: Moment?
    }

    /// Upper bound on the former holders.
    private static let limit = 3
    let user: UserID
    let provider: Provider
    let date: Moment

    /// - Parameters:
    ///   - user: the member that wanted the identity.
    ///   - date: the moment of the refused call.
    package init(of user: UserID, with provider: Provider, at date: Moment) {
        self.user = user
        self.provider = provider
        self.date = date
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [Party] {
        let app = view.app.id
        guard let found = try TicketQueries.conflict(of: user, with: provider, app: app, at: date, in: tx) else {
            return []
        }
        let former = try FormerIdentityQueries.holders(ofSubject: found.subject, app: app, limit: Self.limit, in: tx)
            .filter { $0.provider == provider && $0.user != found.holder }
        let users = [(found.holder, nil)] + former.map { ($0.user, Optional($0.until)) }
        return try users.compactMap { user, until in
            try MemberQueries.account(user, app: app, in: tx).map {
                Party(user: user, status: $0.status, until: until)
            }
        }
    }
}
