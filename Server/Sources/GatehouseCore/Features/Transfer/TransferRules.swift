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

    /// Issues a pair, or renews both halves of an existing one (TRANSFER-2).
    static func issue(_ pair: Pair, for account: Account, _ change: Change, in tx: Draft) throws
        -> TransferAccount
    {
        try GuestMoveRules.requireGuest(account)
        let policy = try requirePolicy(change.app)
        let isRenewal = try TransferQueries.account(of: account.user, app: account.app, in: tx) != nil
        return try store(
            pair, keeping: nil, for: account, policy, isRenewal ? .transferRenewed : .transferIssued(isKey: false),
            change,
            in: tx)
    }

    static func query(_ account: Account, _ app: App, in tx: Reader) throws -> TransferAccount {
        _ = try requirePolicy(app)
        try GuestMoveRules.requireGuest(account)
        guard let stored = try TransferQueries.account(of: account.user, app: account.app, in: tx) else {
            throw Refusal(.authTransferAccountNotExist)
        }
        return stored.shown(nil)
    }

    static func renew(
        _ target: TransferRenewal.Target, _ pair: Pair, for account: Account, _ change: Change, in tx: Draft
    ) throws -> TransferAccount {
        try GuestMoveRules.requireGuest(account)
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
        try GuestMoveRules.requireGuest(account)
        let policy = try requirePolicy(change.app)
        let old = try TransferQueries.account(of: user, app: change.app.id, in: tx)
        if target == .password, old == nil { throw Refusal(.authTransferAccountNotExist) }
        return try store(
            pair, keeping: target == .password ? old?.id : nil, for: account, policy, .transferReissued, change, in: tx)
    }

    /// Deletes a member's transfer account and keys, for a player who contacts the operator. False when there was no account.
    static func void(_ user: UserID, _ change: Change, in tx: Transaction) throws -> Bool {
        try change.origin.requireReason()
        _ = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        let hadAccount = try TransferQueries.account(of: user, app: change.app.id, in: tx) != nil
        try deleteAll(of: user, app: change.app.id, in: tx)
        if hadAccount { try change.record(.transferVoided, of: user, in: tx) }
        return hadAccount
    }

    /// How long an expired account is kept, so that its use can be refused with the right code.
    static let keptSeconds: Int64 = 30 * 86_400

    /// The member of a transfer account; nil if there is no such account.
    static func user(ofAccount id: String, app: AppID, in tx: Reader) throws -> UserID? {
        try TransferQueries.account(id, app: app, in: tx)?.user
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try TransferQueries.delete(of: user, app: app, in: tx)
        try TransferKeyQueries.deleteAll(of: user, app: app, in: tx)
    }
}
