import GatehouseStorage
public import GatehouseWire

/// A member's transfer account as operators see it: without its password, of which there is only a hash.
public struct TransferReport: Sendable {
    public let account: TransferAccount
    public let usedAt: Moment?
    /// Wrong passwords in a row.
    public let failedAttempts: Int
    /// The end of the block; nil while there is none.
    public let blockedUntil: Moment?
}

extension Administration {
    /// A member's transfer account; nil where there is none.
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

    /// Gives a blocked transfer account all its attempts anew. A block of the device that has tried ends by itself.
    ///
    /// - Returns: false when no attempt had failed.
    /// - Throws: 3046 where there is no transfer account.
    public func unblockTransfer(of user: UserID, reason: String, of app: AppID) async throws -> Bool {
        try await changeAccount("transfer.unblocked", user, reason, app) { change, tx in
            try TransferRules.unblock(user, change, in: tx)
        } changes: {
            $0
        }
    }

    /// Issues a guest's transfer account, anew where there is one: for a player who has lost the pair, or the device before one was
    /// issued. The old pair is void at once.
    ///
    /// - Parameter target: what is new. A new password alone needs a pair that there is.
    /// - Returns: the pair. Its password is shown here and never again.
    /// - Throws: 9 unless the member's one identity is guest; 3045 while the app has no transfer policy; 3046; 3003.
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
