import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization
import X509

/// Verifies what identity providers have issued, outside of every transaction.
struct IdentityProviders: Sendable {
    private let vault: KeyVault
    private let surroundings: ProviderClient.Surroundings
    private let keys: ProviderKeys
    private let certificates: CachedDocuments<Certificate>
    private let authorities: @Sendable () -> CertificateStore?
    private let clients = KnownClients()

    /// - Parameter onOutage: receives the reason why a provider can't be asked. It is for an operator, because a player learns only the
    ///   fact.
    init(
        environment: ServerEnvironment, vault: KeyVault,
        onOutage: @escaping @Sendable (ProviderOutage) -> Void = { _ in }
    ) {
        self.vault = vault
        let gateway = ProviderGateway(environment: environment, onOutage: onOutage)
        keys = ProviderKeys(environment: environment, gateway: gateway)
        surroundings = ProviderClient.Surroundings(
            vault: vault, gateway: gateway, discovery: Discovery(environment: environment, gateway: gateway),
            random: environment.random)
        certificates = CachedDocuments(
            environment: environment, gateway: gateway, read: GameCenterChain.certificate)
        authorities = environment.authorities
    }

    /// - Throws: ``IdentityFailure``.
    func client(for provider: Provider, region: String? = nil, in app: App) throws -> ProviderClient {
        let place = KnownClients.Place(app: app.id, provider: provider, region: region)
        if let client = clients[place], client.configuration == app.providers[provider] { return client }
        let client = try ProviderClient(provider, region: region, in: app, surroundings)
        clients[place] = client
        return client
    }

    /// Returns the identity of a device's credential, from the provider or from a completed browser login.
    ///
    /// - Throws: ``IdentityFailure``.
    func verify(
        _ credential: Credential, on device: KeyThumbprint, in app: App, at moment: Moment, database: Database
    ) async throws -> VerifiedIdentity {
        guard let code = credential.loginCode else { return try await verify(credential, in: app, at: moment) }
        _ = try client(for: credential.provider, region: credential.region, in: app)
        return try await database.read { [vault] tx in
            try LoginAttemptRules.identity(
                of: code, credential.provider, on: device, app: app.id, vault: vault, at: moment, in: tx)
        }
    }

    private func verify(_ credential: Credential, in app: App, at moment: Moment) async throws -> VerifiedIdentity {
        do {
            let client = try client(for: credential.provider, region: credential.region, in: app)
            return try await verifier(client, at: moment).verify(credential)
        } catch let failure as IdentityFailure {
            note(failure, of: credential.provider, in: app)
            throw failure
        }
    }

    /// Tells operators what is wrong with their settings: a player is told only that it is so.
    func note(_ failure: IdentityFailure, of provider: Provider, in app: App) {
        guard case .misconfigured(let why) = failure else { return }
        surroundings.gateway.note(why, at: "", of: ProviderGateway.Share(app: app.id, provider: provider))
    }

    /// Whether the machine has authorities that it trusts.
    var hasTrustStore: Bool { authorities() != nil }

    /// The person of a code that this server exchanges.
    ///
    /// - Throws: ``IdentityFailure``.
    func identity(
        of code: ProviderToken, _ login: CodeExchange.Login, _ client: ProviderClient, _ credential: Credential,
        at moment: Moment
    ) async throws -> VerifiedIdentity {
        try await verifier(client, at: moment).identity(of: code, login, credential)
    }

    private func verifier(_ client: ProviderClient, at moment: Moment) -> CredentialVerifier {
        CredentialVerifier(
            client: client, keys: keys, certificates: certificates, authorities: authorities, moment: moment)
    }

    /// Returns the algorithms of the provider's published keys, and those that a login accepts.
    ///
    /// - Throws: ``IdentityFailure``.
    func algorithms(
        of client: ProviderClient, _ openID: OpenIDDescription, at moment: Moment
    ) async throws -> (published: [String], accepted: [String]) {
        let verifier = try await verifier(client, at: moment).verifier(of: client, openID)
        return (try await keys.algorithms(at: verifier.place), verifier.algorithms)
    }

    /// - Throws: ``IdentityFailure``.
    func signalReader(for provider: Provider, in app: App, at moment: Moment) async throws -> SignalReader {
        let client = try client(for: provider, in: app)
        var verifier: OpenIDVerifier?
        if let openID = client.description.openID {
            verifier = try await self.verifier(client, at: moment).verifier(of: client, openID)
        }
        return SignalReader(client: client, verifier: verifier)
    }

    /// Revokes a person's consent at the provider.
    ///
    /// - Throws: ``JobFailure``.
    func revoke(_ payload: RevocationPayload, in app: App, at moment: Moment) async throws {
        do {
            let client = try client(for: payload.provider, region: payload.tokens.region, in: app)
                .speaking(as: payload.tokens.clientId)
            try await TokenRevocation(client: client).revoke(payload, at: moment)
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

/// Caches clients with their decrypted secrets and complete descriptions. It contains only providers that an app has.
private final class KnownClients: Sendable {
    struct Place: Hashable {
        let app: AppID
        let provider: Provider
        let region: String?
    }

    private let clients = Mutex<[Place: ProviderClient]>([:])

    subscript(_ place: Place) -> ProviderClient? {
        get { clients.withLock { $0[place] } }
        set { clients.withLock { $0[place] = newValue } }
    }
}
