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
            _ = try LaunchingRules.requirePlayable(device: device.key, device.view, in: tx)
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
        TransferRedemption(id: TransferLetters.typed(id), password: TransferLetters.typed(password))
    }

    fileprivate func check(_ app: App) throws {
        guard (1...64).contains(id.utf8.count) else { throw Refusal.parameter("id", "An id has 1 to 64 bytes.") }
        guard (1...64).contains(password.secretValue.utf8.count) else {
            throw Refusal.parameter("password", "A password has 1 to 64 bytes.")
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
