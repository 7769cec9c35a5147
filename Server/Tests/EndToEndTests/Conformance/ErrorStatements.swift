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

        @Test("K972 6: what a member who is gone is told by the event", arguments: Engine.ofDoors)
        func invalidMember(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let ears = Ears()
                let user = await game.user(by: kTCGBAuthGoogle)
                try await game.server.run(WithdrawMember(user: UserID(user)), reason: "mail")
                #expect(await game.queryTransfer().error != nil)
                let event = await ears.next()
                #expect(event.category == "observerHeartbeat")
                let data = TCGBGamebaseEventObserverData.gamebaseEventObserverData(jsonString: event.data)
                #expect(data.code == Int64(TCGB_ERROR_INVALID_MEMBER))
            }
        }

        @Test("K973 7: a member who is banned", arguments: Engine.ofDoors)
        func bannedMember(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                try await game.ban(await game.user(by: kTCGBAuthGuest))
                await game.begin()
                #expect(await game.logIn(kTCGBAuthGuest).code == TCGB_ERROR_BANNED_MEMBER)
            }
        }

        @Test("O606 8: a transfer key that is used on the device that issued it", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func sameRequestor(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGuest)
                let seed = SeedGame()
                _ = await game.example(seed) { ($0 as any OldExamples).issueTransferKeyToTransfer() }
                #expect(
                    await game.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                        == "Transfer Occur Error => \(TCGB_ERROR_SAME_REQUESTOR)")
            }
        }

        @Test("O607 9: a transfer of what is no guest, or has another provider", arguments: Engine.ofDoors)
        func notGuest(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGuest)
                #expect(await game.map(kTCGBAuthGoogle).error == nil)
                #expect(await game.issueTransfer().code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
            }
        }

        @Test("K96 101 and 110: no answer in time, and no network", arguments: Engine.ofDoors)
        func network(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                try await game.behindRelay { far, relay in
                    relay.cut()
                    #expect(await far.logIn(kTCGBAuthGuest).code == TCGB_ERROR_SOCKET_ERROR)

                    let silent = far.device.configuration()
                    silent.configure {
                        $0.timeoutSeconds = 1
                        $0.retries = 0
                    }
                    // A server that accepts a connection but never responds.
                    let listener = try LoopbackListener()
                    silent.serverAddress = URL(string: "http://127.0.0.1:\(listener.port)")
                    let error = await GamebaseDevice.start(silent)
                    #expect(error?.code == TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT)
                    withExtendedLifetime(listener) {}
                }
            }
        }

        @Test("K974 3001: the player has cancelled the login", arguments: Engine.ofDoors)
        func cancelled(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let fresh = await game.onNewDevice(action: .cancel)
                #expect(await fresh.logIn(kTCGBAuthGoogle).code == TCGB_ERROR_AUTH_USER_CANCELED)
            }
        }

        @Test("K975 3002: a provider that the game does not support", arguments: Engine.ofDoors)
        func notSupported(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(await game.logIn(kTCGBAuthSteam).code == TCGB_ERROR_AUTH_NOT_SUPPORTED_PROVIDER)
                await game.user(by: kTCGBAuthGuest)
                #expect(await game.map("own").code == TCGB_ERROR_AUTH_NOT_SUPPORTED_PROVIDER)
            }
        }

        @Test("O76 3005: the older guide's code of a ban, for which 7 comes", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func authBanned(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGB_ERROR_AUTH_BANNED_MEMBER == 3005)
                try await game.ban(await game.user(by: kTCGBAuthGoogle))
                #expect(await game.onNewDevice().logIn(kTCGBAuthGoogle).code == TCGB_ERROR_BANNED_MEMBER)
            }
        }

        @Test(
            "K979 3011: the access token does not count any more, and the player is logged out",
            arguments: Engine.ofDoors)
        func invalidToken(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                try await game.endSessions(of: await game.user(by: kTCGBAuthGoogle))
                #expect(await game.map(kTCGBAuthFacebook).code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                #expect(TCGBGamebase.userID() == nil)
                #expect(await game.logIn(kTCGBAuthGoogle).error == nil)
            }
        }

        @Test(
            "O608 3031, 3032, 3033: a transfer key that has expired, is used, or is not there",
            arguments: Engine.ofDoors)
        @available(*, deprecated)
        func transferKeys(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let example = "Transfer Occur Error => "
                await game.user(by: kTCGBAuthGuest)
                let seed = SeedGame()
                _ = await game.example(seed) { ($0 as any OldExamples).issueTransferKeyToTransfer() }
                let fresh = await game.onNewDevice()
                try await game.server.advance(days: 1)
                await fresh.begin()
                let expired = await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                #expect(expired == example + "\(TCGB_ERROR_AUTH_TRANSFERKEY_EXPIRED)")
                seed.transferKey = "aB3dE5gH"
                let missing = await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                #expect(missing == example + "\(TCGB_ERROR_AUTH_TRANSFERKEY_NOT_EXIST)")
                await game.begin()
                await game.user(by: kTCGBAuthGuest)
                _ = await game.example(seed) { ($0 as any OldExamples).issueTransferKeyToTransfer() }
                await fresh.begin()
                #expect(
                    await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                        .hasSuffix("[\"guest\"]"))
                #expect(
                    await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                        == example + "\(TCGB_ERROR_AUTH_TRANSFERKEY_CONSUMED)")
            }
        }

        @Test("E738 3042: a transfer account after too many wrong tries", arguments: Engine.ofDoors)
        func transferBlock(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGuest)
                let id = try #require(await game.issueTransfer().value?.account.accountId)
                let fresh = await game.onNewDevice()
                for _ in 0..<5 { _ = await fresh.redeem(id, "wrongWRONG1") }
                #expect(await fresh.redeem(id, "wrongWRONG1").code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_BLOCK)
            }
        }

        @Test("K980 3101: the last provider's login failed for another reason", arguments: Engine.ofDoors)
        func tokenLogin(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                game.storage.isUnreadable = true
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_FAILED)
                game.storage.isUnreadable = false
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == user)
            }
        }

        @Test("K981 3102: the last login's token does not count any more", arguments: Engine.ofDoors)
        func tokenInfo(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                try await game.endSessions(of: await game.user(by: kTCGBAuthGoogle))
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO)
            }
        }

        @Test("K982 3103: there is no last login", arguments: Engine.ofDoors)
        func noLastLogin(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(
                    await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP)
            }
        }

        @Test("K983 3201: the login at the provider failed", arguments: Engine.ofDoors)
        func loginFailed(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                game.server.idps.set(.wrongAudience, for: .google)
                #expect(await game.logIn(kTCGBAuthGoogle).code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
            }
        }

        @Test("K984 3202: a provider that the operator has not set up", arguments: Engine.ofDoors)
        func invalidProvider(engine: Engine) async throws {
            try await Game.play(on: engine, setUp: Self.withoutGoogle) { game in
                #expect(await game.logIn(kTCGBAuthGoogle).code == TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO)
            }
        }

        @Test("K986 3301: the mapping failed", arguments: Engine.ofDoors)
        func mappingFailed(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGuest)
                game.server.idps.set(.wrongAudience, for: .google)
                #expect(await game.map(kTCGBAuthGoogle).code == TCGB_ERROR_AUTH_ADD_MAPPING_FAILED)
            }
        }

        @Test("K987 3302: the account belongs to another member", arguments: Engine.ofDoors)
        func ofAnother(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let conflict = try await game.conflict()
                #expect(conflict.error.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER)
            }
        }

        @Test("K988 3303: an account of that provider is mapped", arguments: Engine.ofDoors)
        func sameProvider(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.map(kTCGBAuthGoogle).code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_HAS_SAME_IDP)
            }
        }

        @Test("K989 3304: a mapping with a provider that the operator has not set up", arguments: Engine.ofDoors)
        func mappingInvalidProvider(engine: Engine) async throws {
            try await Game.play(on: engine, setUp: Self.withoutGoogle) { game in
                await game.user(by: kTCGBAuthGuest)
                #expect(await game.map(kTCGBAuthGoogle).code == TCGB_ERROR_AUTH_ADD_MAPPING_INVALID_IDP_INFO)
            }
        }

        @Test("K990 3305: a guest can't be mapped", arguments: Engine.ofDoors)
        func mapGuest(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.map(kTCGBAuthGuest).code == TCGB_ERROR_AUTH_ADD_MAPPING_CANNOT_ADD_GUEST_IDP)
            }
        }

        @Test("K991 3401: the removal failed: it is not mapped", arguments: Engine.ofDoors)
        func removalFailed(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.unmap(kTCGBAuthFacebook)?.code == TCGB_ERROR_AUTH_REMOVE_MAPPING_FAILED)
            }
        }

        @Test("K992 3402: the last provider can't be removed", arguments: Engine.ofDoors)
        func removalOfLast(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.unmap(kTCGBAuthGoogle)?.code == TCGB_ERROR_AUTH_REMOVE_MAPPING_LAST_MAPPED_IDP)
            }
        }

        @Test("K993 3403: the provider of the login can't be removed", arguments: Engine.ofDoors)
        func removalOfLogin(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.map(kTCGBAuthFacebook).error == nil)
                #expect(await game.unmap(kTCGBAuthGoogle)?.code == TCGB_ERROR_AUTH_REMOVE_MAPPING_LOGGED_IN_IDP)
            }
        }

        @Test("K994 3501: the logout failed: the device does not forget", arguments: Engine.ofDoors)
        func logoutFailed(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                game.storage.isUnwritable = true
                #expect(await game.logOut()?.code == TCGB_ERROR_AUTH_LOGOUT_FAILED)
                #expect(TCGBGamebase.userID() == user)
                game.storage.isUnwritable = false
                #expect(await game.logOut() == nil)
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

        @Test("K996 3602 and 3603: a withdrawal is asked for already, or none is", arguments: Engine.ofDoors)
        func temporaryWithdrawal(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.cancelWithdrawal()?.code == TCGB_ERROR_AUTH_WITHDRAW_NOT_TEMPORARY_WITHDRAW)
                #expect(await game.requestWithdrawal().error == nil)
                #expect(await game.requestWithdrawal().code == TCGB_ERROR_AUTH_WITHDRAW_ALREADY_TEMPORARY_WITHDRAW)
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

        @Test("K999 3999: what no other code says (ERROR-3)", arguments: Engine.ofDoors)
        func unknown(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGuest)
                // The access token must be renewed with the device's key, which can't be read.
                try await game.server.advance(days: 1)
                game.storage.isUnreadable = true
                #expect(await game.queryTransfer().code == TCGB_ERROR_AUTH_UNKNOWN_ERROR)
                game.storage.isUnreadable = false
                #expect(await game.queryTransfer().code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_NOT_EXIST)
            }
        }

        /// The codes that the five guides write with their numbers.
        @available(*, deprecated)
        private static let numbers = [
            (TCGB_ERROR_INVALID_MEMBER, 6), (TCGB_ERROR_BANNED_MEMBER, 7), (TCGB_ERROR_SAME_REQUESTOR, 8),
            (TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS, 9), (TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT, 101),
            (TCGB_ERROR_SOCKET_ERROR, 110), (TCGB_ERROR_AUTH_USER_CANCELED, 3001),
            (TCGB_ERROR_AUTH_NOT_SUPPORTED_PROVIDER, 3002), (TCGB_ERROR_AUTH_NOT_EXIST_MEMBER, 3003),
            (TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_INITIALIZATION_ERROR, 3006),
            (TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_ERROR, 3009), (TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN, 3011),
            (TCGB_ERROR_AUTH_TRANSFERKEY_EXPIRED, 3031), (TCGB_ERROR_AUTH_TRANSFERKEY_CONSUMED, 3032),
            (TCGB_ERROR_AUTH_TRANSFERKEY_NOT_EXIST, 3033), (TCGB_ERROR_AUTH_TOKEN_LOGIN_FAILED, 3101),
            (TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO, 3102),
            (TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP, 3103),
            (TCGB_ERROR_AUTH_IDP_LOGIN_FAILED, 3201), (TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO, 3202),
            (TCGB_ERROR_AUTH_IDP_LOGIN_EXTERNAL_AUTHENTICATION_REQUIRED, 3203),
            (TCGB_ERROR_AUTH_ADD_MAPPING_FAILED, 3301),
            (TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER, 3302),
            (TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_HAS_SAME_IDP, 3303),
            (TCGB_ERROR_AUTH_ADD_MAPPING_INVALID_IDP_INFO, 3304),
            (TCGB_ERROR_AUTH_ADD_MAPPING_CANNOT_ADD_GUEST_IDP, 3305), (TCGB_ERROR_AUTH_REMOVE_MAPPING_FAILED, 3401),
            (TCGB_ERROR_AUTH_REMOVE_MAPPING_LAST_MAPPED_IDP, 3402),
            (TCGB_ERROR_AUTH_REMOVE_MAPPING_LOGGED_IN_IDP, 3403), (TCGB_ERROR_AUTH_LOGOUT_FAILED, 3501),
            (TCGB_ERROR_AUTH_WITHDRAW_FAILED, 3601), (TCGB_ERROR_AUTH_WITHDRAW_ALREADY_TEMPORARY_WITHDRAW, 3602),
            (TCGB_ERROR_AUTH_WITHDRAW_NOT_TEMPORARY_WITHDRAW, 3603), (TCGB_ERROR_AUTH_NOT_PLAYABLE, 3701),
            (TCGB_ERROR_AUTH_UNKNOWN_ERROR, 3999),
        ]

        @available(*, deprecated)
        @Test("K1004 every code of the list of codes has its constant")
        func allCodes() {
            for (constant, number) in Self.numbers {
                #expect(constant == number)
                #expect(TCGBErrorCode(rawValue: number) != nil, "\(number)")
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
