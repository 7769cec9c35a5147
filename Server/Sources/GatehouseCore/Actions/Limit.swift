import GatehouseProviders
package import GatehouseSecurity
package import GatehouseWire
import Synchronization

/// A limit on calls: what is counted, and against whom. The numbers are the app's (``AppLimits``).
package struct Limit: Sendable {
    let kind: RateLimiter.Kind
    var perAddress: (@Sendable (AppLimits) -> Int)?
    var perDevice: (@Sendable (AppLimits) -> Int)?
    var perMember: (@Sendable (AppLimits) -> Int)?

    /// Changing calls.
    static let changes = Limit(
        kind: .changes, perDevice: { $0.changesPerMinute }, perMember: { $0.changesPerMinute })
    /// New guests. Returning guests are never limited.
    static let newGuests = Limit(kind: .newGuests, perAddress: { $0.newGuestsPerMinute })
    /// Begun logins with a browser. Each is a row until it ends, and one address must not fill the table.
    static let loginAttempts = Limit(kind: .loginAttempts, perAddress: { $0.newGuestsPerMinute })
    /// Credentials that an identity provider has refused.
    static let refusedCredentials = Limit(
        kind: .refusedCredentials, perAddress: { $0.refusedCredentials.perAddress },
        perDevice: { $0.refusedCredentials.perDevice })
    /// Codes of browser logins that a provider has refused. Only the browser's address is known.
    package static let refusedCodes = Limit(kind: .refusedCredentials, perAddress: { $0.refusedCredentials.perAddress })
    /// Guesses at a transfer account or key. Ids, passwords and keys share one limit (TRF-2, TRF-6).
    static let transfers = Limit(
        kind: .transfers, perAddress: { $0.transfers.perAddress }, perDevice: { $0.transfers.perDevice })
    /// Proofs that were refused.
    package static let refusedProofs = Limit(kind: .refusedProofs, perAddress: { $0.refusedProofsPerMinute })

    package func claims(
        _ app: App, address: ClientAddress, key: KeyThumbprint? = nil, user: UserID? = nil
    ) -> [RateLimiter.Claim] {
        var claims: [RateLimiter.Claim] = []
        if let perAddress {
            claims += RateLimiter.Claim.address(kind, app, address, limit: perAddress(app.limits))
        }
        if let perDevice, let key { claims += RateLimiter.Claim.device(kind, app, key, limit: perDevice(app.limits)) }
        if let perMember, let user {
            claims += RateLimiter.Claim.member(kind, app, user, limit: perMember(app.limits))
        }
        return claims
    }
}

extension Work {
    /// Counts the call, once however often it is repeated with its idempotency key.
    ///
    /// - Throws: 8001 with status 429 when the limit is reached.
    func admit(_ limit: Limit) throws {
        try services.limits.take(claims(limit), for: name(limit))
    }

    /// Runs a check that counts only when it refuses.
    func checking<Value>(_ limit: Limit, _ check: () async throws -> Value) async throws -> Value {
        try await services.limits.checking(claims(limit), for: name(limit), check)
    }

    /// Runs a body that counts only if it creates something.
    ///
    /// - Parameter isExempt: whether the call does not create anything. It is called only when the limit is reached.
    func reserving<Value>(
        _ limit: Limit, unless isExempt: () async throws -> Bool,
        _ body: () async throws -> (value: Value, creates: Bool)
    ) async throws -> Value {
        try await services.limits.reserving(claims(limit), unless: isExempt, body)
    }

    private func claims(_ limit: Limit) -> [RateLimiter.Claim] {
        let user: UserID? = if case .player(let claims) = actor.principal { claims.user } else { nil }
        return limit.claims(app, address: context.address, key: actor.key, user: user)
    }

    private func name(_ limit: Limit) -> SeenCalls.Name? {
        once.call.flatMap { SeenCalls.Name($0, of: limit.kind, by: actor.key) }
    }
}

