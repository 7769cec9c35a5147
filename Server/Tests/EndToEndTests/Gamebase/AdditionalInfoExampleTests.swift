import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

extension GamebaseTests {
    /// The guides' additional information for a console and for a call, and its effect on a provider's page.
    @Suite @MainActor struct AdditionalInfoExampleTests {
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

        /// The guide's settings in the console, for each provider that it names.
        private static func operators(_ server: LiveServer) async throws {
            let console: [(Provider, String)] = [
                (.facebook, #"{ "facebook_permission":[ "public_profile", "email", "user_friends"]}"#),
                (.payco, #"{ "service_code":"HANGAME", "service_name":"Your Service Name" }"#),
                (.naver, #"{ "url_scheme_ios_only":"yourscheme", "service_name":"Your Service Name" }"#),
            ]
            for (provider, text) in console {
                guard case .object(var settings) = server.idps.configuration(of: provider) else { continue }
                settings["additionalInfo"] = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
                try await server.run(
                    SaveIdentityProvider(
                        provider: provider, settings: .object(settings), secrets: server.idps.secrets(of: provider)))
            }
        }

        @Test(
            "LOGIN-3: the console's JSON of the guides reaches the pages, and a call's values win over it",
            arguments: Engine.ofDoors)
        func console(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.console(server) }
        }

        private static func console(_ server: LiveServer) async throws {
            try await operators(server)
            let pages = BrowsingPlayer("alice")
            let device = GamebaseDevice(server, "alice", browsing: pages)
            server.passSecond()
            #expect(await device.start() == nil)
            #expect(await logIn(kTCGBAuthFacebook) == nil)
            #expect(pages.lastPage["scope"] == "public_profile,email,user_friends")
            #expect(await logIn(kTCGBAuthFacebook, ["facebook_permission": ["email"]]) == nil)
            #expect(pages.lastPage["scope"] == "public_profile,email")
            #expect(await logIn(kTCGBAuthFacebook, ["facebook_permission": ["user_posts"]]) == 3)
            #expect(await logIn(kTCGBAuthPayco) == nil)
            #expect(pages.lastPage["serviceProviderCode"] == "HANGAME")
            #expect(pages.lastPage["serviceName"] == "Your Service Name")
            #expect(await logIn(kTCGBAuthPayco, ["service_name": "Another"]) == nil)
            #expect(pages.lastPage["serviceProviderCode"] == "HANGAME")
            #expect(pages.lastPage["serviceName"] == "Another")
            #expect(await logIn(kTCGBAuthPayco, ["service_code": "PAYCO"]) == nil)
            #expect(pages.lastPage["serviceProviderCode"] == "PAYCO")
            #expect(await logIn(kTCGBAuthNaver) == nil)
            #expect(pages.lastPage["service_name"] == "Your Service Name")
            let japan = [kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "japan", "key1": "value1"]
            #expect(await logIn(kTCGBAuthLine, japan) == nil)
            #expect(pages.lastPage["client_id"] == "gatehouse-line-japan")
            #expect(pages.lastPage["key1"] == nil)
        }
    }
}
