import Foundation
import GatehouseStorage
import GatehouseWire
import Synchronization
import X509

/// Verifies what identity providers have issued: outside of every transaction.
struct IdentityProviders: Sendable {
    private let vault: KeyVault
    private let gateway: ProviderGateway
    private let keys: ProviderKeys
    private let discovery: Discovery
    private let certificates: CachedDocuments<Certificate>
    private let clients = KnownClients()
    private let used = KnownCredentials()

    init(environment: ServerEnvironment, vault: KeyVault) {
        self.vault = vault
        gateway = ProviderGateway(environment: environment)
        keys = ProviderKeys(environment: environment)
        discovery = Discovery(environment: environment)
        certificates = CachedDocuments(environment: environment, read: GameCenterVerifier.certificate)
    }

    /// - Throws: ``IdentityFailure``.
    func client(for provider: Provider, region: String? = nil, in app: App) throws -> ProviderClient {
        let place = KnownClients.Place(app: app.id, provider: provider, region: region)
        if let client = clients[place], client.configuration == app.providers[provider] { return client }
        let client = try ProviderClient(
            provider, region: region, in: app, vault: vault, gateway: gateway, keys: keys, discovery: discovery)
        clients[place] = client
        return client
    }

    /// Runs what uses an identity's credential on a device, and once more where it turns out to have been used before.
    func using<Value>(
        _ identity: VerifiedIdentity, on device: KeyThumbprint, in app: App, at moment: Moment,
        _ body: (VerifiedIdentity) async throws -> Value
    ) async throws -> Value {
        var identity = identity
        if used.isOf(device, identity, app: app.id, at: moment) {
            identity.claim = nil
            return try await body(identity)
        }
        let value: Value
        do {
            value = try await body(identity)
        } catch is CredentialSeen {
            identity.wasSeen = true
            value = try await body(identity)
        }
        used.remember(identity, on: device, app: app.id)
        return value
    }

