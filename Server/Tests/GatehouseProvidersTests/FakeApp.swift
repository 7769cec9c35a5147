import FakeProviders
import Foundation
import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Synchronization
import Testing
import X509

/// An app with every provider of the fake world, and what verifies the credentials of its players, without a server and a database.
struct FakeApp: Sendable {
    static let id = AppID("game")
    static let start = Moment(milliseconds: 1_795_219_200_000)
    static let callback = "https://login.example.com/callback"

    /// The key of every fake provider. It is shared, because making one takes time.
    static let key: FakeSigningKey = {
        do { return try FakeSigningKey() } catch { preconditionFailure("\(error)") }
    }()

    /// A clock that stands still until a test moves it.
    final class Clock: Sendable {
        private let time = Mutex(FakeApp.start.milliseconds)

        var now: Moment { Moment(milliseconds: time.withLock { $0 }) }
        func advance(seconds: Int64) { time.withLock { $0 += seconds * 1_000 } }
    }

    /// What operators are told.
    final class Journal: Sendable {
        private let outages = Mutex<[ProviderOutage]>([])

        var text: String { outages.withLock { "\($0)" } }
        func add(_ outage: ProviderOutage) { outages.withLock { $0.append(outage) } }
    }

    let idps: FakeProviders
    let clock: Clock
    let journal = Journal()
    let environment: ServerEnvironment
    let vault: KeyVault
    let providers: ProviderVerification
    private let configurations: [Provider: ProviderConfiguration]

    var now: Moment { clock.now }

    /// - Parameter authorities: whom the machine trusts. By default the root that the fake Game Center leads to.
    init(
        authorities: @escaping @Sendable (FakeProviders) -> CertificateStore? = { try? $0.gameCenterAuthorities() }
    ) throws {
        let clock = Clock()
        let idps = FakeProviders(
            origin: "http://127.0.0.1:1", key: Self.key, nowSeconds: { clock.now.milliseconds / 1_000 })
        let vault = try KeyVault(masterKey: [UInt8](repeating: 7, count: 32))
        environment = ServerEnvironment(
            now: { clock.now }, monotonicNanoseconds: { UInt64(clock.now.milliseconds) * 1_000_000 }, random: .live,
            fetch: { request in
                guard
                    let call = FakeProviders.Request(
                        method: request.method, url: request.url, headers: request.headers,
                        body: request.body ?? Data())
                else { throw OutgoingFailure.notConnected }
                let answer = idps.respond(call)
                // The real client gives up on slow responses and refuses large ones.
                guard answer.delayMilliseconds < Int(OutgoingRequest.standardSeconds) * 1_000,
                    answer.body.count <= OutgoingRequest.maximumBytes
                else { throw OutgoingFailure.timedOut(seconds: OutgoingRequest.standardSeconds) }
                return OutgoingResponse(
                    status: answer.status, body: answer.body, location: answer.headers["Location"],
                    date: answer.headers["Date"])
            },
            authorities: { authorities(idps) })
        providers = ProviderVerification(environment: environment, vault: vault, onOutage: journal.add)
        configurations = Dictionary(
            uniqueKeysWithValues: try FakeProviders.names.map { provider in
                (provider, try Self.configuration(of: provider, [:], [:], idps: idps, vault: vault))
            })
        self.idps = idps
        self.clock = clock
        self.vault = vault
    }

    // MARK: Settings

    /// A provider's settings with these changes, checked as an operator's are.
    ///
    /// - Throws: ``Refusal``.
    func configuration(
        of provider: Provider, _ changes: [String: JSONValue] = [:], secrets: [String: JSONValue] = [:]
    ) throws -> ProviderConfiguration {
        if changes.isEmpty, secrets.isEmpty, let configuration = configurations[provider] { return configuration }
        return try Self.configuration(of: provider, changes, secrets, idps: idps, vault: vault)
    }

