import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Lists members in the order of their registration.
package struct ListMembers: Report {
    var status: MemberStatus?
    /// The last member of the previous page.
    var after: UserID?
    var limit = 50

    package init(status: MemberStatus? = nil, after: UserID? = nil, limit: Int = 50) {
        self.status = status
        self.after = after
        self.limit = limit
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [Member] {
        try MemberQueries.list(of: view.app.id, status: status, after: after, limit: max(1, min(limit, 1_000)), in: tx)
    }
}

/// Reads the ledger of a member, oldest entry first.
package struct ReadHistory: Report {
    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [LedgerEntry] {
        try LedgerQueries.entries(of: user, app: view.app.id, in: tx)
    }
}
