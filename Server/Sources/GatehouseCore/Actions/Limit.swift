package import GatehouseSecurity
package import GatehouseWire

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
