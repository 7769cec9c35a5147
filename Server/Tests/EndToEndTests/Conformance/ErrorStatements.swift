import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseTesting
import GatehouseWire
import SeedExamples
import TestDatabases
import Testing

extension GamebaseTests.Conformance {
    /// The guides' table of errors: each code occurs where the table says.
    @Suite @MainActor struct ErrorStatements {
        private static let withoutGoogle: @Sendable (LiveServer) async throws -> Void = {
            try await $0.run(DisableIdentityProvider(provider: .google))
        }

        @Test(
            "K8 K974 K975 3001 and 3002: the player has cancelled the login, and a provider that the game does not support",
            arguments: Engine.ofDoors)
        func notSupported(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                // The operator has set Google up, and this game has no adapter for it.
                let configuration = game.device.configuration()
                configuration.configure {
                    $0.storage = MemoryStorage()
                    $0.adapters = []
                }
                let started = await GamebaseDevice.start(configuration)
                #expect(started == nil)
                #expect(await game.logIn(kTCGBAuthGoogle).code == TCGB_ERROR_AUTH_NOT_SUPPORTED_PROVIDER)
                let fresh = await game.onNewDevice(action: .cancel)
                #expect(await fresh.logIn(kTCGBAuthGoogle).code == TCGB_ERROR_AUTH_USER_CANCELED)
                #expect(await fresh.logIn(kTCGBAuthSteam).code == TCGB_ERROR_AUTH_NOT_SUPPORTED_PROVIDER)
                await fresh.user(by: kTCGBAuthGuest)
                #expect(await fresh.map("own").code == TCGB_ERROR_AUTH_NOT_SUPPORTED_PROVIDER)
            }
        }

        @Test("K984 K989 3202 and 3304: a provider that the operator has not set up", arguments: Engine.ofDoors)
        func invalidProvider(engine: Engine) async throws {
            try await Game.play(on: engine, setUp: Self.withoutGoogle) { game in
                let credential = game.credential(kTCGBAuthGoogle)
                #expect(await game.logIn(kTCGBAuthGoogle).code == TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO)
                #expect(
                    await game.logIn(credential: credential).code == TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO)
                await game.user(by: kTCGBAuthGuest)
                #expect(await game.map(kTCGBAuthGoogle).code == TCGB_ERROR_AUTH_ADD_MAPPING_INVALID_IDP_INFO)
                #expect(
                    await game.map(credential: credential).code == TCGB_ERROR_AUTH_ADD_MAPPING_INVALID_IDP_INFO)
            }
        }

        @Test(
            "K980 K994 K999 3101, 3501 and 3999: the device does not remember, or does not forget (ERROR-3)",
            arguments: Engine.ofDoors)
        func storage(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGuest)
                game.storage.isUnwritable = true
                #expect(await game.logOut()?.code == TCGB_ERROR_AUTH_LOGOUT_FAILED)
                #expect(TCGBGamebase.userID() == user)
                game.storage.isUnwritable = false
                // The access token must be renewed with the device's key, which can't be read.
                try await game.server.advance(days: 1)
                game.storage.isUnreadable = true
                #expect(await game.queryTransfer().code == TCGB_ERROR_AUTH_UNKNOWN_ERROR)
                game.storage.isUnreadable = false
                #expect(await game.queryTransfer().code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_NOT_EXIST)
                game.storage.isUnreadable = true
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_FAILED)
                game.storage.isUnreadable = false
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == user)
            }
        }

        @Test("K995 3601: the withdrawal failed", arguments: Engine.ofDoors)
        func withdrawalFailed(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                // The server fails.
                try await game.server.database.transact { tx in
                    try tx.execute("ALTER TABLE identities RENAME TO hidden")
                }
                #expect(await game.withdraw()?.code == TCGB_ERROR_AUTH_WITHDRAW_FAILED)
                try await game.server.database.transact { tx in
                    try tx.execute("ALTER TABLE hidden RENAME TO identities")
                }
                #expect(TCGBGamebase.userID() == user)
                #expect(await game.isValid(TCGBGamebase.accessToken()))
                #expect(await game.withdraw() == nil)
            }
        }

        @Test("K998 3701: maintenance, or the end of the service", arguments: Engine.ofDoors)
        func notPlayable(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGuest)
                let account = try #require(await game.issueTransfer().value?.account)
                try await game.setMaintenance(true)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_NOT_PLAYABLE)
                #expect(await game.logIn(kTCGBAuthGoogle).code == TCGB_ERROR_AUTH_NOT_PLAYABLE)
                let fresh = await game.onNewDevice()
                let moved = await fresh.redeem(account.accountId, account.accountPassword ?? "")
                #expect(moved.code == TCGB_ERROR_AUTH_NOT_PLAYABLE)
                try await game.setMaintenance(false)
                try await game.server.run(SetStatus(status: .terminated, message: ["en": "Closed."]))
                game.server.passSecond()
                await game.begin()
                let closed = await game.logInAgain()
                #expect(closed.code == TCGB_ERROR_AUTH_NOT_PLAYABLE)
                #expect(closed.error?.message == "Closed.")
                #expect(TCGBLaunching.launchingStatus() == .TERMINATED_SERVICE)
                try await game.server.run(SetStatus(status: .inService, message: [:]))
                game.server.passSecond()
                await game.begin()
                #expect(await game.logInAgain().error == nil)
            }
        }

        @Test(
            "K976 3003: a member who has withdrawn; the player's own calls lead to the login page",
            arguments: Engine.ofDoors)
        func withdrawnMember(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                try await game.server.run(WithdrawMember(user: UserID(user)), reason: "mail")
                #expect(await game.queryTransfer().code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO)
                // The game's server receives the code of the table.
                let answer = try await game.server.call(
                    Endpoints.reportPayment,
                    PaymentReport(userId: UserID(user), paymentId: "p", amount: 1, currency: "KRW"))
                let error = try JSONDecoder().decode(JSONValue.self, from: answer.body)
                #expect(error["error"]?["code"] == .integer(Int64(TCGB_ERROR_AUTH_NOT_EXIST_MEMBER)))
            }
        }
    }
}
