import GatehouseWire
import Synchronization

/// What is counted of calls, and against whom. A call that is repeated with its idempotency key is one call, and counted once.
struct CallLimits: Sendable {
    let limiter: RateLimiter
    private let seen = SeenCalls()

    init(limiter: RateLimiter) {
        self.limiter = limiter
    }

    /// Counts a call that changes something, of a device and of the member that it is in as.
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

    /// Looks at a credential, unless too many of this device's or address's were refused: before an identity provider is asked.
    /// Those that are looked at are counted until they turn out to be good, so that many at once are no way around.
    func checkingCredential<Body, Value>(
        _ call: Call<Body>, by key: KeyThumbprint, _ check: () async throws -> Value
    ) async throws -> Value {
        let limits = call.app.limits.refusedCredentials
        return try await checking(
            RateLimiter.Claim.address(.refusedCredentials, call.app, call.address, limit: limits.perAddress)
                + RateLimiter.Claim.device(.refusedCredentials, call.app, key, limit: limits.perDevice),
            for: SeenCalls.Name(call.repeatable, of: .refusedCredentials, by: key), check)
    }

    /// The same for a code that a browser brings back: only its address is known.
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
            // A repeated call is not counted anew, and asks no provider where the limit has been reached.
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
            // Whoever goes before the answer has cost the provider a call all the same.
            if !((error as? IdentityFailure)?.isRefusal ?? false), !(error is CancellationError) {
                limiter.giveBack(claims)
                seen.forget(name)
            }
            throw error
        }
    }

    /// Counts the beginning of a login with a browser. Each is a row until it ends: one address can't fill the table.
    func admitLoginAttempt<Body>(_ call: Call<Body>, by key: KeyThumbprint) throws {
        let limit = call.app.limits.newGuestsPerMinute
        try take(
            RateLimiter.Claim.address(.loginAttempts, call.app, call.address, limit: limit),
            for: SeenCalls.Name(call.repeatable, of: .loginAttempts, by: key))
    }

    /// Lets new guests of one address in at the app's rate. Returning guests pass always: a flood of new ones from behind a
    /// carrier's address must not lock out the players who are there. A place is taken before the database is asked, and given
    /// back where no member was made: so many at once are no way around.
    ///
    /// - Parameter isKnown: whether the guest is one that returns: asked for when there is no place.
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

    /// Counts a guess at a transfer account or key: ids, passwords and keys share one limit (TRF-2, TRF-6).
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
    /// A client repeats a call a few times. More repetitions count like other calls.
    private static let repetitions = 8

    /// Identifies a call by a hash. Each process seeds the hash anew, so that nobody outside can make two calls collide.
    struct Name: Hashable {
        private let hash: Int

        /// Nil for a call that can't be repeated.
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

    /// Whether a call is to be counted. It is remembered as counted by that.
    func isNew(_ name: Name?) -> Bool {
        guard let name else { return true }
        return generations.withLock { generations in
            if generations.young.count >= Self.capacity { generations = Generations(old: generations.young) }
            let count = generations.young[name] ?? generations.old[name] ?? 0
            generations.young[name] = count < Self.repetitions ? count + 1 : 0
            return count == 0
        }
    }

    /// A call that was sent away was not counted.
    func forget(_ name: Name?) {
        guard let name else { return }
        generations.withLock { generations in
            generations.young[name] = nil
            generations.old[name] = nil
        }
    }
}

extension IdentityFailure {
    /// Whether the credential itself was refused, and not a provider that can't be asked, or settings that are wrong.
    fileprivate var isRefusal: Bool {
        switch self {
        case .rejected, .expired, .audienceMismatch, .unbound: true
        case .notConfigured, .incomplete, .cancelled, .unavailable, .misconfigured: false
        }
    }
}
