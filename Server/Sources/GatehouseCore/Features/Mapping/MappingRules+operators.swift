import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Changes of mappings by operators, for players who can't make them.
extension MappingRules {
    /// Removes an identity from a member, whose sessions with it end. The last one stays, because nobody could log in as the member.
    static func remove(_ provider: Provider, of user: UserID, _ change: Change, in tx: Transaction) throws {
        try change.origin.requireReason()
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        try requireRemovable(provider, of: account)
        try MemberQueries.step(account, in: tx)
        try IdentityTokenRules.revoke(provider, of: user, at: .removal, change, in: tx)
        try MemberRules.removeIdentity(provider, of: account, change, in: tx)
        try change.record(.mappingRemoved(provider), of: user, in: tx)
    }

    static func requireRemovable(_ provider: Provider, of account: Account) throws {
        guard account.has(provider) else {
            throw Refusal(.authRemoveMappingFailed, "The member has no mapping of this identity provider.")
        }
        guard account.mappings.count > 1 else { throw Refusal(.authRemoveMappingLastMappedIDP) }
    }

    /// Moves an identity from one member to another, as a forced mapping does. If the first has no other identity, it is frozen and can be
    /// restored for a limited time.
    static func move(
        _ provider: Provider, from holder: UserID, to user: UserID, _ change: Change, in tx: Transaction
    ) throws {
        try change.origin.requireReason()
        try requireOther(user, than: holder)
        let app = change.app.id
        let (account, other) = try MemberRules.take(user, and: holder, app: app, at: change.moment, in: tx)
        try requireMovable(provider, from: other, to: account, at: change.moment)
        guard let key = try MemberQueries.identity(provider, of: holder, app: app, in: tx) else {
            throw StorageError.conflict
        }
        try detach(key, from: other, to: user, change, in: tx)
        try MemberQueries.step(account, in: tx)
        let endsGuest = account.isPureGuest
        if endsGuest {
            try LifeRules.rememberGuest(of: account, change, in: tx)
            try MemberRules.removeIdentity(.guest, of: account, change, in: tx)
        }
        try MemberQueries.insertIdentity(key, of: account, at: change.moment, in: tx)
        try change.record(.mappingMovedHere(provider, from: holder, endsGuest: endsGuest), of: user, in: tx)
    }

    /// The members of a move that can be made: the one that gets the identity, and the one that has it.
    static func movable(
        _ provider: Provider, from holder: UserID, to user: UserID, _ view: Viewpoint, in tx: Reader
    ) throws -> (account: Account, other: Account) {
        try requireOther(user, than: holder)
        let app = view.app.id
        guard let holder = try MemberQueries.account(holder, app: app, in: tx),
            let user = try MemberQueries.account(user, app: app, in: tx)
        else { throw Refusal(.authNotExistMember) }
        let other = try MemberRules.current(holder, at: view.moment, in: tx)
        let account = try MemberRules.current(user, at: view.moment, in: tx)
        try requireMovable(provider, from: other, to: account, at: view.moment)
        return (account, other)
    }

    private static func requireOther(_ user: UserID, than holder: UserID) throws {
        guard holder != user else { throw Refusal.parameter("to", "An identity moves to another member.") }
    }

    private static func requireMovable(
        _ provider: Provider, from holder: Account, to account: Account, at moment: Moment
    ) throws {
        guard provider != .guest else { throw Refusal(.authAddMappingCannotAddGuestIDP) }
        guard holder.has(provider) else {
            throw Refusal(.authRemoveMappingFailed, "The member has no mapping of this identity provider.")
        }
        guard !account.isGone else {
            throw Refusal(.authNotExistMember, "The other member has withdrawn or lost its last identity.")
        }
        guard !account.has(provider) else { throw Refusal(.authAddMappingAlreadyHasSameIDP) }
        // Otherwise somebody could escape a ban with the help of the game's support.
        guard !holder.isBanned(at: moment) else {
            throw Refusal(.bannedMember, "The member that has the identity is banned.")
        }
    }
}
