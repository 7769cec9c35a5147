import GatehouseStorage
import GatehouseWire

/// What makes that a withdrawal survives the restore of an older copy: the ledger tells of every step of every withdrawal, and
/// what is told can be carried out again.
enum ErasureRules {
    /// What carrying out a step again has done.
    enum Outcome: Sendable, Hashable {
        case withdrawn, willWithdraw, stays
        /// The member is gone or was never there, or the database holds a later step.
        case nothingToDo
    }

    /// A page of steps in the order of time, and the place to go on after; nil at the end.
    static func steps(
        after place: String, limit: Int, in tx: Transaction
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

    /// Carries out a step again, unless it has been or a later one has taken its place.
    static func replay(_ erasure: Erasure, _ change: Change, in tx: Transaction) throws -> Outcome {
        // As the copy had it: a deadline that has passed since is not carried out, since the player may have cancelled.
        guard try MemberQueries.take(erasure.user, app: change.app.id, in: tx),
            let found = try MemberQueries.account(erasure.user, app: change.app.id, in: tx),
            found.status != .withdrawn
        else { return .nothingToDo }
        let account = try MemberRules.withHolds(found, in: tx)
        if erasure.step == .withdrawn {
            try WithdrawalRules.withdraw(account, change, in: tx)
            return .withdrawn
        }
        // What the player has decided since counts.
        let last = try LedgerRules.history(of: erasure.user, app: change.app.id, in: tx).last {
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
