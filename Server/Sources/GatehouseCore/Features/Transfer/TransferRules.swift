import Foundation
import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Moves a guest to another device (TRANSFER). The password's slow hash is computed between two transactions: the first counts the
/// attempt, the second uses the account if nothing has changed since.
enum TransferRules {
    /// A transfer account as it is stored.
    struct Stored: Sendable {
        let id: String
        let user: UserID
        let passwordHash: [UInt8]
        let issued: TransferIssue
        let isSingleUse: Bool
        let issuedAt: Moment
        let expiresAt: Moment?
        let usedAt: Moment?
        let failedAttempts: Int
        let blockedUntil: Moment?

        func shown(_ password: TransferPassword?) -> TransferAccount {
            TransferAccount(
                id: id, password: password, issuedType: issued, transferAccountType: isSingleUse ? .once : .unlimited,
                registrationDate: issuedAt.milliseconds, expiryDate: expiresAt?.milliseconds)
        }
    }

    /// A new pair, with the password's hash, which is computed before the transaction.
    struct Pair: Sendable {
        let id: String?
        let password: TransferPassword
        let hash: PasswordHash
        let issued: TransferIssue
    }

    // MARK: The issuer

    static func requirePolicy(_ app: App) throws -> TransferPolicy {
        guard let policy = app.policy.transfer else { throw Refusal(.authTransferAccountConsoleNoCondition) }
        return policy
    }

    /// Checks a player's own id and password.
    static func check(_ renewal: TransferRenewal, _ policy: TransferPolicy) throws {
        if let id = renewal.id {
            guard renewal.target == .idAndPassword, renewal.password != nil else {
                throw Refusal.parameter(
                    "target", "An own id comes with an own password, and with target idAndPassword.")
            }
            guard TransferLetters.satisfies(id, policy.id) else {
                throw Refusal.parameter("id", "An id has \(TransferLetters.words(for: policy.id)).")
            }
        } else if renewal.target == .idAndPassword, renewal.password != nil {
            throw Refusal.parameter("id", "An own password with target idAndPassword needs an own id.")
        }
        if let password = renewal.password, !TransferLetters.satisfies(password.secretValue, policy.password) {
            throw Refusal.parameter("password", "A password has \(TransferLetters.words(for: policy.password)).")
        }
    }

    static func requireGuest(_ account: Account) throws {
        guard account.isPureGuest, account.mappings.count == 1 else { throw Refusal(.notGuestOrHasOthers) }
    }

    /// Issues a pair, or renews both halves of an existing one (TRANSFER-2).
    static func issue(_ pair: Pair, for account: Account, _ change: Change, in tx: Draft) throws
        -> TransferAccount
    {
        try requireGuest(account)
        let policy = try requirePolicy(change.app)
        let isRenewal = try TransferQueries.account(of: account.user, app: account.app, in: tx) != nil
        return try store(
            pair, keeping: nil, for: account, policy, isRenewal ? .transferRenewed : .transferIssued(isKey: false),
            change,
            in: tx)
    }

    static func query(_ account: Account, _ app: App, in tx: Reader) throws -> TransferAccount {
        _ = try requirePolicy(app)
        try requireGuest(account)
        guard let stored = try TransferQueries.account(of: account.user, app: account.app, in: tx) else {
            throw Refusal(.authTransferAccountNotExist)
        }
        return stored.shown(nil)
    }

    static func renew(
        _ target: TransferRenewal.Target, _ pair: Pair, for account: Account, _ change: Change, in tx: Draft
    ) throws -> TransferAccount {
        try requireGuest(account)
        let policy = try requirePolicy(change.app)
        guard let old = try TransferQueries.account(of: account.user, app: account.app, in: tx) else {
            throw Refusal(.authTransferAccountNotExist)
        }
        return try store(
            pair, keeping: target == .password ? old.id : nil, for: account, policy, .transferRenewed, change, in: tx)
    }

    /// The old pair becomes invalid at once. If a generated id is taken, another is drawn; a chosen one is refused.
    private static func store(
        _ pair: Pair, keeping id: String?, for account: Account, _ policy: TransferPolicy, _ event: AccountEvent,
        _ change: Change, in tx: Draft
    ) throws -> TransferAccount {
        let new = Stored(
            id: id ?? pair.id ?? TransferLetters.generate(policy.id, random: change.random), user: account.user,
            passwordHash: pair.hash.bytes, issued: pair.issued, isSingleUse: policy.isSingleUse,
            issuedAt: change.moment, expiresAt: policy.lifetimeSeconds.map { change.moment.adding(seconds: $0) },
            usedAt: nil, failedAttempts: 0, blockedUntil: nil)
        try MemberQueries.step(account, in: tx)
        try TransferQueries.delete(of: account.user, app: account.app, in: tx)
        let isChosen = id == nil && pair.id != nil
        try TransferQueries.insert(
            new, app: account.app,
            ifTaken: isChosen ? Refusal(.authTransferAccountAlreadyExistID) : StorageError.conflict,
            in: tx)
        try change.record(event, of: account.user, in: tx)
        return new.shown(pair.password)
    }

    // MARK: The other device

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
            .authTransferAccountBlock, details: [ErrorDetail.transferBlock: (try? JSONValue(encoding: block)) ?? .null],
            audit: "transfer.blocked")
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

    // MARK: The operator

    /// Resets a blocked account's failed attempts, for a player who contacts the operator. False when none had failed.
    static func unblock(_ user: UserID, _ change: Change, in tx: Transaction) throws -> Bool {
        try change.origin.requireReason()
        guard let found = try TransferQueries.account(of: user, app: change.app.id, in: tx),
            try TransferQueries.take(found.id, app: change.app.id, in: tx),
            let stored = try TransferQueries.account(found.id, app: change.app.id, in: tx)
        else { throw Refusal(.authTransferAccountNotExist) }
        guard stored.failedAttempts > 0 else { return false }
        try TransferQueries.count(0, blockedUntil: nil, of: stored.id, app: change.app.id, in: tx)
        try change.record(.transferUnblocked, of: user, in: tx)
        return true
    }

    /// Gives a guest a new pair, or only a new password, for a player who has lost the old one or the device itself.
    static func reissue(
        _ target: TransferRenewal.Target, _ pair: Pair, for user: UserID, _ change: Change, in tx: Transaction
    ) throws -> TransferAccount {
        try change.origin.requireReason()
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        try requireGuest(account)
        let policy = try requirePolicy(change.app)
        let old = try TransferQueries.account(of: user, app: change.app.id, in: tx)
        if target == .password, old == nil { throw Refusal(.authTransferAccountNotExist) }
        return try store(
            pair, keeping: target == .password ? old?.id : nil, for: account, policy, .transferReissued, change, in: tx)
    }

    /// How long an expired account is kept, so that its use can be refused with the right code.
    static let keptSeconds: Int64 = 30 * 86_400

    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try TransferQueries.forget(before: moment.adding(seconds: -keptSeconds), limit: limit, in: tx)
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try TransferQueries.delete(of: user, app: app, in: tx)
        try TransferKeyQueries.deleteAll(of: user, app: app, in: tx)
    }
}
