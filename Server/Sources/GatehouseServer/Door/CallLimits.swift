import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Synchronization

/// The limits on calls, and against whom each call counts. A call that is repeated with its idempotency key counts once.
struct CallLimits: Sendable {
    let limiter: RateLimiter
    private let seen = SeenCalls()

    init(limiter: RateLimiter) {
        self.limiter = limiter
    }

    /// Counts a changing call against its device and its member.
    func admitChange(_ call: Idempotency.Call, by key: KeyThumbprint, user: UserID?, app: App) throws {
        let limit = app.limits.changesPerMinute
        guard limit > 0 else { return }
        var claims = RateLimiter.Claim.device(.changes, app, key, limit: limit)
        if let user { claims += RateLimiter.Claim.member(.changes, app, user, limit: limit) }
        try take(claims, for: SeenCalls.Name(call, of: .changes, by: key))
    }

    /// Counts a call that has not been counted yet.
    private func take(_ claims: [RateLimiter.Claim], for name: SeenCalls.Name?) throws {
        guard seen.isNew(name) else { return }
        guard let wait = limiter.take(claims) else { return }
        seen.forget(name)
        throw Refusal.tooManyRequests(retryAfterSeconds: wait)
    }

    /// Checks a credential, unless too many from this device or address were refused. The limit is checked before an identity provider
    /// is asked. Credentials being checked are counted until they prove to be valid, so that parallel calls can't exceed the limit.
    func checkingCredential<Body, Value>(
        _ call: Call<Body>, by key: KeyThumbprint, _ check: () async throws -> Value
    ) async throws -> Value {
        let limits = call.app.limits.refusedCredentials
        return try await checking(
            RateLimiter.Claim.address(.refusedCredentials, call.app, call.address, limit: limits.perAddress)
                + RateLimiter.Claim.device(.refusedCredentials, call.app, key, limit: limits.perDevice),
            for: SeenCalls.Name(call.repeatable, of: .refusedCredentials, by: key), check)
    }

    /// Checks a code that a browser brings back. Only the browser's address is known.
    func checkingCode<Value>(
        in app: App, from address: ClientAddress, _ check: () async throws -> Value
    ) async throws -> Value {
        let limit = app.limits.refusedCredentials.perAddress
        return try await checking(
            RateLimiter.Claim.address(.refusedCredentials, app, address, limit: limit), for: nil, check)
    }

    private func checking<Value>(
        _ claims: [RateLimiter.Claim], for name: SeenCalls.Name?, _ check: () async throws -> Value
    ) async throws -> Value {
        guard seen.isNew(name) else {
            // A repeated call is not counted again, but it may not ask a provider when the limit has been reached.
            if let wait = limiter.wait(claims) { throw Refusal.tooManyRequests(retryAfterSeconds: wait) }
            return try await check()
        }
        if let wait = limiter.take(claims) {
            seen.forget(name)
            throw Refusal.tooManyRequests(retryAfterSeconds: wait)
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

    /// Counts the beginning of a login with a browser. Each is a row until it ends, and one address must not fill the table.
    func admitLoginAttempt<Body>(_ call: Call<Body>, by key: KeyThumbprint) throws {
        let limit = call.app.limits.newGuestsPerMinute
        try take(
            RateLimiter.Claim.address(.loginAttempts, call.app, call.address, limit: limit),
            for: SeenCalls.Name(call.repeatable, of: .loginAttempts, by: key))
    }

    /// Limits new guests of one address to the app's rate. Returning guests are never limited: a flood of new ones behind a carrier's
    /// address must not lock out existing players. A place is taken before the database is asked, and returned if no member was
    /// created, so that parallel calls can't exceed the limit.
    ///
    /// - Parameter isKnown: whether the guest is a returning one. It is called only when no place is left.
    func admitGuest<Body>(
        _ call: Call<Body>, isKnown: () async throws -> Bool,
        _ logIn: () async throws -> (outcome: LoginRules.Outcome, makesMember: Bool)
    ) async throws -> LoginRules.Outcome {
        let claims = RateLimiter.Claim.address(
            .newGuests, call.app, call.address, limit: call.app.limits.newGuestsPerMinute)
        let wait = limiter.take(claims)
        if let wait, try await !isKnown() { throw Refusal.tooManyRequests(retryAfterSeconds: wait) }
        do {
            let (outcome, makesMember) = try await logIn()
            if wait == nil, !makesMember { limiter.giveBack(claims) }
            return outcome
        } catch {
            if wait == nil { limiter.giveBack(claims) }
            throw error
        }
    }

    /// Counts a guess at a transfer account or key. Ids, passwords and keys share one limit (TRF-2, TRF-6).
    func admitTransfer<Body>(_ call: Call<Body>, by key: KeyThumbprint) throws {
        let limits = call.app.limits.transfers
        let claims =
            RateLimiter.Claim.address(.transfers, call.app, call.address, limit: limits.perAddress)
            + RateLimiter.Claim.device(.transfers, call.app, key, limit: limits.perDevice)
        try take(claims, for: SeenCalls.Name(call.repeatable, of: .transfers, by: key))
    }
}

/// Remembers which calls with an idempotency key this node has counted. A call that has been forgotten is counted again.
private final class SeenCalls: Sendable {
    /// The number of calls that one generation holds.
    private static let capacity = 50_000
    /// The maximum number of repetitions that are not counted. Further repetitions count like other calls.
    private static let repetitions = 8

    /// Identifies a call by a hash. Each process uses a new random seed, so that nobody outside can make two calls collide.
    struct Name: Hashable {
        private let hash: Int

        /// Nil for a call without an idempotency key, which can't be repeated.
        init?(_ call: Idempotency.Call, of kind: RateLimiter.Kind, by key: KeyThumbprint) {
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

extension IdentityFailure {
    /// Whether the credential itself was refused. An unavailable provider or wrong settings don't count.
    fileprivate var isRefusal: Bool {
        switch self {
        case .rejected, .expired, .audienceMismatch, .unbound: true
        case .notConfigured, .incomplete, .cancelled, .unavailable, .misconfigured: false
        }
    }
}
