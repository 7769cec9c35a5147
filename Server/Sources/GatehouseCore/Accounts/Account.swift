import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// A member as the rules use it.
struct Account: Sendable, Hashable {
    let app: AppID
    let user: UserID
    /// The status as of the last change. `Y` means no holds; for any other status, see ``holds``.
    var status: MemberStatus
    let registrationDate: Int64
    var lastLoginDate: Int64
    /// The number of changes of this member. A decision based on one version is written to that version or not at all.
    var version: Int64
    /// A session is valid only in the generation in which it was opened.
    let generation: Int64
    var mappings: [Mapping]
    /// The number of each mapping's link. A session is valid only as long as the link with which it was opened.
    var links: [Provider: Int64] = [:]
    /// The last day on which a player of the member was there, in days since 1970, UTC.
    var activeDay: Int64 = 0
    /// Read only if ``status`` requires it.
    var holds = Holds()

    /// Whether this is a pure guest. Only pure guests have a guest identity, because the first mapping ends it (MAP-4).
    var isPureGuest: Bool { mappings.contains { $0.provider == .guest } }

    func has(_ provider: Provider) -> Bool { mappings.contains { $0.provider == provider } }

    /// The number of a link made with the next change of this version. It is greater than that of an earlier link of the same identity
    /// provider, because removing that one was a change.
    var nextLink: Int64 { version + 1 }

    var summary: MemberSummary {
        MemberSummary(
            registrationDate: registrationDate, lastLoginDate: lastLoginDate, providers: mappings.map(\.provider))
    }

    var isGone: Bool { status.isGone }

    /// Whether the member has changed by the passage of time since it was written: a deadline has passed, or a ban has ended.
    func hasLapsed(at moment: Moment) -> Bool {
        guard !isGone else { return false }
        let ends = [holds.withdrawsAt, holds.ban?.endsAt, holds.graceBan?.endsAt].compactMap { $0 }
        return ends.contains { $0 <= moment }
    }

    /// Whether the member has withdrawn, or the grace period of its withdrawal has passed.
    func hasWithdrawn(at moment: Moment) -> Bool {
        status == .withdrawn || holds.withdrawsAt.map { $0 <= moment } ?? false
    }

    func isBanned(at moment: Moment) -> Bool {
        if let ban = holds.ban { return ban.endsAt.map { moment < $0 } ?? true }
        guard let graceEnd = holds.graceBan?.endsAt else { return false }
        return graceEnd <= moment
    }
}

extension MemberStatus {
    /// Whether nobody can log in as a member of this status.
    var isGone: Bool { self == .withdrawn || self == .missing }
}

/// A member of which a deadline has passed, so that a change is due.
package struct LapsedMember: Sendable {
    package let app: AppID
    package let user: UserID
}

extension IdentityKey {
    /// The guest identity is the device's key (LOGIN-1).
    static func guest(_ key: KeyThumbprint) -> IdentityKey {
        IdentityKey(provider: .guest, namespace: "", subject: key.rawValue)
    }
}

/// Members, their identities, and their holds.
enum MemberRules {
    static func isKnown(_ identity: IdentityKey, app: AppID, in tx: Reader) throws -> Bool {
        try MemberQueries.owner(of: identity, app: app, in: tx) != nil
    }

    /// The member of the identity. The first login of an identity creates it (LOGIN-4). Of many concurrent first logins one inserts the
    /// identity; the others violate the constraint, are retried, and find its member.
    static func logIn(
        _ identity: IdentityKey, _ change: Change, in tx: Draft
    ) throws -> (account: Account, isNew: Bool) {
        if let found = try MemberQueries.account(of: identity, app: change.app.id, in: tx) {
            return (try current(found, at: change.moment, in: tx), false)
        }
        let app = change.app.id
        let moment = change.moment
        let id = TimeOrderedID.user(at: moment, random: change.random)
        let mapping = Mapping(
            provider: identity.provider, subject: identity.subject, registrationDate: moment.milliseconds)
        var account = Account(
            app: app, user: id, status: .normal, registrationDate: moment.milliseconds,
            lastLoginDate: moment.milliseconds, version: 0, generation: 0, mappings: [mapping])
        account.links[identity.provider] = account.nextLink
        account.activeDay = change.app.zone.day(of: moment)
        change.count(FirstActivity(of: account, on: account.activeDay, after: nil, at: moment))
        try MemberQueries.insertMember(id, app: app, on: account.activeDay, at: moment, in: tx)
        try MemberQueries.insertIdentity(identity, of: account, at: moment, in: tx)
        return (account, true)
    }

    /// Updates the member for a login.
    static func recordLogin(_ account: Account, _ change: Change, in tx: Draft) throws -> Account {
        let moment = change.moment
        // The clock of another node may be ahead.
        let day = max(account.activeDay, change.app.zone.day(of: moment))
        try MemberQueries.updateLastLogin(account, day: day, at: moment, in: tx)
        if day > account.activeDay {
            change.count(FirstActivity(of: account, on: day, after: account.activeDay, at: moment))
        }
        var account = account
        account.lastLoginDate = moment.milliseconds
        account.activeDay = day
        return account
    }

