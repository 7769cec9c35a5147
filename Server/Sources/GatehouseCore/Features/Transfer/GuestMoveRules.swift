import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Moves guests. A guest's identity is the key of its device, so moving the guest means giving it another device's key (TRANSFER-7).
enum GuestMoveRules {
    /// Refuses a member that is more than a guest: only a guest can be moved.
    static func requireGuest(_ account: Account) throws {
        guard account.isPureGuest, account.mappings.count == 1 else { throw Refusal(.notGuestOrHasOthers) }
    }

    /// Moves the guest to the new device. Its old device's sessions and transfer key end, and the next guest login there creates a new
    /// member. The guest that was on the new device is frozen. A frozen guest that is moved is thereby restored.
    static func move(
        _ user: UserID, to key: KeyThumbprint, _ change: Change, in tx: Transaction
    ) throws -> Account {
        let identity = IdentityKey.guest(key)
        let app = change.app.id
        var account: Account
        if let owner = try MemberQueries.owner(of: identity, app: app, in: tx), owner != user {
            let displaced: Account
            (account, displaced) = try MemberRules.take(user, and: owner, app: app, at: change.moment, in: tx)
            guard displaced.isPureGuest else { throw StorageError.conflict }
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
        try TransferKeyRules.end(of: user, app: app, in: tx)
        try SessionRules.endAll(of: account, .init(reason: .transferred), change, in: tx)
        try change.record(.transferRedeemed, of: user, in: tx)
        // Later changes belong to the generation that has just begun.
        return try MemberRules.known(user, app: app, in: tx)
    }
}
