import GatehouseStorage
import GatehouseWire

/// A guest's identity is the key of its device: to move the guest is to give it another device's key (TRANSFER-7).
enum GuestMoveRules {
    /// The guest is from now on the new device's. Its old device's sessions are over, and its next guest login there makes a new
    /// member; the guest that was on the new device is frozen. One that is itself frozen comes back by this.
    static func move(
        _ user: UserID, to key: KeyThumbprint, _ change: Change, in tx: Transaction
    ) throws -> Account {
        let identity = IdentityKey.guest(key)
        let app = change.app.id
        var account: Account
        if let owner = try MemberQueries.owner(of: identity, app: app, in: tx), owner != user {
            let displaced: Account
            (account, displaced) = try MemberRules.take(user, and: owner, app: app, at: change.moment, in: tx)
            guard displaced.isPureGuest else { throw TransactionConflict() }
            try MemberQueries.deleteIdentity(.guest, of: owner, app: app, in: tx)
            try LifeRules.freeze(displaced, without: identity, reason: .transferred, change, in: tx)
        } else {
            account = try MemberRules.take(user, app: app, at: change.moment, in: tx)
        }
        if account.status == .missing {
            try LifeRules.thaw(account, with: identity, change, in: tx)
        } else {
            guard account.isPureGuest else { throw Refusal(.notGuestOrHasOthers) }
            guard account.mappings.first?.subject != key.rawValue else { throw Refusal(.sameRequestor) }
            try MemberQueries.step(account, in: tx)
            try MemberQueries.deleteIdentity(.guest, of: user, app: app, in: tx)
            try MemberQueries.insertIdentity(identity, of: account, at: change.moment, in: tx)
        }
        try SessionRules.endAll(of: account, .init(reason: .transferred), change, in: tx)
        try LedgerRules.append(.transferRedeemed, of: user, [:], change, in: tx)
        // What comes next belongs to the generation that has just begun.
        guard let moved = try MemberQueries.account(user, app: app, in: tx) else { throw Refusal(.authNotExistMember) }
        return try MemberRules.withHolds(moved, in: tx)
    }
}
