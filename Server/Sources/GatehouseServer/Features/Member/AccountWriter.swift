import GatehouseStorage
import GatehouseWire

/// Runs changes of accounts. If a rule finds that one of a member's deadlines has passed, the due change is made first, in a separate
/// transaction, and the rule runs again. So a deadline takes effect at its moment, even if no node was running then.
struct AccountWriter: Sendable {
    let database: Database
    let vault: KeyVault
    let random: RandomSource
    let idempotency: Idempotency
    let audit: AuditLog

    /// Upper bound on settlements per call: no call touches more members.
    private static let settlements = 2 * MemberLookup.maximum
    /// The number of attempts of a body that keeps losing races for one member.
    private static let attempts = 4

    /// Runs a decision, which the database may batch and repeat.
    func decide<Value: Sendable>(
        at moment: Moment, _ body: @escaping @Sendable (Draft) throws -> Value
    ) async throws -> Value {
        try await settling(at: moment) { try await database.decide(body) }
    }

    /// Runs a body in a transaction of its own.
    func transact<Value: Sendable>(
        at moment: Moment, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await settling(at: moment) { try await database.transact(body) }
    }

    /// Runs a read that may find a member with a passed deadline.
    func read<Value: Sendable>(
        at moment: Moment, _ body: @escaping @Sendable (Reader) throws -> Value
    ) async throws -> Value {
        try await settling(at: moment) { try await database.read(body) }
    }

    private func settling<Value>(at moment: Moment, _ work: () async throws -> Value) async throws -> Value {
        var settlements = 0
        var attempts = 0
        while true {
            do {
                return try await work()
            } catch let lapsed as LapsedMember {
                settlements += 1
                guard settlements <= Self.settlements else { throw StorageError.overloaded }
                _ = try await settle(lapsed, at: moment)
            } catch is TransactionConflict {
                attempts += 1
                guard attempts <= Self.attempts else { throw StorageError.overloaded }
            }
        }
    }

    /// False when there was nothing left to do.
    func settle(_ lapsed: LapsedMember, at moment: Moment) async throws -> Bool {
        let event = try await database.transact { tx -> String? in
            guard let app = try AppQueries.app(lapsed.app, in: tx) else { return nil }
            let change = Change(Viewpoint(app: app, moment: moment), by: .clock, random: random, vault: vault)
            return try LifeRules.settle(lapsed, change, in: tx)
        }
        guard let event else { return false }
        audit.record(
            .init(
                event: event, app: lapsed.app, actor: .system, address: nil, transactionID: nil,
                subject: ["userId": lapsed.user.rawValue]))
        return true
    }

    /// Runs a change by the player of an access token, once for each idempotency key and each proof, as a decision.
    ///
    /// - Parameter repeated: turns the stored outcome into the response of a repeated call. Without it the response is the outcome
    ///   itself, as long as the session of the access token is valid.
    /// - Parameter leaving: whether the change is the player's withdrawal.
    func decide<Body, Value: Codable & Sendable>(
        _ call: Call<Body>, leaving: Bool = false, repeated: (@Sendable (Value, Draft) throws -> Value)? = nil,
        _ body: @escaping @Sendable (Session, Account, Change, Draft) throws -> Value
    ) async throws -> Value {
        let once = try once(call, leaving: leaving, repeated: repeated, body)
        return try await decide(at: call.moment, once)
    }

    /// The same in a transaction of its own.
    func transact<Body, Value: Codable & Sendable>(
        _ call: Call<Body>, leaving: Bool = false, repeated: (@Sendable (Value, Transaction) throws -> Value)? = nil,
        _ body: @escaping @Sendable (Session, Account, Change, Transaction) throws -> Value
    ) async throws -> Value {
        let once = try once(call, leaving: leaving, repeated: repeated, body)
        return try await transact(at: call.moment, once)
    }

    private func once<Body, Value: Codable & Sendable, Work: Draft>(
        _ call: Call<Body>, leaving: Bool, repeated: (@Sendable (Value, Work) throws -> Value)?,
        _ body: @escaping @Sendable (Session, Account, Change, Work) throws -> Value
    ) throws -> @Sendable (Work) throws -> Value {
        let claims = try call.caller.requireClaims()
        let proof = try call.caller.requireProof()
        let change = change(call)
        return { tx in
            let owner = Idempotency.Owner.session(proof.key, claims.session, claims.user)
            let value = try idempotency.perform(call.repeatable, by: owner, at: call.moment, in: tx) { value in
                if let repeated { return try repeated(value, tx) }
                _ = try SessionRules.session(of: claims, call.view, in: tx)
                return value
            } _: {
                let (session, account) = try SessionRules.session(
                    of: claims, call.view, leaving: leaving, in: tx)
                return try body(session, account, change, tx)
            }
            try spendProof(proof, code: .authAuthenticationServerError, at: call.moment, in: tx)
            return value
        }
    }

    /// Runs a change by a game server.
    func transact<Body, Value: Codable & Sendable>(
        _ call: Call<Body>, by name: String, reason: String? = nil,
        _ body: @escaping @Sendable (Change, Transaction) throws -> Value
    ) async throws -> Value {
        var change = change(call)
        change.origin = .gameServer(name, reason: reason, by: call.door)
        let gameServers = change
        return try await transact(at: call.moment) { tx in
            try idempotency.perform(call.repeatable, by: .gameServer, at: call.moment, in: tx) { value in
                value
            } _: {
                try body(gameServers, tx)
            }
        }
    }

    func change<Body>(_ call: Call<Body>) -> Change {
        Change(call.view, by: .player, random: random, vault: vault)
    }
}
