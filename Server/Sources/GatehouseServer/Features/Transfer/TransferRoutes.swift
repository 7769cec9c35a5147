import GatehouseStorage
import GatehouseWire

/// Moving a guest to another device.
struct TransferRoutes: Sendable {
    let accounts: AccountWriter
    let hasher: PasswordHasher
    let answers: LoginAnswers
    let limiter: RateLimiter

    func issue(_ call: Call<Empty>) async throws -> Answer<TransferAccount> {
        let policy = try await admitIssuer(call)
        let pair = try await pair(.automatic(.idAndPassword), policy, for: Self.player(call))
        let account = try await accounts.change(call) { (_, account, change, tx) in
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
        let account = try await accounts.change(call) { (_, account, change, tx) in
            try TransferRules.renew(call.body.target, pair, for: account, change, in: tx)
        }
        return Answer(account)
    }

    /// The expensive hash is computed only for those who may ask for it.
    private func admitIssuer<Body>(_ call: Call<Body>) async throws -> TransferPolicy {
        let claims = try call.caller.requireClaims()
        let policy = try TransferRules.requirePolicy(call.app)
        try take(call, claims.key)
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
                throw Refusal.parameter("id", "The id does not satisfy the app's transfer policy.")
            }
        } else if renewal.target == .idAndPassword, renewal.password != nil {
            throw Refusal.parameter("id", "An own password with target idAndPassword needs an own id.")
        }
        if let password = renewal.password, !TransferLetters.satisfies(password.secretValue, policy.password) {
            throw Refusal.parameter("password", "The password does not satisfy the app's transfer policy.")
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
        let id = call.body.id
        let device = answers.device(proof.key, call)
        let change = accounts.change(call)
        try take(call, proof.key)
        let beginning = try await accounts.write(at: call.moment) { tx -> Beginning in
            let known: LoginRules.Outcome? = try accounts.idempotency.outcome(
                of: call.repeatable, by: proof.key.rawValue, in: tx)
            let beginning: Beginning =
                if let known {
                    .repeated(known)
                } else {
                    .attempt(try TransferRules.attempt(id, by: proof.key, change, in: tx))
                }
            try spendProof(proof, code: .authAuthenticationServerError, at: call.moment, in: tx)
            return beginning
        }
        let attempt: TransferRules.Attempt
        switch beginning {
        case .repeated(let outcome): return try answers.answer(outcome, key: proof.key, call)
        case .attempt(let begun): attempt = begun
        }
        let stored = try await verified(attempt, call.body.password, for: Self.player(call))
        let outcome = try await accounts.write(at: call.moment) { tx in
            try accounts.idempotency.perform(call.repeatable, by: proof.key.rawValue, at: call.moment, in: tx) {
                try TransferRules.redeem(stored, on: device, change, in: tx)
            }
        }
        return try answers.answer(outcome, key: proof.key, call)
    }

    /// A game server asks whose account it is. It guesses no oftener than a player: attempts count alike.
    func validate(_ call: Call<TransferRedemption>) async throws -> Answer<Member> {
        try Self.check(call)
        let change = accounts.change(call)
        let attempt = try await accounts.write(at: call.moment) { tx in
            try TransferRules.attempt(call.body.id, by: nil, change, in: tx)
        }
        let origin = HashShares.Origin(app: call.app.id, network: nil)
        let stored = try await verified(attempt, call.body.password, for: origin)
        return Answer(
            try await accounts.write(at: call.moment) { tx in try TransferRules.validate(stored, change, in: tx) })
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

    /// Whose share of the queue a player's hash takes.
    private static func player<Body>(_ call: Call<Body>) -> HashShares.Origin {
        HashShares.Origin(app: call.app.id, network: call.address == .unknown ? nil : call.address.network)
    }

    /// The account, if the password is its own. The hash is computed also where there is no account.
    private func verified(
        _ attempt: TransferRules.Attempt, _ password: TransferPassword, for origin: HashShares.Origin
    ) async throws -> TransferRules.Stored {
        let hash = attempt.stored.flatMap { PasswordHash(bytes: $0.passwordHash) }
        let isRight = try await hasher.matches(
            password.secretValue, hash, for: origin, random: accounts.random)
        guard let stored = attempt.stored else {
            throw Refusal(.authTransferAccountInvalidID, audit: "transfer.refused")
        }
        guard isRight else { throw Refusal(.authTransferAccountInvalidPassword, audit: "transfer.refused") }
        return stored
    }

    /// How a redemption begins.
    private enum Beginning: Sendable {
        /// It has succeeded before: its answer was lost, and the account may be used up by it.
        case repeated(LoginRules.Outcome)
        case attempt(TransferRules.Attempt)
    }

    func issueKey(_ call: Call<TransferKeyRequest>) async throws -> Answer<TransferKey> {
        Answer(
            try await accounts.change(call) { (_, account, change, tx) in
                try TransferKeyRules.issue(validSeconds: call.body.validSeconds, for: account, change, in: tx)
            })
    }

    func redeemKey(_ call: Call<TransferKeyRedemption>) async throws -> Answer<Login> {
        let proof = try call.caller.requireProof()
        try take(call, proof.key)
        let device = answers.device(proof.key, call)
        let change = accounts.change(call)
        let outcome = try await accounts.write(at: call.moment) { tx in
            let outcome = try accounts.idempotency.perform(
                call.repeatable, by: proof.key.rawValue, at: call.moment, in: tx
            ) {
                try TransferKeyRules.redeem(call.body.transferKey, on: device, change, in: tx)
            }
            try spendProof(proof, code: .authAuthenticationServerError, at: call.moment, in: tx)
            return outcome
        }
        return try answers.answer(outcome, key: proof.key, call)
    }

    /// Guessing is limited per device and per address, whatever is guessed: ids, passwords and keys share it (TRF-2, TRF-6).
    private func take<Body>(_ call: Call<Body>, _ key: KeyThumbprint) throws {
        let limits = call.app.limits.transfers
        for (kind, limit) in [
            (RateLimiter.Kind.transfers(call.app, call.address), limits.perAddress),
            (.transfers(call.app, key), limits.perDevice),
        ] {
            if let wait = limiter.wait(kind, limit: limit) { throw Refusal.tooManyRequests(retryAfterSeconds: wait) }
            limiter.take(kind, limit: limit)
        }
    }
}
