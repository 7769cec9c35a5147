import GatehouseStorage
import GatehouseWire

/// Runs what changes accounts. Where a rule meets a member whom time has changed, that change is made first, in a transaction
/// of its own, and the rule runs anew: so a deadline counts at its moment, also when no node was running then.
struct AccountWriter: Sendable {
    let database: Database
    let vault: KeyVault
    let random: RandomSource
    let idempotency: Idempotency
    let audit: AuditLog

    /// More than the members of one call can have lapsed.
    private static let settlements = 2 * MemberLookup.maximum
    /// Bodies that lose again and again against others on one member.
    private static let attempts = 4

    func write<Value: Sendable>(
        at moment: Moment, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await settling(at: moment) { try await database.write(body) }
    }

    /// A read that may meet a member whom time has changed.
    func read<Value: Sendable>(
        at moment: Moment, _ body: @escaping @Sendable (Transaction) throws -> Value
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
        let event = try await database.write { tx -> String? in
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

    /// A change that the player of an access token makes: once for each idempotency key and each proof.
    ///
    /// - Parameter repeated: what a repeated call is told of the outcome now. Without it the outcome itself, as long as the session
    ///   of the access token lives.
    /// - Parameter leaving: whether the change is the player's withdrawal.
    func change<Body, Value: Codable & Sendable>(
        _ call: Call<Body>, leaving: Bool = false, repeated: (@Sendable (Value, Transaction) throws -> Value)? = nil,
        _ body: @escaping @Sendable (Session, Account, Change, Transaction) throws -> Value
    ) async throws -> Value {
        let claims = try call.caller.requireClaims()
        let proof = try call.caller.requireProof()
        let change = change(call)
        return try await write(at: call.moment) { tx in
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

    /// A change that a game server makes.
    func change<Body, Value: Codable & Sendable>(
        _ call: Call<Body>, by name: String, reason: String? = nil,
        _ body: @escaping @Sendable (Change, Transaction) throws -> Value
    ) async throws -> Value {
        var change = change(call)
        change.origin = .gameServer(name, reason: reason, by: call.door)
        let gameServers = change
        return try await write(at: call.moment) { tx in
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
