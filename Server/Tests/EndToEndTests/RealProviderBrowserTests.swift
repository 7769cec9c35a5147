import Crypto
import Foundation
import Gatehouse
import GatehouseProviders
import GatehouseSecurity
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// A provider from another developer, from its set-up to the end of a mapping, in headless Chromium.
@Suite(.timeLimit(.minutes(10)), .enabled(if: WebDriver.path != nil, "run `make test-browser`"))
struct RealProviderBrowserTests {
    private static let provider = Provider("studio-id")
    private static let secret = "a-secret-of-the-game"

    /// The vault of ``LiveServer``.
    private static func vault() throws -> KeyVault { try KeyVault(masterKey: [UInt8](repeating: 7, count: 32)) }

    /// The common data of the walk's steps.
    private struct Walk {
        let server: LiveServer
        let idp: Glewlwyd
        let driver: WebDriver
        let administration: Administration
        let key: P256.Signing.PrivateKey

        func configure(_ method: ClientAuthenticationMethod?) async throws {
            var configuration = ProviderConfiguration(kind: .openID, clientIds: ["game"])
            configuration.openID?.issuer = idp.issuer
            configuration.scopes = ["openid"]
            configuration.openID?.clientAuthentication = method
            var secrets = ProviderSecrets(clientSecret: ProviderToken(secret))
            if method == .privateKeyJWT {
                secrets = ProviderSecrets()
                secrets.clientKey = .init(privateKey: ProviderToken(key.pemRepresentation))
            }
            // Clients can see this value, so that the test knows when the change has taken effect.
            let mark = JSONValue.string(method?.rawValue ?? "discovered")
            configuration.additionalInfo = ["x-method": mark]
            try await administration.run(
                SaveIdentityProvider(provider: provider, configuration: configuration, secrets: .replaced(secrets)),
                in: LiveServer.app)
            try await eventually("change of \(provider) at the server") {
                try await device().start().providers[provider]?.additionalInfo?["x-method"] == mark
            }
        }

        func device() -> GatehouseClient {
            var configuration = LiveServer.configuration(server.url, MemoryStorage())
            configuration.adapters = [
                BrowserAdapter(provider, in: .system(timeoutSeconds: 120) { try await driver.open($0) })
            ]
            return GatehouseClient(configuration)
        }

        /// A login at the provider's page. A player who has logged in there before is only asked whether to continue.
        func logIn(_ device: GatehouseClient, isFirst: Bool = false) async throws -> UserID {
            async let login = device.logIn(with: provider)
            if isFirst {
                try await driver.type(Glewlwyd.player, into: "#username")
                try await driver.type(Glewlwyd.password, into: "#password")
                try await driver.click("#loginbut")
            }
            try await driver.click(".btn-success")
            try await driver.wait(forTitle: "You are logged in")
            return try await login.member.userId
        }

        /// Runs the jobs of the outbox, as a server does every two seconds.
        func runJobs() async throws -> Int {
            let environment = ServerEnvironment.live(reachesLocal: true)
            let runner = JobRunner(
                services: Services(
                    database: server.database, vault: try RealProviderBrowserTests.vault(), environment: environment,
                    reporter: EventReporter(audit: AuditLog { _ in })))
            return try await runner.run()
        }

        private var provider: Provider { RealProviderBrowserTests.provider }
        private var secret: String { RealProviderBrowserTests.secret }
    }

    private func withWalk(_ test: @escaping @Sendable (Walk) async throws -> Void) async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let administration = try await Administration(
                database: server.database, vault: Self.vault(),
                environment: .live(reachesLocal: true), audit: AuditLog { _ in })
            try await withFolder { folder in
                try await Glewlwyd.run(in: folder) { idp in
                    try await WebDriver.run(in: folder) { driver in
                        try await test(
                            Walk(
                                server: server, idp: idp, driver: driver, administration: administration,
                                key: P256.Signing.PrivateKey()))
                    }
                }
            }
        }
    }

    @Test(
        "A third-party provider: set-up, `idp test`, login by every method of authentication, rotation and revocation")
    func walk() async throws {
        try await withWalk { walk in
            let callback =
                walk.server.url.absoluteString
                + Endpoints.path(Endpoints.callback, of: Self.provider, app: LiveServer.app)
            try await walk.idp.register("game", secret: Self.secret, key: walk.key.publicKey, callback: callback)
            try await walk.configure(nil)
            func findings(_ url: String) async throws -> [ProviderFinding] {
                try await walk.administration.run(
                    TestIdentityProvider(provider: Self.provider, publicURL: url), in: LiveServer.app)
            }
            let fine = try await findings(walk.server.url.absoluteString)
            // The provider can sign with algorithms that are not known, too.
            #expect(fine.allSatisfy { $0.isFine || $0.code == "keys.others" }, "\(fine)")
            #expect(fine.contains { $0.text.contains("1 for ES256") })
            #expect(try await !findings("https://login.example.com").allSatisfy { $0.isFine })

            let first = walk.device()
            try await first.start()
            let user = try await walk.logIn(first, isFirst: true)
            try await walk.idp.rotateKey()
            for method in [nil, ClientAuthenticationMethod.secretPost, .secretBasic, .privateKeyJWT] {
                try await walk.configure(method)
                let device = walk.device()
                try await device.start()
                #expect(try await walk.logIn(device) == user, "\(String(describing: method))")
            }

            let device = walk.device()
            try await device.start()
            _ = try await walk.logIn(device)
            // It revokes with HTTP Basic, the only method that the provider offers there.
            try await walk.configure(nil)
            let before = try await walk.idp.livingTokens()
            try await device.withdraw()
            #expect(try await walk.runJobs() == 1)
            #expect(try await walk.administration.run(ListJobs(state: .done)).count == 1)
            #expect(try await walk.idp.livingTokens() == before - 1)
        }
    }
}
