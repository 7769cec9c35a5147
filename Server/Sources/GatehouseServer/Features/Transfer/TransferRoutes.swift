import GatehouseStorage
import GatehouseWire

/// Moving a guest to another device.
struct TransferRoutes: Sendable {
    let accounts: AccountWriter
    let hasher: PasswordHasher
    let answers: LoginAnswers
    let limits: CallLimits

    func issue(_ call: Call<Empty>) async throws -> Answer<TransferAccount> {
        let policy = try await admitIssuer(call)
        let pair = try await pair(.automatic(.idAndPassword), policy, for: Self.player(call))
        let account = try await accounts.decide(call) { (_, account, change, tx) in
            try TransferRules.issue(pair, for: account, change, in: tx)
        }
        return Answer(account)
    }

    func query(_ call: Call<Empty>) async throws -> Answer<TransferAccount> {
        let claims = try call.caller.requireClaims()
        let account = try await accounts.database.read { tx in
            let (_, account) = try SessionRules.session(of: claims, call.view, settling: false, in: tx)
            return try TransferRules.query(account, call.app, in: tx)
        }
        return Answer(account)
    }

    func renew(_ call: Call<TransferRenewal>) async throws -> Answer<TransferAccount> {
        let policy = try await admitIssuer(call)
        let pair = try await pair(call.body, policy, for: Self.player(call))
        let account = try await accounts.decide(call) { (_, account, change, tx) in
            try TransferRules.renew(call.body.target, pair, for: account, change, in: tx)
        }
        return Answer(account)
    }

    /// Checks the caller first, so that the expensive hash is computed only for permitted callers.
    private func admitIssuer<Body>(_ call: Call<Body>) async throws -> TransferPolicy {
        let claims = try call.caller.requireClaims()
        let policy = try TransferRules.requirePolicy(call.app)
        try limits.admitTransfer(call, by: claims.key)
        try await accounts.database.read { tx in
            let (_, account) = try SessionRules.session(of: claims, call.view, settling: false, in: tx)
            try TransferRules.requireGuest(account)
        }
        return policy
    }

    private func pair(
        _ renewal: TransferRenewal, _ policy: TransferPolicy, for origin: HashShares.Origin
    ) async throws -> TransferRules.Pair {
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
        let password =
            renewal.password
            ?? TransferPassword(TransferLetters.generate(policy.password, random: accounts.random))
        return TransferRules.Pair(
            id: renewal.id, password: password,
            hash: try await hasher.hash(password.secretValue, for: origin, random: accounts.random),
            issued: renewal.password == nil ? .automatic : .manual)
    }

    func redeem(_ call: Call<TransferRedemption>) async throws -> Answer<Login> {
        let proof = try call.caller.requireProof()
        try Self.check(call)
        try limits.admitTransfer(call, by: proof.key)
        let redemption: Redemption
        switch try await begin(call, proof) {
        case .over(let told): redemption = told
        case .attempt(let attempt):
            if let stored = try await verified(attempt, call.body.password, for: Self.player(call)) {
                redemption = try await redeem(stored, call, proof)
            } else {
                redemption = try await refuse(attempt, call, proof)
            }
        }
        guard let outcome = try redemption.outcome() else { throw StorageError.overloaded }
        return try answers.answer(outcome, key: proof.key, call)
    }

    /// The result of a redemption's first transaction.
    private enum Beginning: Sendable {
        /// The redemption was already complete: its response was lost, and it may have used up the account.
        case over(Redemption)
        case attempt(TransferRules.Attempt)
    }

    /// Counts the attempt, once for each idempotency key.
    private func begin(_ call: Call<TransferRedemption>, _ proof: Proof) async throws -> Beginning {
        let owner = Idempotency.Owner.device(proof.key)
        let device = answers.device(proof.key, call)
        let change = accounts.change(call)
        return try await accounts.transact(at: call.moment) { tx in
            let known: Redemption? = try accounts.idempotency.outcome(of: call.repeatable, by: owner, in: tx)
            let beginning: Beginning
            if let known {
                let told = try known.repeated(on: device, in: tx)
                beginning =
                    if let told { .over(told) } else {
                        .attempt(try TransferRules.counted(call.body.id, change, in: tx))
                    }
            } else {
                // An attempt is not counted while the app is not in service and no guest can be moved.
                _ = try LaunchingRules.requirePlayable(device: proof.key, device.view, in: tx)
                beginning = .attempt(try TransferRules.attempt(call.body.id, by: proof.key, change, in: tx))
                try accounts.idempotency.keep(
                    Redemption.begun, of: call.repeatable, by: owner, at: call.moment,
                    ifRepeated: TransactionConflict(), in: tx)
            }
            try spendProof(proof, code: .authAuthenticationServerError, at: call.moment, in: tx)
            return beginning
        }
    }

    private func redeem(
        _ stored: TransferRules.Stored, _ call: Call<TransferRedemption>, _ proof: Proof
    ) async throws -> Redemption {
        do {
            return try await end(call, proof, taking: stored) { device, change, tx in
                try TransferRules.redeem(stored, on: device, change, in: tx)
            }
        } catch let refusal as Refusal where refusal.code != .authTransferAccountInvalidID {
            let change = accounts.change(call)
            try await accounts.transact(at: call.moment) { tx in
                try TransferRules.forgive(stored, by: proof.key, change, in: tx)
            }
            throw refusal
        }
    }