    private static func configuration(
        of provider: Provider, _ changes: [String: JSONValue], _ secretChanges: [String: JSONValue],
        idps: FakeProviders, vault: KeyVault
    ) throws -> ProviderConfiguration {
        func read<Value: Decodable>(_ json: [String: JSONValue]) throws -> Value {
            try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(JSONValue.object(json)))
        }
        let settings = (idps.configuration(of: provider).objectValue ?? [:]).merging(changes) { $1 }
        try ProviderSettingsNames.check(.object(settings))
        var configuration: ProviderConfiguration = try read(settings)
        let secrets: ProviderSecrets = try read(
            (idps.secrets(of: provider).objectValue ?? [:]).merging(secretChanges) { $1 })
        let check = ProviderSettingsCheck(configuration: configuration)
        try check.check()
        try check.checkAuthentication(with: secrets)
        try check.check(secrets)
        configuration.sealedSecrets = try vault.seal(
            JSONWriter.bytes(of: secrets), for: .providerSecrets(provider, in: id))
        return configuration
    }

    func client(
        for provider: Provider, _ configuration: ProviderConfiguration? = nil, region: String? = nil
    ) throws -> ProviderClient {
        try providers.client(
            for: provider, configuration ?? self.configuration(of: provider), region: region, in: Self.id)
    }

    /// What a test of the settings finds.
    func findings(
        _ provider: Provider, _ configuration: ProviderConfiguration? = nil, callback: String = callback
    ) async throws -> [ProviderFinding] {
        let observations = ProviderObservations()
        // A test asks the provider itself, and nothing that logins remember of it.
        let providers = ProviderVerification(
            environment: observations.watching(environment), vault: vault, onOutage: observations.add)
        let client = try providers.client(
            for: provider, configuration ?? self.configuration(of: provider), in: Self.id)
        return await ProviderTest(
            client: client, providers: providers, observations: observations, callback: callback, moment: now,
            mostSeconds: environment.providerSeconds
        ).findings()
    }

    // MARK: Credentials

    /// An ID token of alice's.
    func idToken(
        _ provider: Provider, claims: [String: JSONValue?] = [:], header: [String: JSONValue?] = [:],
        signedBy key: FakeSigningKey? = nil
    ) throws -> Credential {
        Credential(
            provider: provider,
            idToken: try idps.idToken(provider, for: "alice", claims: claims, header: header, signedBy: key))
    }

    func accessToken(_ provider: Provider, of player: String = "alice") -> Credential {
        var credential = Credential(provider: provider)
        credential.accessToken = idps.accessToken(provider, for: player)
        return credential
    }

    func verify(
        _ credential: Credential, _ configuration: ProviderConfiguration? = nil
    ) async throws -> VerifiedIdentity {
        try await providers.verify(
            credential, configuration ?? self.configuration(of: credential.provider), in: Self.id, at: now)
    }

    /// Why a credential is refused; nil if it is accepted.
    func failure(_ credential: Credential, _ configuration: ProviderConfiguration? = nil) async -> IdentityFailure? {
        do {
            _ = try await verify(credential, configuration)
            return nil
        } catch {
            return error as? IdentityFailure ?? .misconfigured("\(error)")
        }
    }

    /// The code with which a login with the credential is refused; nil if it is accepted.
    func code(_ credential: Credential, _ configuration: ProviderConfiguration? = nil) async -> Int? {
        await failure(credential, configuration)?.refusal(
            rejected: .authIDPLoginFailed, misconfigured: .authIDPLoginInvalidIDPInfo
        ).code.rawValue
    }

    // MARK: Pages

    private static let login = CodeLogin(
        state: "state", nonce: "nonce", verifier: String(repeating: "v", count: 43), redirectUri: callback)

    private func pageURL(
        _ provider: Provider, _ given: [String: JSONValue], _ configuration: ProviderConfiguration?, region: String?,
        reauthenticates: Bool
    ) async throws -> (url: String, client: ProviderClient) {
        let configuration = try configuration ?? self.configuration(of: provider)
        let info = try AdditionalInfo(configuration, given: given)
        let client = try client(for: provider, configuration, region: region ?? info.region())
        let page = try AuthorizationPage(of: client, info, reauthenticates: reauthenticates)
        return (try await page.url(for: Self.login), client)
    }

    /// The parameters in the address of the provider's page.
    ///
    /// - Parameter given: what a call says of the page.
    func page(
        _ provider: Provider, _ given: [String: JSONValue] = [:], _ configuration: ProviderConfiguration? = nil,
        region: String? = nil, reauthenticates: Bool = false
    ) async throws -> [String: String] {
        let page = try await pageURL(
            provider, given, configuration, region: region, reauthenticates: reauthenticates)
        let items = URLComponents(string: page.url)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    /// Logs a player in at the provider's page, and exchanges the code that the browser brings back.
    ///
    /// - Parameter beforeExchange: what happens while the browser is on its way.
    func logInAtPage(
        _ provider: Provider, _ player: String = "alice", _ configuration: ProviderConfiguration? = nil,
        region: String? = nil, beforeExchange: () throws -> Void = {}
    ) async throws -> VerifiedIdentity {
        let (url, client) = try await pageURL(provider, [:], configuration, region: region, reauthenticates: false)
        let page = try #require(FakeProviders.Request(method: "GET", url: url, headers: [:], body: Data()))
        var fields = page.query
        fields["fake_player"] = player
        fields["fake_action"] = "login"
        let answer = idps.respond(
            FakeProviders.Request(method: "POST", path: page.path, body: Data(Form.text(fields).utf8)))
        let location = answer.headers["Location"].flatMap { URLComponents(string: $0) }
        // Apple's page has a form instead of a redirect.
        let html = String(decoding: answer.body, as: UTF8.self)
        let code = try #require(
            location?.queryItems?.first { $0.name == "code" }?.value
                ?? html.firstMatch(of: /name="code" value="([^"]*)"/).map { String($0.output.1) })
        try beforeExchange()
        return try await providers.identity(
            of: ProviderToken(code), Self.login, client, Credential(provider: provider), at: now)
    }
}
