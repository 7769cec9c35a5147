import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseProviders
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

extension GamebaseTests {
    /// Players who come from NHN's Gamebase, with a game that keeps its code.
    @Suite @MainActor struct FormerGamebaseTests {
        /// How a call has ended: the user id, or the error.
        private struct End: Sendable {
            let userID: String?
            let error: TCGBError?

            var failInfo: TCGBMigrationFailInfo? {
                error.flatMap { TCGBMigrationFailInfo.migrationFailInfo(fromError: $0) }
            }
        }

        private static func end(_ call: (@escaping LoginCompletion) -> Void) async -> End {
            await ended { done in call { done(End(userID: $0?.tcgbMember.userId, error: $1)) } }
        }

        private static func logOut() async {
            let error: TCGBError? = await ended { done in TCGBGamebase.logout(viewController: nil) { done($0) } }
            #expect(error == nil)
        }

        private static func set(
            _ name: String, on server: LiveServer, _ change: (inout LegacySettings) -> Void = { _ in }
        ) async throws {
            var settings = LegacySettings()
            settings.project = FakeOldSystems.project
            settings.origin = server.idps.origin
            change(&settings)
            let key = ProviderToken(FakeOldSystems.secret)
            try await server.administration.run(
                SetLegacySource(name: name, kind: .gamebase, settings: settings, key: key), in: LiveServer.app)
        }

        @Test(
            "NHN's access token brings the player to this device, where later logins bring the same, and to no other",
            arguments: Engine.ofDoors)
        func token(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.token(server) }
        }

        private static func token(_ server: LiveServer) async throws {
            try await set("gamebase", on: server)
            let storage = MemoryStorage()
            #expect(await GamebaseDevice(server, "alice", storage).start() == nil)
            let none = await end {
                TCGBGamebase.loginForLastLoggedInProvider(viewController: nil, completion: $0)
            }
            #expect(none.error?.code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP)
            let foreign = await end {
                TCGBGamebase.migrate(userId: "P2", accessToken: "ticket-of-P1", completion: $0)
            }
            #expect(foreign.error?.code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED && foreign.failInfo == nil)
            let first = await end {
                TCGBGamebase.migrate(userId: "P1", accessToken: "ticket-of-P1", completion: $0)
            }
            let user = try first.userID.unwrapped()
            #expect(TCGBGamebase.userID() == user && TCGBGamebase.currentProvider() == kTCGBAuthGuest)
            let second = await end {
                TCGBGamebase.migrate(userId: "P1", accessToken: "ticket-of-P1", completion: $0)
            }
            #expect(second.error?.code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED && second.failInfo == nil)
            // After a restart and after a logout, without anything of NHN's.
            #expect(await GamebaseDevice(server, "alice", storage).start() == nil)
            let last = await end {
                TCGBGamebase.loginForLastLoggedInProvider(viewController: nil, completion: $0)
            }
            #expect(last.userID == user)
            await logOut()
            let guest = await end {
                TCGBGamebase.login(type: kTCGBAuthGuest, viewController: nil, completion: $0)
            }
            #expect(guest.userID == user)

            #expect(await GamebaseDevice(server, "bob").start() == nil)
            let copied = await end {
                TCGBGamebase.migrate(userId: "P1", accessToken: "ticket-of-P1", completion: $0)
            }
            #expect(copied.error?.code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED && copied.userID == nil)
        }

        @Test(
            "NHN's transfer account brings the player; a guest on the device stays unless the game lets it go",
            arguments: Engine.ofDoors)
        func transferAccount(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.transferAccount(server) }
        }

        private static func transferAccount(_ server: LiveServer) async throws {
            try await set("gamebase", on: server)
            try await set("second", on: server) { $0.unknownPlayers = .refuse }
            #expect(await GamebaseDevice(server, "alice").start() == nil)
            let guest = await end {
                TCGBGamebase.login(type: kTCGBAuthGuest, viewController: nil, completion: $0)
            }
            await logOut()
            let wrong = await end {
                TCGBGamebase.migrate(accountId: "P1", accountPassword: "guess", completion: $0)
            }
            #expect(wrong.error?.code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED && wrong.failInfo == nil)
            let kept = await end {
                TCGBGamebase.migrate(accountId: "P1", accountPassword: "password-of-P1", completion: $0)
            }
            #expect(kept.error?.code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
            #expect(kept.failInfo?.reason == kTCGBMigrationGuestExists)
            let replaced = await end {
                TCGBGamebase.migrate(
                    accountId: "P1", accountPassword: "password-of-P1", source: "gamebase", replacingGuest: true,
                    completion: $0)
            }
            #expect(replaced.userID != nil && replaced.userID != guest.userID)

            #expect(await GamebaseDevice(server, "bob").start() == nil)
            let claimed = await end {
                TCGBGamebase.migrate(accountId: "P1", accountPassword: "password-of-P1", completion: $0)
            }
            #expect(claimed.failInfo?.reason == kTCGBMigrationClaimed)
            let unknown = await end {
                TCGBGamebase.migrate(
                    userId: "P2", accessToken: "ticket-of-P2", source: "second", replacingGuest: false, completion: $0)
            }
            #expect(unknown.failInfo?.reason == kTCGBMigrationUnknown)
            let nowhere = await end {
                TCGBGamebase.migrate(
                    userId: "P2", accessToken: "ticket-of-P2", source: "third", replacingGuest: false, completion: $0)
            }
            #expect(nowhere.error?.code == TCGB_ERROR_INVALID_PARAMETER && nowhere.failInfo == nil)
        }
    }
}