    private func refuse(
        _ attempt: TransferRules.Attempt, _ call: Call<TransferRedemption>, _ proof: Proof
    ) async throws -> Redemption {
        try await end(call, proof, taking: nil) { _, change, tx in
            try WrongTransfers.count(.account, change, in: tx)
            return .refused(attempt.refusal)
        }
    }

    /// Completes a redemption, unless another call with its key has completed it in the meantime.
    ///
    /// - Parameter stored: the account whose row is locked first. Of several concurrent calls with one key, the first has stored its
    ///   outcome before the next one gets the row.
    private func end(
        _ call: Call<TransferRedemption>, _ proof: Proof, taking stored: TransferRules.Stored?,
        _ decide: @escaping @Sendable (LoginRules.Device, Change, Transaction) throws -> Redemption
    ) async throws -> Redemption {
        let owner = Idempotency.Owner.device(proof.key)
        let device = answers.device(proof.key, call)
        let change = accounts.change(call)
        return try await accounts.transact(at: call.moment) { tx in
            if let stored, try !TransferRules.take(stored, change, in: tx) {
                throw Refusal(.authTransferAccountInvalidID)
            }
            let known: Redemption? = try accounts.idempotency.outcome(of: call.repeatable, by: owner, in: tx)
            if let told = try known?.repeated(on: device, in: tx) { return told }
            let redemption = try decide(device, change, tx)
            try accounts.idempotency.replace(redemption, of: call.repeatable, by: owner, in: tx)
            return redemption
        }
    }

    /// A game server asks whose account it is. It can't guess more often than a player, because its attempts count too.
    func validate(_ call: Call<TransferRedemption>) async throws -> Answer<Member> {
        try Self.check(call)
        let change = accounts.change(call)
        let attempt = try await accounts.transact(at: call.moment) { tx in
            try TransferRules.attempt(call.body.id, by: nil, change, in: tx)
        }
        let origin = HashShares.Origin(app: call.app.id, network: nil)
        guard let stored = try await verified(attempt, call.body.password, for: origin) else {
            try await accounts.transact(at: call.moment) { tx in try WrongTransfers.count(.account, change, in: tx) }
            throw Refusal(attempt.refusal, audit: "transfer.refused")
        }
        switch try await accounts.transact(
            at: call.moment, { tx in try TransferRules.validate(stored, change, in: tx) })
        {
        case .member(let member): return Answer(member)
        case .over(let code): throw Refusal(code)
        }
    }

    private static func check(_ call: Call<TransferRedemption>) throws {
        guard (1...64).contains(call.body.id.utf8.count) else {
            throw Refusal.parameter("id", "An id has 1 to 64 bytes.")
        }
        guard (1...64).contains(call.body.password.secretValue.utf8.count) else {
            throw Refusal.parameter("password", "A password has 1 to 64 bytes.")
        }
        _ = try TransferRules.requirePolicy(call.app)
    }

    /// The origin whose share of the hash queue a player's hash uses.
    private static func player<Body>(_ call: Call<Body>) -> HashShares.Origin {
        HashShares.Origin(app: call.app.id, network: call.address == .unknown ? nil : call.address.network)
    }

    /// The account if the password matches; otherwise nil. The hash is computed even if there is no account.
    private func verified(
        _ attempt: TransferRules.Attempt, _ password: TransferPassword, for origin: HashShares.Origin
    ) async throws -> TransferRules.Stored? {
        let hash = attempt.stored.flatMap { PasswordHash(bytes: $0.passwordHash) }
        let isRight = try await hasher.matches(
            password.secretValue, hash, for: origin, random: accounts.random)
        return isRight ? attempt.stored : nil
    }

    func issueKey(_ call: Call<TransferKeyRequest>) async throws -> Answer<TransferKey> {
        Answer(
            try await accounts.decide(call) { (_, account, change, tx) in
                try TransferKeyRules.issue(validSeconds: call.body.validSeconds, for: account, change, in: tx)
            })
    }

    func redeemKey(_ call: Call<TransferKeyRedemption>) async throws -> Answer<Login> {
        let proof = try call.caller.requireProof()
        try limits.admitTransfer(call, by: proof.key)
        let device = answers.device(proof.key, call)
        let change = accounts.change(call)
        let redemption = try await accounts.transact(at: call.moment) { tx in
            let redemption = try accounts.idempotency.perform(
                call.repeatable, by: .device(proof.key), at: call.moment, in: tx
            ) { (known: Redemption) in
                try known.repeated(on: device, in: tx) ?? known
            } _: {
                try TransferKeyRules.redeem(call.body.transferKey, on: device, change, in: tx)
            }
            try spendProof(proof, code: .authAuthenticationServerError, at: call.moment, in: tx)
            return redemption
        }
        guard let outcome = try redemption.outcome() else { throw StorageError.overloaded }
        return try answers.answer(outcome, key: proof.key, call)
    }
}
