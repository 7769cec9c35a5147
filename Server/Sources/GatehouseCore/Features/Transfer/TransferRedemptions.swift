import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Moves the guest of a transfer account to the caller's device, and logs it in there.
///
/// The password's slow hash is computed between two transactions: the first counts the attempt, the second uses the account if nothing
/// has changed since.
package struct RedeemTransferAccount: PlayerChange {
    let redemption: TransferRedemption

    package init(redemption: TransferRedemption) {
        self.redemption = redemption.typed
    }

    package func perform(_ work: Work) async throws -> Login {
        try redemption.check(work.app)
        try work.admit(.transfers)
        switch try await begin(work) {
        case .over(let known): return try work.login(try known.outcome())
        case .attempt(let attempt):
            let stored = try await work.verified(attempt, redemption.password)
            let result = if let stored { try await redeem(stored, work) } else { try await refuse(attempt, work) }
            return try work.login(try result.outcome())
        }
    }

    /// The result of a redemption's first transaction.
    private enum Beginning: Sendable {
        /// The redemption was already complete: its response was lost, and it may have used up the account.
        case over(Redemption)
        case attempt(TransferRules.Attempt)
    }

    /// Counts the attempt, once for each idempotency key.
    private func begin(_ work: Work) async throws -> Beginning {
        let device = try work.device()
        let (idempotency, once) = (work.services.idempotency, work.once)
        return try await work.transact { change, tx in
            // The account's row is locked before the outcome is looked for. Otherwise a call that waits for another one with its key would
            // find the guest moved already, and would be refused.
            try TransferRules.lock(redemption.id, change, in: tx)
            if let known: Redemption = try idempotency.outcome(of: once, in: tx) {
                if let told = try known.repeated(on: device, in: tx) { return .over(told) }
                return .attempt(try TransferRules.counted(redemption.id, change, in: tx))
            }
            // An attempt is not counted while the app is not in service and no guest can be moved.
            _ = try LaunchingRules.requirePlayable(device: device.key, device.context, in: tx)
            let attempt = try TransferRules.attempt(redemption.id, by: device.key, change, in: tx)
            try idempotency.keep(Redemption.begun, of: once, at: change.moment, in: tx)
            return .attempt(attempt)
        }
    }

    private func redeem(_ stored: TransferRules.Stored, _ work: Work) async throws -> Redemption {
        do {
            return try await end(work, taking: stored) { device, change, tx in
                try TransferRules.redeem(stored, on: device, change, in: tx)
            }
        } catch let refusal as Refusal where refusal.code != .authTransferAccountInvalidID {
            let key = try work.actor.requireKey()
            try await work.withoutProof.transact { change, tx in
                try TransferRules.forgive(stored, by: key, change, in: tx)
            }
            throw refusal
        }
    }

    private func refuse(_ attempt: TransferRules.Attempt, _ work: Work) async throws -> Redemption {
        try await end(work, taking: nil) { _, change, tx in
            try WrongTransfers.count(.account, change, in: tx)
            return .refused(attempt.refusal)
        }
    }

    /// Completes a redemption, unless another call with its key has completed it in the meantime.
    ///
    /// - Parameter stored: the account whose row is locked first. Of several concurrent calls with one key, the first has stored its
    ///   outcome before the next one gets the row.
    private func end(
        _ work: Work, taking stored: TransferRules.Stored?,
        _ decide: @escaping @Sendable (LoginDevice, Change, Transaction) throws -> Redemption
    ) async throws -> Redemption {
        let device = try work.device()
        let (idempotency, once) = (work.services.idempotency, work.once)
        return try await work.withoutProof.transact { change, tx in
            if let stored, try !TransferRules.take(stored, change, in: tx) {
                throw Refusal(.authTransferAccountInvalidID)
            }
            let known: Redemption? = try idempotency.outcome(of: once, in: tx)
            if let told = try known?.repeated(on: device, in: tx) { return told }
            let redemption = try decide(device, change, tx)
            try idempotency.replace(redemption, of: once, in: tx)
            return redemption
        }
    }
}

/// Tells a game server whose transfer account it is; nothing is used up. The server can't guess more often than a player, because its
/// attempts count too.
package struct ValidateTransferAccount: Action {
    package static let permission = Permission.serve(.check)

    let redemption: TransferRedemption

    package init(redemption: TransferRedemption) {
        self.redemption = redemption.typed
    }

    package func perform(_ work: Work) async throws -> Member {
        try redemption.check(work.app)
        let attempt = try await work.transact { change, tx in
            try TransferRules.attempt(redemption.id, by: nil, change, in: tx)
        }
        guard let stored = try await work.verified(attempt, redemption.password) else {
            try await work.transact { change, tx in try WrongTransfers.count(.account, change, in: tx) }
            throw Refusal(attempt.refusal, audit: "transfer.refused")
        }
        switch try await work.transact({ change, tx in try TransferRules.validate(stored, change, in: tx) }) {
        case .member(let member): return member
        case .over(let code): throw Refusal(code)
        }
    }
}

extension TransferRedemption {
    fileprivate var typed: TransferRedemption {
        TransferRedemption(id: TransferCodeGenerator.typed(id), password: TransferCodeGenerator.typed(password))
    }

    fileprivate func check(_ app: App) throws {
        let most = TransferPolicy.Form.maximumLength
        guard (1...most).contains(id.utf8.count) else { throw Refusal.parameter("id", "An id has 1 to \(most) bytes.") }
        guard (1...most).contains(password.secretValue.utf8.count) else {
            throw Refusal.parameter("password", "A password has 1 to \(most) bytes.")
        }
        _ = try TransferRules.requirePolicy(app)
    }
}

extension Work {
    /// The account if the password matches; otherwise nil. The hash is computed even if there is no account.
    fileprivate func verified(
        _ attempt: TransferRules.Attempt, _ password: TransferPassword
    ) async throws -> TransferRules.Stored? {
        let hash = attempt.stored.flatMap { PasswordHash(bytes: $0.passwordHash) }
        let isRight = try await services.hasher.matches(
            password.secretValue, hash, for: hashOrigin, random: services.random)
        return isRight ? attempt.stored : nil
    }
}

/// A redemption as stored for its idempotency key. It is one call however often it is sent: its attempt is counted once, and a refusal
/// is repeated without counting another.
enum Redemption: Codable, Sendable {
    /// The attempt is counted, and its password is being checked.
    case begun
    case refused(ErrorCode)
    case done(LoginRules.Outcome)

    /// The response to a repeated redemption that is complete; nil if its password has yet to be checked.
    func repeated(on device: LoginDevice, in tx: Reader) throws -> Redemption? {
        switch self {
        case .begun: nil
        case .refused: self
        case .done(let outcome):
            .done(try LoginRules.repeated(outcome, code: .authInvalidGatehouseToken, on: device, in: tx))
        }
    }

    /// - Throws: the refusal, if it is one; 8001 while another call with the same key has yet to check the password.
    func outcome() throws -> LoginRules.Outcome {
        switch self {
        case .begun: throw StorageError.overloaded
        case .refused(let code): throw Refusal(code, audit: "transfer.refused")
        case .done(let outcome): return outcome
        }
    }
}

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
        let status = try LaunchingRules.requirePlayable(device: device.key, device.context, in: tx)
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
