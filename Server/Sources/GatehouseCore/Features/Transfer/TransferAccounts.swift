import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Issues the id and the password with which the caller, a guest, can move to another device. It renews both if there are some.
package struct IssueTransferAccount: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> TransferAccount {
        let policy = try await work.admitIssuer()
        let pair = try await work.transferPair(.automatic(.idAndPassword), policy)
        return try await work.decide(once: .replayed) { change, tx in
            try TransferRules.issue(pair, for: work.player(in: tx).account, change, in: tx)
        }
    }
}

/// Renews the caller's transfer account, with generated texts or with the player's own.
package struct RenewTransferAccount: PlayerChange {
    let renewal: TransferRenewal

    package init(renewal: TransferRenewal) {
        var typed = renewal
        typed.id = renewal.id.map { TransferCodeGenerator.typed($0) }
        typed.password = renewal.password.map { TransferCodeGenerator.typed($0) }
        self.renewal = typed
    }

    package func perform(_ work: Work) async throws -> TransferAccount {
        let policy = try await work.admitIssuer()
        let pair = try await work.transferPair(renewal, policy)
        return try await work.decide(once: .replayed) { change, tx in
            try TransferRules.renew(renewal.target, pair, for: work.player(in: tx).account, change, in: tx)
        }
    }
}

/// Reads the caller's transfer account, without its password.
package struct QueryTransferAccount: Action {
    package static let permission = Permission.play

    package init() {}

    package func perform(_ work: Work) async throws -> TransferAccount {
        try await work.read { tx in
            try TransferRules.query(work.player(settling: false, in: tx).account, work.app, in: tx)
        }
    }
}

extension Work {
    /// Checks the caller first, so that the expensive hash is computed only for permitted callers.
    fileprivate func admitIssuer() async throws -> TransferPolicy {
        let policy = try TransferRules.requirePolicy(app)
        try admit(.transfers)
        try await read { [self] tx in
            try GuestMoveRules.requireGuest(player(settling: false, in: tx).account)
        }
        return policy
    }

    func transferPair(
        _ renewal: TransferRenewal, _ policy: TransferPolicy
    ) async throws -> TransferRules.Pair {
        try TransferRules.check(renewal, policy)
        let password =
            renewal.password
            ?? TransferPassword(TransferCodeGenerator.generate(policy.password, random: services.random))
        return TransferRules.Pair(
            id: renewal.id, password: password,
            hash: try await services.hasher.hash(password.secretValue, for: hashOrigin, random: services.random),
            issued: renewal.password == nil ? .automatic : .manual)
    }

    /// The origin whose share of the hash queue is used: a player's network, or the app for everybody else.
    var hashOrigin: HashShares.Origin {
        HashShares.Origin(
            app: app.id, network: actor.key == nil || context.address == .unknown ? nil : context.address.network)
    }
}

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
            guard TransferCodeGenerator.satisfies(id, policy.id) else {
                throw Refusal.parameter("id", "An id has \(TransferCodeGenerator.words(for: policy.id)).")
            }
        } else if renewal.target == .idAndPassword, renewal.password != nil {
            throw Refusal.parameter("id", "An own password with target idAndPassword needs an own id.")
        }
        if let password = renewal.password, !TransferCodeGenerator.satisfies(password.secretValue, policy.password) {
            throw Refusal.parameter("password", "A password has \(TransferCodeGenerator.words(for: policy.password)).")
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
            id: id ?? pair.id ?? TransferCodeGenerator.generate(policy.id, random: change.random), user: account.user,
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
