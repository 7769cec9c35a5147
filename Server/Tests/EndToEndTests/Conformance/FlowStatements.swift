import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import SeedExamples
import TestDatabases
import Testing

extension GamebaseTests.Conformance {
    /// The guides' first chapter, on the flow of a login.
    @Suite @MainActor struct FlowStatements {
        @Test("K6 a guest logs in without an adapter and without configuration", arguments: Engine.ofDoors)
        func guest(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let configuration = game.device.configuration()
                let storage = game.storage
                configuration.configure {
                    $0.storage = storage
                    $0.adapters = []
                }
                let started = await GamebaseDevice.start(configuration)
                #expect(started == nil)
                let login = await game.logIn(kTCGBAuthGuest)
                #expect(login.value?.mappingAuthList() == [kTCGBAuthGuest])
                #expect(TCGBGamebase.userID() == login.value?.tcgbMember.userId)
            }
        }

        @Test("K8 a provider without its adapter is refused with 3002", arguments: Engine.ofDoors)
        func missingAdapter(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(await game.logIn(kTCGBAuthSteam).code == TCGB_ERROR_AUTH_NOT_SUPPORTED_PROVIDER)
                #expect(await game.logIn(kTCGBAuthGoogle).code == nil)
            }
        }

        @Test("K12 a provider that needs additionalInfo gets it", arguments: Engine.ofDoors)
        func additionalInfo(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let info: [String: Any] = [kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "japan"]
                #expect(await game.logIn(kTCGBAuthLine, info).error == nil)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthLine)
            }
        }

        @Test("K28 at the first start there is no last provider, and the player chooses", arguments: Engine.ofDoors)
        func firstStart(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGBGamebase.lastLoggedInProvider() == nil)
                #expect(
                    await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP)
                #expect(await game.example { $0.automaticLogin() } == "Show the IdPs")
            }
        }

        @Test("K29 after one login the previous provider is used without asking", arguments: Engine.ofDoors)
        func laterStart(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                await game.begin()
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                #expect(await game.example { $0.automaticLogin() } == "Login is succeeded.")
                #expect(TCGBGamebase.userID() == user)
            }
        }

        @Test("K38 a recorded login is repeated without id and password", arguments: Engine.ofDoors)
        func lastProvider(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                let pages = game.server.idps.requests(to: .google)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == user)
                #expect(game.server.idps.requests(to: .google) == pages)
            }
        }

        @Test("K43 after a success userID() is the player's id", arguments: Engine.ofDoors)
        func userID(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGBGamebase.userID() == nil)
                let user = await game.user(by: kTCGBAuthGuest)
                #expect(!user.isEmpty)
                await game.begin()
                #expect(TCGBGamebase.userID() == nil)
                #expect(await game.logInAgain().error == nil)
                #expect(TCGBGamebase.userID() == user)
            }
        }

        @Test(
            "K49 without a network the last provider's login ends with 110 or 101, and later succeeds",
            arguments: Engine.ofDoors)
        func offline(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                try await game.behindRelay { far, relay in
                    let user = await far.user(by: kTCGBAuthGuest)
                    await far.begin()
                    relay.cut()
                    let refused = await far.logInAgain().code
                    #expect(refused == TCGB_ERROR_SOCKET_ERROR || refused == TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT)
                    #expect(await far.example { $0.automaticLogin() }.hasPrefix("Retry or notify to user"))
                    relay.open()
                    #expect(await far.logInAgain().value?.tcgbMember.userId == user)
                }
            }
        }

        @Test(
            "K51 a player who was banned, during play or between, gets 7 at the next start",
            arguments: Engine.ofDoors)
        func banned(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                try await game.ban(user)
                // The running game is notified at its next call.
                #expect(await game.queryTransfer().code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_BANNED_MEMBER)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_BANNED_MEMBER)
            }
        }

        @Test("K52 the ban is in the error", arguments: Engine.ofDoors)
        func banInfo(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                _ = try await $0.run(
                    ChangeAccountPolicy {
                        $0.supportContact = "support@example.com"
                        $0.supportURL = "https://example.com/support"
                    })
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                try await game.ban(user, days: 3, message: "Cheated.")
                await game.begin()
                let error = try #require(await game.logInAgain().error)
                let ban = try #require(TCGBBanInfo.banInfo(fromError: error))
                #expect(ban.userId == user)
                #expect(ban.banType == "TEMPORARY")
                #expect(ban.message == "Cheated.")
                #expect(ban.beginDate.int64Value > 1_700_000_000_000)
                #expect(abs(ban.endDate.int64Value - ban.beginDate.int64Value - 3 * 86_400_000) < 86_400_000)
                #expect(ban.csInfo == "support@example.com")
                #expect(ban.csUrl == "https://example.com/support")
            }
        }

        @Test(
            "K53 with both popups switched on a ban is shown once, and nobody else's ban is",
            arguments: Engine.ofDoors)
        func banPopup(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let other = await game.user(by: kTCGBAuthFacebook)
                try await game.ban(other, message: "Other.")
                let fresh = await game.onNewDevice()
                let configuration = fresh.device.configuration()
                configuration.enablePopup(true)
                configuration.enableBanPopup(true)
                let started = await GamebaseDevice.start(configuration)
                #expect(started == nil)
                let ears = Ears()
                let user = await fresh.user(by: kTCGBAuthGoogle)
                // Another member's ban ends a mapping, but shows no popup.
                #expect(await fresh.map(kTCGBAuthFacebook).code == TCGB_ERROR_BANNED_MEMBER)
                #expect(await fresh.logOut() == nil)
                try await fresh.ban(user, message: "Own.")
                #expect(await fresh.logIn(kTCGBAuthGoogle).code == TCGB_ERROR_BANNED_MEMBER)
                // On systems without alerts the notice is an event. It is the first event.
                let notice = await ears.next()
                #expect(notice.category == "observerHeartbeat")
                #expect(notice.data.contains("Own."))
                // The next event is a different one, so the ban was reported only once.
                try await fresh.endSessions(of: await fresh.user(by: kTCGBAuthGuest))
                #expect(await fresh.queryTransfer().code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                #expect(await ears.next().category.hasPrefix("serverPush"))
            }
        }

        @Test(
            "O54 a banned player gets 7, as the newer guides say, and the old constant is still there",
            arguments: Engine.ofDoors)
        @available(*, deprecated)
        func oldBanCode(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                try await game.ban(await game.user(by: kTCGBAuthGoogle))
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_BANNED_MEMBER)
                #expect(TCGB_ERROR_AUTH_BANNED_MEMBER == 3005)
            }
        }

        @Test("O55 banInfo() is the standing ban, and nothing after a release", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func standingBan(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                try await game.ban(user, message: "Cheated.")
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_BANNED_MEMBER)
                #expect(TCGBGamebase.banInfo()?.message == "Cheated.")
                _ = try await game.server.run(ReleaseBans(users: [UserID(user)]), reason: "appeal")
                #expect(await game.logIn(kTCGBAuthGoogle).error == nil)
                #expect(TCGBGamebase.banInfo() == nil)
            }
        }

        @Test("K60 the providers' names are those of TCGBConstants.h")
        func names() {
            #expect(
                [
                    kTCGBAuthGuest, kTCGBAuthGoogle, kTCGBAuthAppleID, kTCGBAuthiOSGameCenter, kTCGBAuthFacebook,
                    kTCGBAuthLine, kTCGBAuthNaver, kTCGBAuthTwitter, kTCGBAuthWeibo, kTCGBAuthKakaogame,
                    kTCGBAuthHangame, kTCGBAuthPayco,
                ] == [
                    "guest", "google", "appleid", "iosgamecenter", "facebook", "line", "naver", "twitter", "weibo",
                    "kakaogame", "hangame", "payco",
                ])
        }

        @Test(
            "K61 loginWithType:viewController:completion: logs in with the chosen provider",
            arguments: Engine.ofDoors)
        func loginWithType(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let error: TCGBError? = await ended { done in
                    TCGBGamebase.login(type: kTCGBAuthGoogle, viewController: UIViewController()) { done($1) }
                }
                #expect(error == nil)
                #expect(TCGBGamebase.authMappingList() == [kTCGBAuthGoogle])
            }
        }

        @Test(
            "K71 loginWithType ends with 110 or 101 without a network, and with 7 for a banned player",
            arguments: Engine.ofDoors)
        func loginRefusals(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                try await game.behindRelay { far, relay in
                    relay.cut()
                    let refused = await far.logIn(kTCGBAuthGoogle).code
                    #expect(refused == TCGB_ERROR_SOCKET_ERROR || refused == TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT)
                    relay.open()
                    try await far.ban(await far.user(by: kTCGBAuthGoogle))
                    #expect(await far.queryTransfer().code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                    let error = try #require(await far.logIn(kTCGBAuthGoogle).error)
                    #expect(error.code == TCGB_ERROR_BANNED_MEMBER)
                    #expect(TCGBBanInfo.banInfo(fromError: error) != nil)
                }
            }
        }

        @Test(
            "K81 a token that has expired, or does not count any more, fails the last provider's login",
            arguments: Engine.ofDoors)
        func expired(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                try await game.endSessions(of: user)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO)
                await game.user(by: kTCGBAuthGoogle)
                try await game.server.advance(days: 400)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO)
            }
        }

        @Test(
            "K83 after that failure lastLoggedInProvider() still names the provider, and a login with it succeeds",
            arguments: Engine.ofDoors)
        func lastProviderAfterTheEnd(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                try await game.endSessions(of: user)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                // The guide's example logs in twice, and the second login counts.
                await game.begin()
                let seed = SeedGame()
                #expect(await game.example(seed) { $0.automaticLogin() } == "Login is succeeded.")
                #expect(seed.log.contains("Try to login with loginWithType:viewController:completion:"))
                #expect(TCGBGamebase.userID() == user)
            }
        }

        @Test("O94 lastLoggedInProvider() can be read before any call of a login", arguments: Engine.ofDoors)
        func lastProviderBefore(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthFacebook)
                await game.begin()
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthFacebook)
                #expect(TCGBGamebase.currentProvider() == nil)
            }
        }
    }
}
