package import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Lists the withdrawals of all members of an app, page by page, from the ledger, which names no person (WITHDRAW-5).
package struct ListWithdrawals: Report {
    package static let permission = Permission.serve(.erase)

    /// Nil for every completed withdrawal.
    let event: WithdrawalEvent?
    let period: Period
    let page: Page

    package init(event: WithdrawalEvent?, period: Period, page: Page) {
        self.event = event
        self.period = period
        self.page = page
    }

    package struct Row: Sendable {
        package let user: UserID
        package let date: Moment
        /// The actor; nil for the player.
        package let registeredBy: String?
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> Paged<Row> {
        let (name, details): (EventName, [String: String]?) =
            switch event {
            case nil: (.withdrawn, nil)
            case .graceBegun: (.withdrawalRequested, nil)
            case .graceCancelled: (.withdrawalCancelled, nil)
            // A completed withdrawal's entry has no details except its event.
            case let event?: (.withdrawn, ["event": event.rawValue])
            }
        let entries = try LedgerQueries.withdrawals(
            of: view.app.id, event: name, details: details, in: period, page, in: tx)
        return entries.map { entry in
            Row(
                user: entry.user, date: Moment(milliseconds: entry.date),
                registeredBy: entry.origin.actor == .player ? nil : entry.origin.name ?? "SYSTEM")
        }
    }
}
