import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// The changes of a member when a deadline passes, made exactly once over all nodes: the first login or sweep that finds a passed
/// deadline makes the change, and the member's row decides between concurrent ones (WITHDRAW-3, BAN-2, BAN-4).
enum LifeRules {
    /// Makes the due change. False when there is nothing left to do.
    static func settle(_ lapsed: LapsedMember, _ change: Change, in tx: Transaction) throws -> Bool {
        guard try MemberQueries.take(lapsed.user, app: lapsed.app, in: tx),
            let found = try MemberQueries.account(lapsed.user, app: lapsed.app, in: tx)
        else { return false }
        let account = try MemberRules.withHolds(found, in: tx)
        let isDue = { (moment: Moment?) in moment.map { $0 <= change.moment } ?? false }
        if account.isGone {
            guard isDue(account.holds.restorableUntil) else { return false }
            try closeRestoreWindow(account, change, in: tx)
            return true
        }
        if isDue(account.holds.withdrawsAt) {
            try WithdrawalRules.withdraw(account, change, in: tx)
            return true
        }
        if isDue(account.holds.ban?.endsAt) {
            try BanRules.expire(account, change, in: tx)
            return true
        }
        guard isDue(account.holds.graceBan?.endsAt) else { return false }
        try GraceBanRules.lapse(account, change, in: tx)
        return true
    }

    private static func closeRestoreWindow(_ account: Account, _ change: Change, in tx: Draft) throws {
        try FormerIdentityQueries.deleteAll(of: account.user, app: account.app, in: tx)
        try TransferRules.deleteAll(of: account.user, app: account.app, in: tx)
        try MemberQueries.update(account, status: .missing, holds: Holds(), in: tx)
        try change.record(.restoreWindowClosed, of: account.user, in: tx)
    }

    /// Freezes a member whose last identity is gone: its sessions end, and it can be restored for a limited time (MAP-6).
    static func freeze(
        _ account: Account, without identity: IdentityKey, reason: ErrorReason, _ change: Change, in tx: Transaction
    ) throws {
        try remember(identity, of: account, change, in: tx)
        var holds = account.holds
        holds.withdrawsAt = nil
        holds.restorableUntil = windowEnd(change)
        try MemberQueries.update(account, status: .missing, holds: holds, in: tx)
        try SessionRules.endAll(of: account, .init(reason: reason), change, in: tx)
        try change.record(.memberFrozen(without: identity.provider, reason), of: account.user, in: tx)
    }

    /// Moves an identity from one member to another. Its tokens are deleted, because the new owner's login brings others.
    static func moveAway(
        _ identity: IdentityKey, from holder: Account, to user: UserID, _ change: Change, in tx: Transaction
    ) throws {
        try MemberRules.removeIdentity(identity.provider, of: holder, change, in: tx)
        try IdentityTokenRules.forget(identity.provider, of: holder.user, change, in: tx)
        try change.record(.mappingMovedAway(identity.provider, to: user), of: holder.user, in: tx)
    }

    /// Stores an identity that leaves a member, so that it can be restored.
    static func remember(
        _ identity: IdentityKey, of account: Account, _ change: Change, in tx: Transaction
    ) throws {
        try FormerIdentityQueries.keep(
            identity, of: account.user, app: account.app, at: change.moment, until: windowEnd(change), in: tx)
    }

    /// Stores the guest identity of a member that has one, before a mapping ends it. If the mapping is undone later, the member becomes a
    /// guest again.
    static func rememberGuest(of account: Account, _ change: Change, in tx: Transaction) throws {
        guard let guest = account.mappings.first(where: { $0.provider == .guest }) else { return }
        let identity = IdentityKey(provider: .guest, namespace: "", subject: guest.subject)
        try remember(identity, of: account, change, in: tx)
    }

    /// The guest identity that a member gets back when it loses its last other one; nil if there is none, or another member has it.
    static func returningGuest(of account: Account, at moment: Moment, in tx: Reader) throws -> IdentityKey? {
        let former = try FormerIdentityQueries.identities(of: account.user, app: account.app, at: moment, in: tx)
        guard let guest = former.first(where: { $0.provider == .guest }),
            try MemberQueries.owner(of: guest, app: account.app, in: tx) == nil
        else { return nil }
        return guest
    }

    private static func windowEnd(_ change: Change) -> Moment {
        change.moment.adding(seconds: Int64(change.app.policy.restoreDays) * 86_400)
    }

