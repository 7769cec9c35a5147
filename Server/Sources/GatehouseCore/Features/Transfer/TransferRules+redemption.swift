import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// The redemption of a transfer account on another device.
extension TransferRules {
    /// The result of a redemption's first transaction.
    struct Attempt: Sendable {
        /// Nil when there is no such account. The hash is computed all the same.
        let stored: Stored?

        /// The code for a wrong password.
        var refusal: ErrorCode {
            stored == nil ? .authTransferAccountInvalidID : .authTransferAccountInvalidPassword
        }
    }

    /// Counts the attempt before its password is checked, over all nodes (TRF-1): for the account, and for the device, whose wrong ids
    /// count like its wrong passwords. The last attempt that the policy allows begins the block; if its password is correct, it ends
    /// the block.
    ///
    /// - Parameter key: the key of the redeeming device; nil for a game server, which only asks.
    static func attempt(
        _ id: String, by key: KeyThumbprint?, _ change: Change, in tx: Transaction
    ) throws -> Attempt {
        let policy = try requirePolicy(change.app)
        try WrongTransfers.requireRoom(.account, change, in: tx)
        let stored =
            try TransferQueries.take(id, app: change.app.id, in: tx)
            ? TransferQueries.account(id, app: change.app.id, in: tx) : nil
        if let stored {
            if let key, try MemberQueries.owner(of: .guest(key), app: change.app.id, in: tx) == stored.user {
                throw Refusal(.sameRequestor)
            }
            if let end = stored.blockedUntil, change.moment < end { throw blocked(stored, until: end) }
        }
        if let key { try TransferAttempts.count(id, by: key, policy, change, in: tx) }
        guard let stored else { return Attempt(stored: nil) }
        // After a block the count starts from zero.
        let failures = (stored.blockedUntil == nil ? stored.failedAttempts : 0) + 1
        let block = failures >= policy.attempts ? change.moment.adding(seconds: policy.blockSeconds) : nil
        try TransferQueries.count(failures, blockedUntil: block, of: id, app: change.app.id, in: tx)
        if block != nil {
            try change.record(.transferBlocked(attempts: failures), of: stored.user, in: tx)
        }
        return Attempt(stored: stored)
    }

    /// The account of an attempt that was already counted.
    static func counted(_ id: String, _ change: Change, in tx: Reader) throws -> Attempt {
        _ = try requirePolicy(change.app)
        return Attempt(stored: try TransferQueries.account(id, app: change.app.id, in: tx))
    }

    /// Locks the row of an account, if there is one, until the transaction ends.
    static func lock(_ id: String, _ change: Change, in tx: Transaction) throws {
        _ = try TransferQueries.take(id, app: change.app.id, in: tx)
    }

    /// Locks the account's row. False if it no longer exists.
    static func take(_ stored: Stored, _ change: Change, in tx: Transaction) throws -> Bool {
        try TransferQueries.take(stored.id, app: change.app.id, in: tx)
    }

    private static func blocked(_ stored: Stored, until end: Moment) -> Refusal {
        blocked(
            TransferBlock(
                accountId: stored.id, failCount: stored.failedAttempts, blockEndDate: end.milliseconds,
                registrationDate: stored.issuedAt.milliseconds))
    }

    static func blocked(_ block: TransferBlock) -> Refusal {
        Refusal(
            .authTransferAccountBlock, details: ErrorDetails(transferBlock: block), audit: "transfer.blocked")
    }

    /// Moves the guest to this device after a correct password, if the account, whose row is locked, has not changed (TRANSFER-7).
    static func redeem(
        _ stored: Stored, on device: LoginDevice, _ change: Change, in tx: Transaction
    ) throws -> Redemption {
        let status = try LaunchingRules.requirePlayable(device: device.key, device.view, in: tx)
        let now = try unchanged(stored, change, in: tx)
        try TransferAttempts.succeed(device.key, change, in: tx)
        if let code = end(of: now, at: change.moment) {
            // The player knows the password, and must get the real reason each time, not a block in the end.
            try TransferQueries.count(0, blockedUntil: nil, of: now.id, app: change.app.id, in: tx)
            return .refused(code)
        }
        let account = try GuestMoveRules.move(now.user, to: device.key, change, in: tx)
        try TransferQueries.succeed(now.id, app: change.app.id, at: change.moment, in: tx)
        return .done(try LoginRules.open(account, .guest, status: status, isNew: false, on: device, change, in: tx))
    }

    /// The password was right, and the guest was not moved for another reason, such as a ban: the attempt counts for nothing.
    static func forgive(_ stored: Stored, by key: KeyThumbprint, _ change: Change, in tx: Transaction) throws {
        guard try take(stored, change, in: tx), let now = try? unchanged(stored, change, in: tx) else { return }
        try TransferQueries.count(0, blockedUntil: nil, of: now.id, app: change.app.id, in: tx)
        try TransferAttempts.succeed(key, change, in: tx)
    }

    /// What a game server is told that knows the password.
    enum Validation: Sendable {
        case member(Member)
        /// The account moves nobody any more.
        case over(ErrorCode)
    }

    /// The password was right, and a game server wants to know whose account it is: nothing is used up.
    static func validate(_ stored: Stored, _ change: Change, in tx: Transaction) throws -> Validation {
        guard try take(stored, change, in: tx) else { throw Refusal(.authTransferAccountInvalidID) }
        let now = try unchanged(stored, change, in: tx)
        try TransferQueries.count(0, blockedUntil: nil, of: now.id, app: change.app.id, in: tx)
        if let code = end(of: now, at: change.moment) { return .over(code) }
        guard let account = try MemberQueries.account(now.user, app: change.app.id, in: tx) else {
            throw Refusal(.authNotExistMember)
        }
        return .member(try MemberRules.member(MemberRules.current(account, at: change.moment, in: tx), in: tx))
    }

    /// The current account with its row locked, if it has not changed.
    private static func unchanged(_ stored: Stored, _ change: Change, in tx: Reader) throws -> Stored {
        guard let now = try TransferQueries.account(stored.id, app: change.app.id, in: tx),
            now.passwordHash == stored.passwordHash
        else { throw Refusal(.authTransferAccountInvalidID) }
        return now
    }

    /// Why an account can no longer be used; nil while it is valid.
    private static func end(of stored: Stored, at moment: Moment) -> ErrorCode? {
        guard stored.usedAt == nil || !stored.isSingleUse else { return .authTransferAccountAlreadyUsed }
        return stored.expiresAt.map { $0 <= moment } ?? false ? .authTransferAccountExpired : nil
    }
}
