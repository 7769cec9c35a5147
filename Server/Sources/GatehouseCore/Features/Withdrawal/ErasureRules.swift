import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Makes withdrawals survive the restore of an older copy: the ledger has every step of every withdrawal, and an exported step can be
/// repeated.
enum ErasureRules {
    /// A page of steps in chronological order, and where the next page begins; nil at the end.
    static func steps(
        after place: String, limit: Int, in tx: Reader
    ) throws -> (erasures: [Erasure], next: String?) {
        let entries = try LedgerQueries.withdrawals(after: place, limit: limit, in: tx)
        let erasures = entries.compactMap { app, entry -> Erasure? in
            let step: Erasure.Step
            switch entry.event {
            case .withdrawn: step = .withdrawn
            case .withdrawalCancelled: step = .cancelled
            case .withdrawalRequested:
                guard let end = entry.details["endDate"].flatMap({ Int64($0) }) else { return nil }
                step = .requested(end: Moment(milliseconds: end))
            default: return nil
            }
            return Erasure(app: app, user: entry.user, step: step, moment: Moment(milliseconds: entry.date))
        }
        return (erasures, entries.count < limit ? nil : entries.last?.entry.id)
    }

    /// Repeats a step, unless it was already carried out or a later one has replaced it.
    static func replay(_ erasure: Erasure, _ change: Change, in tx: Transaction) throws -> ErasureOutcome {
        // The member is used as the copy has it. A deadline that has passed since then is not carried out, because the player may have
        // cancelled.
        guard try MemberQueries.take(erasure.user, app: change.app.id, in: tx),
            let found = try MemberQueries.account(erasure.user, app: change.app.id, in: tx),
            found.status != .withdrawn
        else { return .nothingToDo }
        let account = try MemberRules.withHolds(found, in: tx)
        if erasure.step == .withdrawn {
            try WithdrawalRules.withdraw(account, change, in: tx)
            return .withdrawn
        }
        // A later decision of the player takes precedence.
        let last = try LedgerQueries.entries(of: erasure.user, app: change.app.id, in: tx).last {
            [.withdrawalRequested, .withdrawalCancelled].contains($0.event)
        }
        guard !account.isGone, last.map({ $0.date < erasure.moment.milliseconds }) ?? true else { return .nothingToDo }
        switch erasure.step {
        case .requested(let end):
            guard account.holds.withdrawsAt != end else { return .nothingToDo }
            _ = try WithdrawalRules.request(account, end: end, change, in: tx)
            return .willWithdraw
        case .cancelled:
            guard account.holds.withdrawsAt != nil else { return .nothingToDo }
            _ = try WithdrawalRules.cancel(account, change, in: tx)
            return .stays
        case .withdrawn: return .nothingToDo
        }
    }
}