    /// Counts the member among those of the day, when its player goes on with a session that began on an earlier one.
    static func recordActivity(_ account: Account, _ change: Change, in tx: Draft) throws {
        let day = change.app.zone.day(of: change.moment)
        guard day > account.activeDay else { return }
        try MemberQueries.updateActiveDay(account, day: day, in: tx)
        change.count(FirstActivity(of: account, on: day, after: account.activeDay, at: change.moment))
    }

    /// Clears the revoked consent after a new login with the provider.
    static func clearRevocation(_ account: Account, with provider: Provider, in tx: Draft) throws -> Account {
        guard let index = account.mappings.firstIndex(where: { $0.provider == provider && $0.revokedDate != nil })
        else { return account }
        // A withdrawal that read the member before, from the session that the report has ended, is tried again and then refused.
        try MemberQueries.step(account, in: tx)
        try MemberQueries.setRevoked(nil, provider, of: account.user, app: account.app, in: tx)
        var account = account
        account.version += 1
        account.mappings[index].revokedDate = nil
        return account
    }

    /// The member with its holds. Throws ``AttemptFailure/unsettled(_:)`` if a deadline has passed,
    /// because the due change comes first.
    static func current(_ account: Account, at moment: Moment, in tx: Reader) throws -> Account {
        let account = try withHolds(account, in: tx)
        guard !account.hasLapsed(at: moment) else {
            throw AttemptFailure.unsettled(LapsedMember(app: account.app, user: account.user))
        }
        return account
    }

    /// A member with its holds, as of its last change.
    ///
    /// - Throws: ``GatehouseWire/ErrorCode/authNotExistMember`` for an unknown one.
    static func known(_ user: UserID, app: AppID, in tx: Reader) throws -> Account {
        guard let account = try MemberQueries.account(user, app: app, in: tx) else {
            throw Refusal(.authNotExistMember)
        }
        return try withHolds(account, in: tx)
    }

    static func withHolds(_ account: Account, in tx: Reader) throws -> Account {
        guard account.status != .normal else { return account }
        var account = account
        account.holds = try MemberQueries.holds(of: account.user, app: account.app, in: tx) ?? Holds()
        return account
    }

    /// Locks a member's row and reads it, so that what is decided now stays true until the transaction ends.
    static func take(_ id: UserID, app: AppID, at moment: Moment, in tx: Transaction) throws -> Account {
        guard let account = try takeIfThere(id, app: app, at: moment, in: tx) else {
            throw Refusal(.authNotExistMember)
        }
        return account
    }

    /// Locks a member's row and reads it; nil if there is no such member.
    static func takeIfThere(_ id: UserID, app: AppID, at moment: Moment, in tx: Transaction) throws -> Account? {
        guard try MemberQueries.take(id, app: app, in: tx), let found = try MemberQueries.account(id, app: app, in: tx)
        else { return nil }
        return try current(found, at: moment, in: tx)
    }

    /// Locks two members in a fixed order, so that two transactions can't deadlock.
    static func take(
        _ one: UserID, and other: UserID, app: AppID, at moment: Moment, in tx: Transaction
    ) throws -> (Account, Account) {
        guard one.rawValue < other.rawValue else {
            let (second, first) = try take(other, and: one, app: app, at: moment, in: tx)
            return (first, second)
        }
        return (try take(one, app: app, at: moment, in: tx), try take(other, app: app, at: moment, in: tx))
    }

    /// Locks the row of a member that was read before, and returns the locked member.
    static func take(_ account: Account, in tx: Transaction) throws -> Account {
        try MemberQueries.step(account, in: tx)
        var taken = account
        taken.version += 1
        return taken
    }

    /// Writes the holds of a member that is neither withdrawn nor missing, and returns the changed member.
    @discardableResult
    static func update(_ account: Account, in tx: Draft, _ change: (inout Holds) -> Void) throws -> Account {
        var changed = account
        change(&changed.holds)
        changed.status = changed.holds.status
        try MemberQueries.update(account, status: changed.status, holds: changed.holds, in: tx)
        return changed
    }

    /// Removes an identity of a member whose row is locked. The sessions that were opened with it end.
    static func removeIdentity(
        _ provider: Provider, of account: Account, _ change: Change, in tx: Transaction
    ) throws {
        try MemberQueries.deleteIdentity(provider, of: account.user, app: account.app, in: tx)
        try SessionRules.endAll(openedWith: provider, of: account, change, in: tx)
    }

    /// The member in the contract's form.
    static func member(_ account: Account, in tx: Reader) throws -> Member {
        var member = Member(account)
        if let end = account.holds.withdrawsAt {
            member.temporaryWithdrawal = TemporaryWithdrawal(gracePeriodDate: end.milliseconds)
        }
        member.graceBan = try HoldRules.graceBan(of: account, in: tx)
        return member
    }
}

extension Member {
    /// The member in the contract's form, without its holds.
    init(_ account: Account) {
        self.init(
            appId: account.app, userId: account.user, status: account.status,
            registrationDate: account.registrationDate, lastLoginDate: account.lastLoginDate, mappings: account.mappings
        )
    }
}
