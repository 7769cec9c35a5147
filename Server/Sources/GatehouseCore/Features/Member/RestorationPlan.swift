import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What the restoration of a member would do to it and to the member that has its identity now (``LifeRules``).
struct RestorationPlan: Sendable {
    let provider: Provider
    /// The end of the time during which the member can be restored.
    let until: Moment
    /// The member that has the identity now, and what it keeps.
    let other: Other?

    struct Other: Sendable {
        let user: UserID
        let outcome: Restoration.Other
        /// The identity providers with which it can log in afterwards.
        let providers: [Provider]
        /// The number of its sessions that end, up to a hundred.
        let sessions: Int
    }

    /// Nil if the member can't be restored.
    ///
    /// - Parameter provider: nil for the identity that left last.
    init?(of user: UserID, with provider: Provider?, _ view: Viewpoint, in tx: Reader) throws {
        guard let found = try MemberQueries.account(user, app: view.app.id, in: tx), found.status == .missing else {
            return nil
        }
        let account = try MemberRules.withHolds(found, in: tx)
        let former = try FormerIdentityQueries.identities(of: user, app: view.app.id, at: view.moment, in: tx)
        guard let end = account.holds.restorableUntil, view.moment < end,
            let identity = former.first(where: { provider == nil || $0.provider == provider })
        else { return nil }
        let owner = try MemberQueries.owner(of: identity, app: view.app.id, in: tx)
        self.provider = identity.provider
        until = end
        other = try owner.flatMap { try Self.other($0, losing: identity.provider, view, in: tx) }
    }

    private static func other(
        _ user: UserID, losing provider: Provider, _ view: Viewpoint, in tx: Reader
    ) throws -> Other? {
        guard let holder = try MemberQueries.account(user, app: view.app.id, in: tx) else { return nil }
        var providers = holder.mappings.map(\.provider).filter { $0 != provider }
        var outcome = Restoration.Other.keepsOthers
        if providers.isEmpty {
            let guest = try LifeRules.returningGuest(of: holder, at: view.moment, in: tx)
            outcome = guest == nil ? .isFrozen : .isGuestAgain
            if guest != nil { providers = [.guest] }
        }
        let sessions = try SessionQueries.listed(
            of: holder, after: nil, createdSince: view.app.kickOut?.end ?? Moment(milliseconds: 0),
            idleAfter: view.moment, limit: 100, in: tx)
        let ending = sessions.filter { listed in
            SessionRules.lives(listed.session, holder, view)
                && (outcome == .isFrozen || listed.session.provider == provider)
        }
        return Other(user: user, outcome: outcome, providers: providers, sessions: ending.count)
    }
}