    /// Restores a frozen member with one of its former identities, taking it from the member that has it now. If that was the other
    /// member's only identity, the other becomes the guest that it was before; if that is impossible, it is frozen.
    static func restore(
        _ user: UserID, with provider: Provider?, _ change: Change, in tx: Transaction
    ) throws -> Restoration {
        let app = change.app.id
        guard let seen = try MemberQueries.account(user, app: app, in: tx) else { throw Refusal(.authNotExistMember) }
        guard seen.status == .missing else {
            throw Refusal.parameter("userId", "The member is not missing: there is nothing to restore.")
        }
        let former = try FormerIdentityQueries.identities(of: user, app: app, at: change.moment, in: tx)
        guard let identity = former.first(where: { provider == nil || $0.provider == provider }) else {
            throw Refusal.parameter("idp", "No such former identity of the member is kept.")
        }
        let account: Account
        var other: (user: UserID, outcome: Restoration.Other)?
        if let owner = try MemberQueries.owner(of: identity, app: app, in: tx) {
            let holder: Account
            (account, holder) = try MemberRules.take(user, and: owner, app: app, at: change.moment, in: tx)
            other = (owner, try giveBack(identity, by: holder, to: user, change, in: tx))
        } else {
            account = try MemberRules.take(user, app: app, at: change.moment, in: tx)
        }
        guard account.status == .missing else { throw StorageError.conflict }
        try thaw(account, with: identity, change, in: tx)
        // The operator has decided where the member is. A key from before must not move it elsewhere.
        try TransferKeyRules.end(of: user, app: app, in: tx)
        try FormerIdentityQueries.deleteAll(of: user, app: app, in: tx)
        return Restoration(provider: identity.provider, other: other?.user, outcome: other?.outcome)
    }

    private static func giveBack(
        _ identity: IdentityKey, by holder: Account, to user: UserID, _ change: Change, in tx: Transaction
    ) throws -> Restoration.Other {
        try moveAway(identity, from: holder, to: user, change, in: tx)
        guard holder.mappings.count == 1 else {
            try MemberQueries.step(holder, in: tx)
            return .keepsOthers
        }
        guard let guest = try returningGuest(of: holder, at: change.moment, in: tx) else {
            try freeze(holder, without: identity, reason: .identityRemoved, change, in: tx)
            return .isFrozen
        }
        try MemberQueries.step(holder, in: tx)
        try TransferKeyRules.end(of: holder.user, app: holder.app, in: tx)
        try MemberQueries.insertIdentity(guest, of: holder, at: change.moment, in: tx)
        try change.record(.mappingAdded(.guest, endsGuest: false), of: holder.user, in: tx)
        return .isGuestAgain
    }

    /// Gives a frozen member an identity, which unfreezes it.
    static func thaw(_ account: Account, with identity: IdentityKey, _ change: Change, in tx: Draft) throws {
        var holds = account.holds
        guard let end = holds.restorableUntil, change.moment < end else {
            throw Refusal(.authNotExistMember, "The time in which the member can be restored is over.")
        }
        holds.restorableUntil = nil
        try MemberQueries.update(account, status: holds.status, holds: holds, in: tx)
        try MemberQueries.insertIdentity(identity, of: account, at: change.moment, in: tx)
        try change.record(.memberRestored(identity.provider), of: account.user, in: tx)
    }
}

extension Services {
    /// Makes the due change of a member whose deadline has passed, in a transaction of its own. False when there was nothing left to do.
    @discardableResult
    func settle(_ lapsed: LapsedMember, at moment: Moment) async throws -> Bool {
        let (isDone, events) = try await database.transact { [random, vault] tx -> (Bool, [RecordedEvent]) in
            guard let app = try AppQueries.app(lapsed.app, in: tx) else { return (false, []) }
            let change = Change(
                CallContext(app: app, moment: moment), by: Actor.system.origin, random: random, vault: vault)
            return (try LifeRules.settle(lapsed, change, in: tx), change.events)
        }
        reporter.report(events)
        return isDone
    }
}

/// The result of a restoration.
public struct Restoration: Sendable, Hashable {
    /// The identity provider of the restored identity.
    public let provider: Provider
    /// The member that had the identity.
    public let other: UserID?
    public let outcome: Other?

    /// What happened to the member that had the identity.
    public enum Other: String, Sendable, Hashable {
        case keepsOthers = "keeps its other identities"
        case isGuestAgain = "is a guest again, as before"
        case isFrozen = "has none left and is frozen: it can be restored in turn"
    }
}