    /// Who a credential that a device shows is about: as the provider says it, or as a browser login has found out.
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
        let client = try client(for: credential.provider, region: credential.region, in: app)
        if client.description.isGameCenter {
            guard let proof = credential.gameCenter else { throw IdentityFailure.incomplete("gameCenter") }
            let verifier = GameCenterVerifier(client: client, certificates: certificates)
            let (subject, claim) = try await verifier.verify(proof, at: moment)
            return VerifiedIdentity(key: client.identity(subject), claim: claim)
        }
        var tokens = CodeExchange.Tokens(idToken: credential.idToken, accessToken: credential.accessToken)
        // Facebook's SDK hands out an ID token in an access token's place where a player is not tracked.
        if tokens.idToken == nil, client.description.openID != nil, let token = tokens.accessToken, token.isSigned {
            tokens = CodeExchange.Tokens(idToken: token)
        }
        guard let code = credential.authorizationCode else {
            return try await identity(of: tokens, nonce: credential.nonce, client, credential, at: moment)
        }
        let login = CodeExchange.Login(
            nonce: credential.nonce, verifier: credential.codeVerifier?.secretValue,
            redirectUri: credential.redirectUri)
        guard tokens.idToken != nil else {
            return try await identity(of: code, login, client, credential, at: moment)
        }
        return try await identity(of: tokens, with: code, login, client, credential, at: moment)
    }

    /// The person of a code that this server exchanges.
    ///
    /// - Throws: ``IdentityFailure``.
    func identity(
        of code: ProviderToken, _ login: CodeExchange.Login, _ client: ProviderClient, _ credential: Credential,
        at moment: Moment
    ) async throws -> VerifiedIdentity {
        let tokens = try await CodeExchange(client: client).tokens(for: code, of: login, at: moment)
        return try await identity(
            of: tokens, nonce: login.nonce, client, credential, areOurs: true, at: moment)
    }

    /// An ID token and a code beside it (Apple): the code is exchanged so that there is something to revoke.
    private func identity(
        of tokens: CodeExchange.Tokens, with code: ProviderToken, _ login: CodeExchange.Login,
        _ client: ProviderClient, _ credential: Credential, at moment: Moment
    ) async throws -> VerifiedIdentity {
        var tokens = tokens
        var person = try await person(
            of: tokens, nonce: login.nonce, client, credential, areOurs: false, at: moment)
        // The code is of the client that the token beside it is of.
        person.client = client.speaking(as: person.clientId)
        do {
            let exchanged = try await CodeExchange(client: person.client).tokens(for: code, of: login, at: moment)
            tokens.accessToken = exchanged.accessToken ?? tokens.accessToken
            tokens.refreshToken = exchanged.refreshToken
        } catch IdentityFailure.unavailable, IdentityFailure.misconfigured {
            // Who the player is has been shown: what can be revoked one day is worth less than the login.
        }
        return identity(person, tokens, credential)
    }

    private func identity(
        of tokens: CodeExchange.Tokens, nonce: String?, _ client: ProviderClient, _ credential: Credential,
        areOurs: Bool = false, at moment: Moment
    ) async throws -> VerifiedIdentity {
        let person = try await person(of: tokens, nonce: nonce, client, credential, areOurs: areOurs, at: moment)
        return identity(person, tokens, credential)
    }

    /// Whom tokens are about, and by which client.
    private struct Person {
        var client: ProviderClient
        let subject: String
        var profile: [String: JSONValue]
        var clientId: String?
        var claim: CredentialClaim?
    }

    private func person(
        of tokens: CodeExchange.Tokens, nonce: String?, _ client: ProviderClient, _ credential: Credential,
        areOurs: Bool, at moment: Moment
    ) async throws -> Person {
        var person: Person
        if let idToken = tokens.idToken, let openID = client.description.openID {
            var verifier = try await verifier(of: client, openID)
            verifier.sharedSecret = areOurs && openID.signsWebTokensWithSecret ? client.secrets.clientSecret : nil
            let found = try await verifier.person(
                in: .init(token: idToken, nonce: nonce, accessToken: tokens.accessToken), at: moment)
            person = Person(
                client: client, subject: found.subject, profile: found.profile, clientId: found.clientId)
            if !areOurs {
                person.claim = .token(hash: CredentialClaim.hash(of: idToken.secretValue), until: found.expiresAt)
            }
        } else if let accessToken = tokens.accessToken {
            let (subject, profile) = try await TokenVerifier(client: client).person(
                of: accessToken, isOurs: areOurs, at: moment)
            person = Person(client: client, subject: subject, profile: profile)
        } else {
            throw IdentityFailure.incomplete(client.description.openID == nil ? "accessToken" : "idToken")
        }
        if let name = credential.personName, person.profile["name"] == nil {
            person.profile["name"] = .string(String(name.prefix(256)))
        }
        return person
    }

    private func identity(
        _ person: Person, _ tokens: CodeExchange.Tokens, _ credential: Credential
    ) -> VerifiedIdentity {
        VerifiedIdentity(
            key: person.client.identity(person.subject), tokens: kept(tokens, of: person, credential),
            claim: person.claim)
    }

    private func verifier(of client: ProviderClient, _ openID: OpenIDDescription) async throws -> OpenIDVerifier {
        let keysURL: String
        if let url = openID.keysURL {
            keysURL = client.values.place(url)
        } else if let document = try await client.endpoints() {
            keysURL = client.values.place(document.keysURL)
        } else {
            throw IdentityFailure.misconfigured("it does not say where its keys are")
        }
        return OpenIDVerifier(
            issuers: openID.issuers, clientIds: client.clientIds, algorithms: openID.algorithms, keysURL: keysURL,
            keys: keys)
    }

    /// How many keys a provider publishes.
    ///
    /// - Throws: ``IdentityFailure``.
    func keyCount(of client: ProviderClient) async throws -> Int {
        guard let openID = client.description.openID else { return 0 }
        return try await keys.count(at: try await verifier(of: client, openID).keysURL)
    }

    /// - Throws: ``IdentityFailure``.
    func signalReader(for provider: Provider, in app: App) async throws -> SignalReader {
        let client = try client(for: provider, in: app)
        var verifier: OpenIDVerifier?
        if let openID = client.description.openID { verifier = try await self.verifier(of: client, openID) }
        return SignalReader(client: client, verifier: verifier)
    }

    /// Only what there is a use for is kept.
    private func kept(_ tokens: CodeExchange.Tokens, of person: Person, _ credential: Credential) -> IdentityTokens? {
        let keepsProfile = person.client.configuration.keepsProfile ?? false
        let kept = IdentityTokens(
            accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
            profile: keepsProfile ? person.profile : nil, subject: person.subject, region: credential.region,
            clientId: person.clientId, revocation: person.client.revocation)
        guard keepsProfile || kept.isRevocable else { return nil }
        return kept
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
            // An operator can put that right.
            throw JobFailure(reason: "\(payload.provider): \(why)", mayRetry: true)
        } catch IdentityFailure.notConfigured {
            // Switched off, perhaps for an hour: what a person is owed waits.
            throw JobFailure(reason: "\(payload.provider) is switched off, or gone", mayRetry: true)
        } catch let failure as IdentityFailure {
            throw JobFailure(reason: "\(payload.provider) refuses: \(failure.words)", mayRetry: false)
        }
    }
}

extension ProviderClient {
    func identity(_ subject: String) -> IdentityKey {
        IdentityKey(provider: provider, namespace: namespace, subject: subject)
    }

    /// What revokes a person's consent, as far as the settings tell: a discovery document may know of a place.
    var revocation: IdentityTokens.Revocation? {
        guard !description.revocation.isEmpty else { return configuration.kind == .openID ? .byToken : nil }
        return description.revocation.contains(where: \.takesToken) ? .byToken : .bySubject
    }
}

extension ProviderToken {
    /// Whether it looks like a signed token.
    fileprivate var isSigned: Bool {
        secretValue.hasPrefix("eyJ") && secretValue.count(where: { $0 == "." }) == 2
    }
}

/// Clients as they were last made: their secrets opened, their descriptions put together. Only what an app has is in it.
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
