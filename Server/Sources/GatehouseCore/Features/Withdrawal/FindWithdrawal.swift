package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Finds one member's withdrawal by the user id: the one that is pending, or the date of the completed one.
package struct FindWithdrawal: Report {
    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    package struct Outcome: Sendable {
        /// When the pending withdrawal will be completed; nil if none is pending.
        package let withdrawsAt: Moment?
        /// The newest entry about a completed withdrawal; nil if there is none.
        package let completed: LedgerEntry?
    }

    /// The number of the member's newest entries that are looked at. A completed withdrawal is among the last that a member has.
    private static let looked = 50

    func read(_ view: Viewpoint, in tx: Reader) throws -> Outcome {
        let account = try MemberQueries.account(user, app: view.app.id, in: tx)
        let entries = try LedgerQueries.entries(
            of: user, app: view.app.id, before: nil, limit: Self.looked, in: tx)
        return Outcome(
            withdrawsAt: account?.holds.withdrawsAt, completed: entries.first { $0.event == .withdrawn })
    }
}
