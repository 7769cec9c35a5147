import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire
import Synchronization
import X509

/// Verifies what identity providers have issued: it knows no database and no app but its id.
package struct ProviderVerification: Sendable {
    let surroundings: ProviderClient.Surroundings
    let keys: ProviderKeys
    private let certificates: CachedDocuments<Certificate>
    private let authorities: @Sendable () -> CertificateStore?
    private let clients = KnownClients()

    /// - Parameter onOutage: receives the reason why a provider can't be asked. It is for an operator, because a player learns only the
    ///   fact.
    package init(
        environment: ServerEnvironment, vault: KeyVault,
        onOutage: @escaping @Sendable (ProviderOutage) -> Void = { _ in }
    ) {
        let gateway = ProviderGateway(environment: environment, onOutage: onOutage)
        keys = ProviderKeys(environment: environment, gateway: gateway)
        surroundings = ProviderClient.Surroundings(
            vault: vault, gateway: gateway, discovery: Discovery(environment: environment, gateway: gateway),
            random: environment.random)
        certificates = CachedDocuments(
            environment: environment, gateway: gateway, read: GameCenterChain.certificate)
        authorities = environment.authorities
    }

    /// - Parameter configuration: what the app has set for the provider; nil if it has nothing.
    /// - Throws: ``IdentityFailure``.
    package func client(
        for provider: Provider, _ configuration: ProviderConfiguration?, region: String? = nil, in app: AppID
    ) throws -> ProviderClient {
        let place = KnownClients.Place(app: app, provider: provider, region: region)
        if let client = clients[place], client.configuration == configuration { return client }
        let client = try ProviderClient(provider, configuration, region: region, in: app, surroundings)
        clients[place] = client
        return client
    }

    /// The person of a credential that a game has sent.
    ///
    /// - Throws: ``IdentityFailure``.
    package func verify(
        _ credential: Credential, _ configuration: ProviderConfiguration?, in app: AppID, at moment: Moment
    ) async throws -> VerifiedIdentity {
        do {
            let client = try client(for: credential.provider, configuration, region: credential.region, in: app)
            return try await verifier(client, at: moment).verify(credential)
        } catch let failure as IdentityFailure {
            note(failure, of: credential.provider, in: app)
            throw failure
        }
    }

    /// Tells operators what is wrong with their settings: a player is told only that it is so.
    package func note(_ failure: IdentityFailure, of provider: Provider, in app: AppID) {
        guard case .misconfigured(let why) = failure else { return }
        surroundings.gateway.note(why, at: "", of: ProviderGateway.Share(app: app, provider: provider))
    }

    /// Whether the machine has authorities that it trusts.
    package var hasTrustStore: Bool { authorities() != nil }

    /// The person of a code that this server exchanges.
    ///
    /// - Throws: ``IdentityFailure``.
    package func identity(
        of code: ProviderToken, _ login: CodeLogin, _ client: ProviderClient, _ credential: Credential,
        at moment: Moment
    ) async throws -> VerifiedIdentity {
        try await verifier(client, at: moment).identity(of: code, login, credential)
    }

    /// What the provider says of the person of a code, for a test.
    ///
    /// - Throws: ``IdentityFailure``.
    package func sample(
        of code: ProviderToken, _ login: CodeLogin, _ client: ProviderClient, _ credential: Credential,
        at moment: Moment
    ) async throws -> LoginSample {
        try await verifier(client, at: moment).sample(of: code, login, credential)
    }

    private func verifier(_ client: ProviderClient, at moment: Moment) -> CredentialVerifier {
        CredentialVerifier(
            client: client, keys: keys, certificates: certificates, authorities: authorities, moment: moment)
    }

    /// Returns the algorithms of the provider's published keys, those of its keys that are not known here, and those that a login accepts.
    ///
    /// - Throws: ``IdentityFailure``.
    package func algorithms(
        of client: ProviderClient, _ openID: OpenIDDescription, at moment: Moment
    ) async throws -> (published: [String], others: [String], accepted: [String]) {
        let verifier = try await verifier(client, at: moment).verifier(of: client, openID)
        let (known, others) = try await keys.algorithms(at: verifier.place)
        return (known, others, verifier.algorithms)
    }

    /// - Throws: ``IdentityFailure``.
    package func signalReader(for client: ProviderClient, at moment: Moment) async throws -> SignalReader {
        var verifier: OpenIDVerifier?
        if let openID = client.description.openID {
            verifier = try await self.verifier(client, at: moment).verifier(of: client, openID)
        }
        return SignalReader(client: client, verifier: verifier)
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