/// Counts calls against their limits (``Limit``). A call that is repeated with its idempotency key counts once.
package struct CallLimits: Sendable {
    package let limiter: RateLimiter
    private let seen = SeenCalls()

    init(limiter: RateLimiter) {
        self.limiter = limiter
    }

    private func refusal(_ claims: [RateLimiter.Claim], _ wait: Int) -> Refusal {
        let reached = claims.first { limiter.wait([$0]) != nil }
        return .tooManyRequests(retryAfterSeconds: wait, of: reached?.party ?? "from this address")
    }

    /// Counts a call that has not been counted yet.
    func take(_ claims: [RateLimiter.Claim], for name: SeenCalls.Name?) throws {
        guard !claims.isEmpty, seen.isNew(name) else { return }
        guard let wait = limiter.take(claims) else { return }
        seen.forget(name)
        throw refusal(claims, wait)
    }

    /// Checks a credential, unless too many were refused. The limit is checked before an identity provider is asked. Credentials being
    /// checked are counted until they prove to be valid, so that parallel calls can't exceed the limit.
    func checking<Value>(
        _ claims: [RateLimiter.Claim], for name: SeenCalls.Name?, _ check: () async throws -> Value
    ) async throws -> Value {
        guard seen.isNew(name) else {
            // A repeated call is not counted again, but it may not ask a provider when the limit has been reached.
            if let wait = limiter.wait(claims) { throw refusal(claims, wait) }
            return try await check()
        }
        if let wait = limiter.take(claims) {
            seen.forget(name)
            throw refusal(claims, wait)
        }
        do {
            let value = try await check()
            limiter.giveBack(claims)
            return value
        } catch {
            // A client that disconnects before the answer has still cost a call to the provider.
            if !((error as? IdentityFailure)?.isRefusal ?? false), !(error is CancellationError) {
                limiter.giveBack(claims)
                seen.forget(name)
            }
            throw error
        }
    }

    /// Limits what a call creates. A place is taken before the database is asked, and returned if nothing was created, so that parallel
    /// calls can't exceed the limit. A flood of new guests behind a carrier's address must not lock out its returning ones.
    ///
    /// - Parameter isExempt: whether the call does not create anything. It is called only when no place is left.
    func reserving<Value>(
        _ claims: [RateLimiter.Claim], unless isExempt: () async throws -> Bool,
        _ body: () async throws -> (value: Value, creates: Bool)
    ) async throws -> Value {
        let wait = limiter.take(claims)
        if let wait, try await !isExempt() { throw refusal(claims, wait) }
        do {
            let (value, creates) = try await body()
            if wait == nil, !creates { limiter.giveBack(claims) }
            return value
        } catch {
            if wait == nil { limiter.giveBack(claims) }
            throw error
        }
    }
}

extension IdentityFailure {
    /// Whether the credential itself was refused. An unavailable provider or wrong settings don't count.
    fileprivate var isRefusal: Bool {
        switch self {
        case .rejected, .expired, .audienceMismatch, .unbound: true
        case .notConfigured, .incomplete, .cancelled, .unavailable, .busy, .misconfigured: false
        }
    }
}

/// Remembers which calls with an idempotency key this node has counted. A call that has been forgotten is counted again.
final class SeenCalls: Sendable {
    /// The number of calls that one generation holds.
    private static let capacity = 50_000
    /// The maximum number of repetitions that are not counted. Further repetitions count like other calls.
    private static let repetitions = 8

    /// Identifies a call by a hash. Each process uses a new random seed, so that nobody outside can make two calls collide.
    struct Name: Hashable {
        private let hash: Int

        /// Nil for a call without an idempotency key, which can't be repeated.
        init?(_ call: Idempotency.Call, of kind: RateLimiter.Kind, by key: KeyThumbprint?) {
            guard let idempotencyKey = call.key else { return nil }
            var hasher = Hasher()
            hasher.combine(kind)
            hasher.combine(key)
            hasher.combine(call.app)
            hasher.combine(idempotencyKey)
            hasher.combine(call.requestHash)
            hash = hasher.finalize()
        }
    }

    private struct Generations {
        var young: [Name: Int] = [:]
        var old: [Name: Int] = [:]
    }

    private let generations = Mutex(Generations())

    /// Whether a call must be counted. This also remembers it as counted.
    func isNew(_ name: Name?) -> Bool {
        guard let name else { return true }
        return generations.withLock { generations in
            if generations.young.count >= Self.capacity { generations = Generations(old: generations.young) }
            let count = generations.young[name] ?? generations.old[name] ?? 0
            generations.young[name] = count < Self.repetitions ? count + 1 : 0
            return count == 0
        }
    }

    /// Forgets a call that was refused by the limit and therefore not counted.
    func forget(_ name: Name?) {
        guard let name else { return }
        generations.withLock { generations in
            generations.young[name] = nil
            generations.old[name] = nil
        }
    }
}
