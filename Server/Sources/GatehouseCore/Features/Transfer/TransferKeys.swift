import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Issues a transfer key for the caller, a guest.
package struct IssueTransferKey: PlayerChange {
    let request: TransferKeyRequest

    package init(request: TransferKeyRequest) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> TransferKey {
        try await work.decide(once: .replayed) { change, tx in
            try TransferKeyRules.issue(
                validSeconds: request.validSeconds, for: work.player(in: tx).account, change, in: tx)
        }
    }
}

/// Moves the guest of a transfer key to the caller's device, and logs it in there.
package struct RedeemTransferKey: PlayerChange {
    let redemption: TransferKeyRedemption

    package init(redemption: TransferKeyRedemption) {
        let typed = TransferCodeGenerator.typed(redemption.transferKey.secretValue)
        self.redemption = TransferKeyRedemption(transferKey: TransferKeySecret(typed))
    }

    package func perform(_ work: Work) async throws -> Login {
        try work.admit(.transfers)
        let device = try work.device()
        let result = try await work.transact(
            once: .answered { known, tx in try known.repeated(on: device, in: tx) ?? known }
        ) { change, tx in
            try TransferKeyRules.redeem(redemption.transferKey, on: device, change, in: tx)
        }
        return try work.login(try result.outcome())
    }
}

/// Transfer keys of old clients (TRANSFER-8): eight letters, valid for a limited time. They are stored as keyed hashes: eight letters
/// are easily guessed with the database alone, but not without the master key.
enum TransferKeyRules {
    static let longestSeconds: Int64 = 30 * 86_400
    /// How long an expired key is kept, so that its use can be refused with the right code.
    static let keptSeconds: Int64 = 7 * 86_400

    struct Stored: Sendable {
        let user: UserID
        let expiresAt: Moment
        let usedAt: Moment?
    }

    /// Keys are enabled unless an operator has disabled them. There is no key to guess before a game issues one.
    private static func requireSwitch(_ app: App) throws {
        guard app.policy.transferKeys else {
            throw Refusal(.authTransferAccountConsoleNoCondition, "The app's transfer keys are switched off.")
        }
    }

    static func issue(
        validSeconds: Int64, for account: Account, _ change: Change, in tx: Draft
    ) throws -> TransferKey {
        guard (1...longestSeconds).contains(validSeconds) else {
            throw Refusal.parameter("validSeconds", "A transfer key is valid for 1 to \(longestSeconds) seconds.")
        }
        try requireSwitch(change.app)
        try GuestMoveRules.requireGuest(account)
        let key = TransferCodeGenerator.key(random: change.random)
        let end = change.moment.adding(seconds: validSeconds)
        try MemberQueries.step(account, in: tx)
        // Each guest has at most one key: a new one invalidates the old one.
        try TransferKeyQueries.deleteAll(of: account.user, app: account.app, in: tx)
        try TransferKeyQueries.insert(
            change.vault.fingerprint(of: key, for: .transferKey(of: change.app.id)), user: account.user,
            app: account.app, at: change.moment, until: end, in: tx)
        try change.record(.transferIssued(isKey: true), of: account.user, in: tx)
        return TransferKey(
            transferKey: TransferKeySecret(key), registrationDate: change.moment.milliseconds,
            expiryDate: end.milliseconds)
    }

    /// An unknown key is a guess and must be counted, so its refusal is returned as an outcome and not thrown, which would undo the
    /// count.
    static func redeem(
        _ key: TransferKeySecret, on device: LoginDevice, _ change: Change, in tx: Transaction
    ) throws -> Redemption {
        try requireSwitch(change.app)
        let status = try LaunchingRules.requirePlayable(device: device.key, device.context, in: tx)
        try WrongTransfers.requireRoom(.key, change, in: tx)
        let hashes = change.vault.knownFingerprints(of: key.secretValue, for: .transferKey(of: change.app.id))
        guard let hash = try hashes.first(where: { try TransferKeyQueries.take($0, app: change.app.id, in: tx) }),
            let stored = try TransferKeyQueries.key(hash, app: change.app.id, in: tx)
        else {
            try WrongTransfers.count(.key, change, in: tx)
            return .refused(.authTransferKeyNotExist)
        }
        guard stored.usedAt == nil else { throw Refusal(.authTransferKeyConsumed) }
        guard change.moment < stored.expiresAt else { throw Refusal(.authTransferKeyExpired) }
        // The move deletes keys that are still good. This one is kept, so that its next use is refused with the right code.
        try TransferKeyQueries.spend(hash, app: change.app.id, at: change.moment, in: tx)
        let account = try GuestMoveRules.move(stored.user, to: device.key, change, in: tx)
        return .done(try LoginRules.open(account, .guest, status: status, isNew: false, on: device, change, in: tx))
    }

    /// Ends the key of a guest that has another device now. The owner of the old device must not take the guest back.
    static func end(of user: UserID, app: AppID, in tx: Transaction) throws {
        try TransferKeyQueries.deleteOutstanding(of: user, app: app, in: tx)
    }
}
