import GatehouseStorage
import GatehouseWire

/// What time does to a member by itself, exactly once over all nodes: whoever meets it first, a login or the sweeper, carries
/// it out, and the member's row decides between two at once (WITHDRAW-3, BAN-2, BAN-4).
enum LifeRules {
    /// False when there is nothing left to do.
    static func settle(_ lapsed: LapsedMember, _ change: Change, in tx: Transaction) throws -> Bool {
        guard try MemberQueries.take(lapsed.user, app: lapsed.app, in: tx),
            let found = try MemberQueries.account(lapsed.user, app: lapsed.app, in: tx)
        else { return false }
        let account = try MemberRules.withHolds(found, in: tx)
        let isDue = { (moment: Moment?) in moment.map { $0 <= change.moment } ?? false }
        if account.isGone {
            guard isDue(account.holds.restorableUntil) else { return false }
            try closeRestoreWindow(account, change, in: tx)
        } else if isDue(account.holds.withdrawsAt) {
            try WithdrawalRules.withdraw(account, change, in: tx)
        } else if isDue(account.holds.ban?.endsAt) {
            try BanRules.expire(account, change, in: tx)
        } else if isDue(account.holds.graceBan?.endsAt) {
            try GraceBanRules.lapse(account, change, in: tx)
        } else {
            return false
        }
        return true
    }

    private static func closeRestoreWindow(_ account: Account, _ change: Change, in tx: Transaction) throws {
        try FormerIdentityQueries.deleteAll(of: account.user, app: account.app, in: tx)
        try TransferRules.deleteAll(of: account.user, app: account.app, in: tx)
        try MemberQueries.update(account, status: .missing, holds: Holds(), in: tx)
        try LedgerRules.append(.restoreWindowClosed, of: account.user, [:], change, in: tx)
    }

    /// A member whose last identity is gone: frozen, its sessions ended, and restorable for a while (MAP-6).
    static func freeze(
        _ account: Account, without identity: IdentityKey, reason: ErrorReason, _ change: Change, in tx: Transaction
    ) throws {
        try FormerIdentityQueries.keep(identity, of: account.user, app: account.app, at: change.moment, in: tx)
        var holds = account.holds
        holds.withdrawsAt = nil
        holds.restorableUntil = change.moment.adding(seconds: Int64(change.app.policy.restoreDays) * 86_400)
        try MemberQueries.update(account, status: .missing, holds: holds, in: tx)
        try MemberQueries.endSessions(of: account.user, app: account.app, .init(reason: reason), in: tx)
        try LedgerRules.append(
            .memberFrozen, of: account.user, ["idp": identity.provider.rawValue, "reason": reason.rawValue], change,
            in: tx)
    }

    /// Brings a frozen member back with one of its former identities: from whoever has it now, unless that would leave the
    /// other without any.
    static func restore(_ user: UserID, with provider: Provider?, _ change: Change, in tx: Transaction) throws -> Account
    {
        let app = change.app.id
        guard let seen = try MemberQueries.account(user, app: app, in: tx) else { throw Refusal(.authNotExistMember) }
        guard seen.status == .missing else {
            throw Refusal.parameter("userId", "The member is not missing: there is nothing to restore.")
        }
        let former = try FormerIdentityQueries.identities(of: user, app: app, in: tx)
        guard let identity = former.first(where: { provider == nil || $0.provider == provider }) else {
            throw Refusal.parameter("idp", "No such former identity of the member is kept.")
        }
        var account: Account
        if let owner = try MemberQueries.owner(of: identity, app: app, in: tx) {
            let holder: Account
            (account, holder) = try MemberRules.take(user, and: owner, app: app, at: change.moment, in: tx)
            guard holder.mappings.count > 1 else {
                throw Refusal(
                    .authRemoveMappingLastMappedIDP,
                    "The identity is the last one of another member, \(owner): map another to it first, or restore by a transfer account."
                )
            }
            try MemberQueries.step(holder, in: tx)
            try MemberQueries.deleteIdentity(identity.provider, of: owner, app: app, in: tx)
            try LedgerRules.append(
                .mappingMovedAway, of: owner, ["idp": identity.provider.rawValue, "toUserId": user.rawValue], change,
                in: tx)
        } else {
            account = try MemberRules.take(user, app: app, at: change.moment, in: tx)
        }
        guard account.status == .missing else { throw TransactionConflict() }
        try thaw(account, with: identity, change, in: tx)
        try FormerIdentityQueries.deleteAll(of: user, app: app, in: tx)
        account.mappings = [
            Mapping(
                provider: identity.provider, subject: identity.subject, registrationDate: change.moment.milliseconds)
        ]
        return account
    }

    /// Gives a frozen member an identity again.
    static func thaw(_ account: Account, with identity: IdentityKey, _ change: Change, in tx: Transaction) throws {
        var holds = account.holds
        guard let end = holds.restorableUntil, change.moment < end else {
            throw Refusal(.authNotExistMember, "The time in which the member can be restored is over.")
        }
        holds.restorableUntil = nil
        try MemberQueries.update(account, status: holds.status, holds: holds, in: tx)
        try MemberQueries.insertIdentity(identity, of: account.user, app: account.app, at: change.moment, in: tx)
        try LedgerRules.append(
            .memberRestored, of: account.user, ["idp": identity.provider.rawValue], change, in: tx)
    }
}
