package import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Lists the withdrawals of all members of an app, page by page, from the ledger, which names no person (WITHDRAW-5).
package struct ListWithdrawals: Action {
    package static let permission = Permission.serve(.erase)
    package static let role = OperatorRole.viewer

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

    package func perform(_ work: Work) async throws -> Paged<Row> {
        try await work.report { tx in try read(of: work.app.id, in: tx) }
    }

    private func read(of app: AppID, in tx: Reader) throws -> Paged<Row> {
        let (name, details): (EventName, [String: String]?) =
            switch event {
            case nil: (.withdrawn, nil)
            case .graceBegun: (.withdrawalRequested, nil)
            case .graceCancelled: (.withdrawalCancelled, nil)
            // A completed withdrawal's entry has no details except its event.
            case let event?: (.withdrawn, ["event": event.rawValue])
            }
        let entries = try LedgerQueries.withdrawals(
            of: app, event: name, details: details, in: period, page, in: tx)
        return entries.map { entry in
            Row(
                user: entry.user, date: Moment(milliseconds: entry.date),
                registeredBy: entry.origin.actor == .player ? nil : entry.origin.name ?? "SYSTEM")
        }
    }
}

/// A member's withdrawal: the one that is pending, or the completed one.
package struct WithdrawalFinding: Sendable {
    /// When the pending withdrawal will be completed; nil if none is pending.
    package let withdrawsAt: Moment?
    /// The newest entry about a completed withdrawal; nil if there is none.
    package let completed: LedgerEntry?
}

extension UseCase where Self == Read<WithdrawalFinding> {
    /// A member's withdrawal. A completed one is among the last entries of a member, so 50 are looked at.
    package static func withdrawal(of user: UserID) -> Self {
        Read { context, tx in
            let account = try MemberQueries.account(user, app: context.app.id, in: tx)
            let entries = try LedgerQueries.entries(of: user, app: context.app.id, before: nil, limit: 50, in: tx)
            return WithdrawalFinding(
                withdrawsAt: account?.holds.withdrawsAt, completed: entries.first { $0.event == .withdrawn })
        }
    }
}

package struct PendingWithdrawal: Sendable {
    package let user: UserID
    package let withdrawsAt: Moment
}

extension UseCase where Self == Read<[PendingWithdrawal]> {
    /// An app's members whose withdrawal is pending, the next one first.
    package static func pendingWithdrawals(limit: Int) -> Self {
        Read { context, tx in
            try MemberQueries.withdrawing(from: context.app.id, limit: max(1, min(limit, 1_000)), in: tx)
                .map { PendingWithdrawal(user: $0.user, withdrawsAt: $0.at) }
        }
    }
}

extension UseCase where Self == Read<[LedgerEntry]> {
    /// An app's completed withdrawals, newest first. The ledger names no person (WITHDRAW-5).
    ///
    /// - Parameter last: the last entry of the page before.
    package static func completedWithdrawals(before last: String?, limit: Int) -> Self {
        Read { context, tx in
            try LedgerQueries.completedWithdrawals(
                of: context.app.id, before: last, limit: max(1, min(limit, 1_000)), in: tx)
        }
    }
}
