import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

extension GamebaseTests {
    /// What the guides put into a console and into a call, and what a provider's page is asked for then.
    @Suite @MainActor struct AdditionalInfoExampleTests {
        /// The pages that the player was sent to.
        private final class Pages: @unchecked Sendable {  // The addresses are touched with the lock held.
            private let lock = NSLock()
            private var addresses: [URL] = []

            func add(_ url: URL) { lock.withLock { addresses.append(url) } }

            /// The parameters of the last one.
            var last: [String: String] {
                let url = lock.withLock { addresses.last }
                let items = url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }?.queryItems ?? []
                return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
            }
        }

        private static func start(_ server: LiveServer, _ pages: Pages) async -> TCGBError? {
            let configuration = TCGBConfiguration.configuration(appID: LiveServer.app.rawValue, appVersion: "1.2.3")
            configuration.serverAddress = server.url
            configuration.configure { configuration in
                configuration.storage = MemoryStorage()
                configuration.timeoutSeconds = 60
                configuration.adapters = FakeProviders.withPages.map { provider in
                    BrowserAdapter(
                        provider,
                        in: .system { url in
                            pages.add(url)
                            _ = try await FakeBrowser(player: "alice").open(url)
                        })
                }
            }
            return await ended { done in TCGBGamebase.initialize(configuration: configuration) { done($1) } }
        }

        private static func logIn(_ provider: String, _ info: [String: Any]? = nil) async -> Int? {
            let code = await ended { (done: @escaping (Int?) -> Void) in
                TCGBGamebase.login(type: provider, additionalInfo: info, viewController: nil) { _, error in
                    done(error?.code)
                }
            }
            if code == nil {
                _ = await ended { (done: @escaping (Int?) -> Void) in
                    TCGBGamebase.logout(viewController: nil) { done($0?.code) }
                }
            }
            return code
        }

        /// As the guide has it in the console, for each provider that it names.
        private static func operators(_ server: LiveServer) async throws {
            let console: [(Provider, String)] = [
                (.facebook, #"{ "facebook_permission":[ "public_profile", "email", "user_friends"]}"#),
                (.payco, #"{ "service_code":"HANGAME", "service_name":"Your Service Name" }"#),
                (.naver, #"{ "url_scheme_ios_only":"yourscheme", "service_name":"Your Service Name" }"#),
            ]
            for (provider, text) in console {
                guard case .object(var settings) = server.idps.configuration(of: provider) else { continue }
                settings["additionalInfo"] = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
                try await server.administration.setIdentityProvider(
                    provider, settings: .object(settings), secrets: server.idps.secrets(of: provider),
                    of: LiveServer.app)
            }
        }

        @Test(
            "LOGIN-3: the console's JSON of the guides reaches the pages, and a call's values win over it",
            arguments: Engine.available)
        func console(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.console(server) }
        }

        private static func console(_ server: LiveServer) async throws {
            try await operators(server)
            let pages = Pages()
            // A change is felt within a second.
            for _ in 0..<200 {
                #expect(await start(server, pages) == nil)
                #expect(await logIn(kTCGBAuthFacebook) == nil)
                if pages.last["scope"] == "public_profile,email,user_friends" { break }
            }
            #expect(pages.last["scope"] == "public_profile,email,user_friends")
            #expect(await logIn(kTCGBAuthFacebook, ["facebook_permission": ["public_profile"]]) == nil)
            #expect(pages.last["scope"] == "public_profile")
            #expect(await logIn(kTCGBAuthFacebook, ["facebook_permission": ["user_posts"]]) == 3)
            #expect(await logIn(kTCGBAuthPayco) == nil)
            #expect(pages.last["serviceProviderCode"] == "HANGAME")
            #expect(pages.last["serviceName"] == "Your Service Name")
            #expect(await logIn(kTCGBAuthPayco, ["service_name": "Another"]) == nil)
            #expect(pages.last["serviceProviderCode"] == "HANGAME")
            #expect(pages.last["serviceName"] == "Another")
            #expect(await logIn(kTCGBAuthNaver) == nil)
            #expect(pages.last["service_name"] == "Your Service Name")
            let japan = [kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "japan", "key1": "value1"]
            #expect(await logIn(kTCGBAuthLine, japan) == nil)
            #expect(pages.last["client_id"] == "gatehouse-line-japan")
            #expect(pages.last["key1"] == nil)
        }
    }
}
