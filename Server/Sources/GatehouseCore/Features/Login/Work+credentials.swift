import GatehouseProviders
import GatehouseStorage
import GatehouseWire

extension Work {
    /// The identity of a credential, from its provider or from a completed browser login.
    ///
    /// - Parameters:
    ///   - rejected: the call's code for a refused credential.
    ///   - misconfigured: the call's code for a provider that doesn't exist, and for a credential that lacks something.
    func verified(
        _ credential: Credential, rejected: ErrorCode, misconfigured: ErrorCode
    ) async throws -> VerifiedIdentity {
        let key = try actor.requireKey()
        do {
            return try await checking(.refusedCredentials) {
                guard let code = credential.loginCode else {
                    return try await services.providers.verify(credential, in: app, at: moment)
                }
                _ = try services.providers.client(for: credential.provider, region: credential.region, in: app)
                return try await services.database.read { [services, app, moment] tx in
                    try LoginAttemptRules.identity(
                        of: code, credential.provider, on: key, app: app.id, vault: services.vault, at: moment, in: tx)
                }
            }
        } catch let failure as IdentityFailure {
            throw failure.refusal(rejected: rejected, misconfigured: misconfigured)
        }
    }

    /// Runs a body that uses an identity's credential. A device that uses the same credential again needs no query.
    func using<Value>(
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
