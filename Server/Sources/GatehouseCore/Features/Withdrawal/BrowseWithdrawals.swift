package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Lists an app's members whose withdrawal is pending, the next one first.
package struct ListPendingWithdrawals: Report {
    let limit: Int

    package init(limit: Int) {
        self.limit = limit
    }

    package struct Row: Sendable {
        package let user: UserID
        package let withdrawsAt: Moment
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [Row] {
        let (app, count) = (view.app.id, max(1, min(limit, 1_000)))
        return try MemberQueries.withdrawing(from: app, limit: count, in: tx)
            .map { Row(user: $0.user, withdrawsAt: $0.at) }
    }
}

/// Lists an app's completed withdrawals, newest first. The ledger names no person (WITHDRAW-5).
package struct ListCompletedWithdrawals: Report {
    /// The last entry of the page before.
    let last: String?
    let limit: Int

    package init(before last: String?, limit: Int) {
        self.last = last
        self.limit = limit
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [LedgerEntry] {
        let (app, count) = (view.app.id, max(1, min(limit, 1_000)))
        return try LedgerQueries.completedWithdrawals(of: app, before: last, limit: count, in: tx)
    }
}
