import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

extension Work {
    /// Runs a body with the identity of a credential, unless the call was made before with its idempotency key. Then the stored outcome
    /// answers: the provider has already exchanged the call's code, and a token may have expired since.
    ///
    /// A code is used up by its exchange, so an exchange and what is decided with its result belong together: they are finished even if
    /// the client goes meanwhile, and a repetition that arrives before the end waits for it. Otherwise the repetition would find no stored
    /// outcome, and the provider would refuse its code.
    ///
    /// - Parameter repeated: turns the stored outcome into the answer to a repeated call.
    func verifying<Value: Codable & Sendable>(
        _ credential: Credential, rejected: ErrorCode, misconfigured: ErrorCode,
        repeated: @escaping @Sendable (Value, Draft) throws -> Value,
        _ body: @escaping @Sendable (VerifiedIdentity) async throws -> Value
    ) async throws -> Value {
        let codes = (rejected: rejected, misconfigured: misconfigured)
        guard credential.hasCodeOfProvider else { return try await verifyingOnce(credential, codes, repeated, body) }
        do {
            return try await services.runsUnderWay.alone(once) {
                // Nothing is used up yet.
                try Task.checkCancellation()
                // A task of its own, which is not cancelled with this one.
                return try await Task { try await verifyingOnce(credential, codes, repeated, body) }.value
            }
        } catch let failure as IdentityFailure {
            throw failure.refusal(rejected: rejected, misconfigured: misconfigured)
        }
    }

    private func verifyingOnce<Value: Codable & Sendable>(
        _ credential: Credential, _ codes: (rejected: ErrorCode, misconfigured: ErrorCode),
        _ repeated: @escaping @Sendable (Value, Draft) throws -> Value,
        _ body: @Sendable (VerifiedIdentity) async throws -> Value
    ) async throws -> Value {
        if credential.asksProvider, let answer = try await answerAgain(repeated) { return answer }
        let identity: VerifiedIdentity
        do {
            identity = try await verified(credential, rejected: codes.rejected, misconfigured: codes.misconfigured)
        } catch {
            // Another run of this call, at the same time on another node, may have used up what the credential has.
            guard let answer = try await answerAgain(repeated) else { throw error }
            return answer
        }
        return try await using(identity, body)
    }

    /// The identity of a credential, from its provider or from a completed browser login.
    ///
    /// - Parameters:
    ///   - rejected: the call's code for a refused credential.
    ///   - misconfigured: the call's code for a provider that doesn't exist, and for a credential that lacks something.
    private func verified(
        _ credential: Credential, rejected: ErrorCode, misconfigured: ErrorCode
    ) async throws -> VerifiedIdentity {
        let key = try actor.requireKey()
        do {
            return try await checking(.refusedCredentials) {
                guard let code = credential.loginCode else {
                    return try await services.providers.verify(
                        credential, app.providers[credential.provider], in: app.id, at: moment)
                }
                _ = try client(for: credential.provider, region: credential.region)
                return try await services.database.read { [self] tx in
                    try LoginAttemptRules.identity(
                        of: code, credential.provider, on: key, app: app.id, vault: services.vault, at: moment, in: tx)
                }
            }
        } catch let failure as IdentityFailure {
            throw failure.refusal(rejected: rejected, misconfigured: misconfigured)
        }
    }

    /// The client of a provider, with what the app has set for it.
    ///
    /// - Throws: ``IdentityFailure``.
    func client(for provider: Provider, region: String? = nil) throws -> ProviderClient {
        try services.providers.client(for: provider, app.providers[provider], region: region, in: app.id)
    }

    /// Runs a body that uses an identity's credential. A device that uses the same credential again needs no query.
    private func using<Value>(
        _ identity: VerifiedIdentity, _ body: (VerifiedIdentity) async throws -> Value
    ) async throws -> Value {
        let key = try actor.requireKey()
        if services.usedCredentials.isOf(key, identity, app: app.id, at: moment) {
            var identity = identity
            identity.claim = nil
            return try await body(identity)
        }
        let value = try await body(identity)
        services.usedCredentials.remember(identity, on: key, app: app.id)
        return value
    }
}

extension Credential {
    /// Whether the provider is asked about each use. An ID token alone is verified with the provider's published keys, which takes less
    /// time than to look for the outcome of an earlier call; and the code of a browser login is this server's own.
    fileprivate var asksProvider: Bool {
        loginCode == nil && (idToken == nil || accessToken != nil || authorizationCode != nil)
    }

    /// Whether its verification uses up a code at the provider.
    fileprivate var hasCodeOfProvider: Bool { asksProvider && authorizationCode != nil }
}
