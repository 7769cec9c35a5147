public import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// A member's transfer account for operators, without its password, because only a hash is stored.
public struct TransferReport: Sendable {
    public let account: TransferAccount
    public let usedAt: Moment?
    /// Wrong passwords in a row.
    public let failedAttempts: Int
    /// The end of the block; nil if the account is not blocked.
    public let blockedUntil: Moment?
}

extension Administration {
    /// A member's transfer account; nil if it has none.
    public func transferAccount(of user: UserID, of app: AppID) async throws -> TransferReport? {
        let moment = environment.now()
        return try await database.read { tx in
            guard let stored = try TransferQueries.account(of: user, app: app, in: tx) else { return nil }
            let end = stored.blockedUntil.flatMap { moment < $0 ? $0 : nil }
            return TransferReport(
                account: stored.shown(nil), usedAt: stored.usedAt, failedAttempts: stored.failedAttempts,
                blockedUntil: end)
        }
    }

    /// Resets the failed attempts of a transfer account. A block of the device that has tried ends by itself.
    ///
    /// - Returns: false when no attempt had failed.
    /// - Throws: 3046 if there is no transfer account.
    public func unblockTransfer(of user: UserID, reason: String, of app: AppID) async throws -> Bool {
        try await changeAccount("transfer.unblocked", user, reason, app) { change, tx in
            try TransferRules.unblock(user, change, in: tx)
        } changes: {
            $0
        }
    }

    /// Issues a guest's transfer account, replacing an existing one. This is for a player who has lost the pair, or lost the device
    /// before a pair was issued. The old pair becomes invalid at once.
    ///
    /// - Parameter target: what is renewed. A new password alone requires an existing pair.
    /// - Returns: the pair. Its password is returned only here.
    /// - Throws: 9 unless guest is the member's only identity; 3045 while the app has no transfer policy; 3046; 3003.
    public func reissueTransfer(
        _ target: TransferRenewal.Target, of user: UserID, reason: String, of app: AppID
    ) async throws -> TransferAccount {
        let policy = try await database.read { tx in
            guard let app = try AppQueries.app(app, in: tx) else { throw AppRules.unknownApp }
            return try TransferRules.requirePolicy(app)
        }
        let password = TransferLetters.generate(policy.password, random: environment.random)
        let hasher = PasswordHasher(
            cost: .init(
                exponent: ServerConfiguration.defaultPasswordCost,
                parallelism: ServerConfiguration.defaultPasswordParallelism))
        let pair = TransferRules.Pair(
            id: nil, password: TransferPassword(password),
            hash: try await hasher.hash(password, for: .init(app: app, network: nil), random: environment.random),
            issued: .automatic)
        return try await changeAccount("transfer.reissued", user, reason, app) { change, tx in
            try TransferRules.reissue(target, pair, for: user, change, in: tx)
        }
    }
}
