import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// The identity providers of apps, as doors use them: verification, which happens outside of every transaction, and the use of what was
/// verified.
struct IdentityProviders: Sendable {
    /// Verifies without a database.
    let verification: ProviderVerification
    private let vault: KeyVault

    /// - Parameter onOutage: receives the reason why a provider can't be asked. It is for an operator, because a player learns only the
    ///   fact.
    init(
        environment: ServerEnvironment, vault: KeyVault,
        onOutage: @escaping @Sendable (ProviderOutage) -> Void = { _ in }
    ) {
        self.vault = vault
        verification = ProviderVerification(environment: environment, vault: vault, onOutage: onOutage)
    }

    /// - Throws: ``IdentityFailure``.
    func client(for provider: Provider, region: String? = nil, in app: App) throws -> ProviderClient {
        try verification.client(for: provider, app.providers[provider], region: region, in: app.id)
    }

    /// Returns the identity of a credential that the provider itself has issued.
    ///
    /// - Throws: ``IdentityFailure``.
    func verify(_ credential: Credential, in app: App, at moment: Moment) async throws -> VerifiedIdentity {
        try await verification.verify(credential, app.providers[credential.provider], in: app.id, at: moment)
    }

    /// Tells operators what is wrong with their settings: a player is told only that it is so.
    func note(_ failure: IdentityFailure, of provider: Provider, in app: App) {
        verification.note(failure, of: provider, in: app.id)
    }

    /// The person of a code that this server exchanges.
    ///
    /// - Throws: ``IdentityFailure``.
    func identity(
        of code: ProviderToken, _ login: CodeExchange.Login, _ client: ProviderClient, _ credential: Credential,
        at moment: Moment
    ) async throws -> VerifiedIdentity {
        try await verification.identity(of: code, login, client, credential, at: moment)
    }

    /// - Throws: ``IdentityFailure``.
    func signalReader(for provider: Provider, in app: App, at moment: Moment) async throws -> SignalReader {
        try await verification.signalReader(for: try client(for: provider, in: app), at: moment)
    }

    /// Revokes a person's consent at the provider.
    ///
    /// - Throws: ``JobFailure``.
    func revoke(_ payload: RevocationPayload, in app: App, at moment: Moment) async throws {
        do {
            let client = try client(for: payload.provider, region: payload.tokens.region, in: app)
                .speaking(as: payload.tokens.clientId)
            try await TokenRevocation(client: client).revoke(payload.tokens, at: moment)
        } catch IdentityFailure.unavailable {
            throw JobFailure(reason: "\(payload.provider) can't be asked", mayRetry: true)
        } catch IdentityFailure.misconfigured(let why) {
            // An operator can correct this, so the job is retried.
            throw JobFailure(reason: "\(payload.provider): \(why)", mayRetry: true)
        } catch IdentityFailure.notConfigured {
            // The provider may be disabled only temporarily, and the person's right to revocation remains, so the job is retried.
            throw JobFailure(reason: "\(payload.provider) is switched off, or gone", mayRetry: true)
        } catch let failure as IdentityFailure {
            throw JobFailure(reason: "\(payload.provider) refuses: \(failure.words)", mayRetry: false)
        }
    }
}
