import GatehouseProviders
import GatehouseSecurity

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
