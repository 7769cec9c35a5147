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

    func read(_ context: CallContext, in tx: Reader) throws -> Paged<Row> {
        let (name, details): (EventName, [String: String]?) =
            switch event {
            case nil: (.withdrawn, nil)
            case .graceBegun: (.withdrawalRequested, nil)
            case .graceCancelled: (.withdrawalCancelled, nil)
            // A completed withdrawal's entry has no details except its event.
            case let event?: (.withdrawn, ["event": event.rawValue])
            }
        let entries = try LedgerQueries.withdrawals(
            of: context.app.id, event: name, details: details, in: period, page, in: tx)
        return entries.map { entry in
            Row(
                user: entry.user, date: Moment(milliseconds: entry.date),
                registeredBy: entry.origin.actor == .player ? nil : entry.origin.name ?? "SYSTEM")
        }
    }
}

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

    func read(_ context: CallContext, in tx: Reader) throws -> Outcome {
        let account = try MemberQueries.account(user, app: context.app.id, in: tx)
        let entries = try LedgerQueries.entries(
            of: user, app: context.app.id, before: nil, limit: Self.looked, in: tx)
        return Outcome(
            withdrawsAt: account?.holds.withdrawsAt, completed: entries.first { $0.event == .withdrawn })
    }
}

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

    func read(_ context: CallContext, in tx: Reader) throws -> [Row] {
        let (app, count) = (context.app.id, max(1, min(limit, 1_000)))
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

    func read(_ context: CallContext, in tx: Reader) throws -> [LedgerEntry] {
        let (app, count) = (context.app.id, max(1, min(limit, 1_000)))
        return try LedgerQueries.completedWithdrawals(of: app, before: last, limit: count, in: tx)
    }
}
