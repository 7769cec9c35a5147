import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseTesting
import TestDatabases
import Testing

extension GamebaseTests {
    /// Providers with libraries and pages that only contract partners have, in the development world.
    @Suite @MainActor struct DevelopmentProviderTests {
        /// A game without its own adapters.
        private static func start(_ server: LiveServer, _ storage: any SecureStorage) async -> TCGBError? {
            let configuration = TCGBConfiguration.configuration(appID: LiveServer.app.rawValue, appVersion: "1.2.3")
            configuration.serverAddress = server.url
            configuration.configure { configuration in
                configuration.storage = storage
                configuration.timeoutSeconds = 60
            }
            return await GamebaseDevice.start(configuration)
        }

        private static func logIn(_ provider: String, _ info: [String: Any]? = nil) async -> (String?, Int?) {
            await ended { done in
                TCGBGamebase.login(type: provider, additionalInfo: info, viewController: nil) { token, error in
                    done((token?.tcgbMember.userId, error?.code))
                }
            }
        }

        private static func map(_ provider: String, _ info: [String: Any]? = nil) async -> Int? {
            await ended { done in
                TCGBGamebase.addMapping(type: provider, additionalInfo: info, viewController: nil) { _, error in
                    done(error?.code)
                }
            }
        }

        private static func logOut() async -> Int? {
            await ended { done in TCGBGamebase.logout(viewController: nil) { done($0?.code) } }
        }

        @Test(
            "LOGIN-2, MAP-1: hangame, kakaogame and iosgamecenter can be logged in with and mapped in the development world",
            arguments: Engine.ofDoors)
        func walk(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.walk(server) }
        }

        private static func walk(_ server: LiveServer) async throws {
            for provider in [kTCGBAuthHangame, kTCGBAuthKakaogame] {
                #expect(await GamebaseDevice(server, "alice").start() == nil)
                let (user, code) = await logIn(provider)
                #expect(code == nil)
                #expect(TCGBGamebase.currentProvider() == provider)
                #expect(await logOut() == nil)
                #expect(await logIn(provider).0 == user)
                #expect(await logOut() == nil)
                _ = await logIn(kTCGBAuthGoogle)
                #expect(await map(provider) == 3302)
            }
            let storage = MemoryStorage()
            #expect(await start(server, storage) == nil)
            let (alice, code) = await logIn(kTCGBAuthiOSGameCenter)
            #expect(code == nil)
            #expect(TCGBGamebase.currentProvider() == kTCGBAuthiOSGameCenter)
            #expect(await logOut() == nil)
            #expect(await logIn(kTCGBAuthiOSGameCenter).0 == alice)
            #expect(await logOut() == nil)
            let (guest, _) = await logIn(kTCGBAuthGuest)
            #expect(await map(kTCGBAuthiOSGameCenter) == 3302)
            #expect(await map(kTCGBAuthiOSGameCenter, [FakeWorldAdapter.playerKey: "bob"]) == nil)
            #expect(TCGBGamebase.userID() == guest)
            #expect(TCGBGamebase.authMappingList() == [kTCGBAuthiOSGameCenter])
        }
    }
}
