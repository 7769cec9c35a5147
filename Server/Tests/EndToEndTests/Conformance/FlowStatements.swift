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

        @Test("K28 K982 at the first start there is no last provider: 3103", arguments: Engine.ofDoors)
        func firstStart(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGBGamebase.lastLoggedInProvider() == nil)
                #expect(
                    await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP)
                #expect(await game.example { $0.automaticLogin() } == "Show the IdPs")
            }
        }

        @Test(
            "K29 K38 K43 K132 K252a K604 O94 a recorded login is repeated without id and password, until the logout",
            arguments: Engine.ofDoors)
        func lastProvider(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGBGamebase.userID() == nil)
                let user = await game.user(by: kTCGBAuthGoogle)
                #expect(TCGBGamebase.userID() == user)
                let pages = game.server.idps.requests(to: .google)
                await game.begin()
                #expect(TCGBGamebase.userID() == nil)
                #expect(TCGBGamebase.currentProvider() == nil)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                #expect(await game.logInAgain().value?.tcgbMember.userId == user)
                #expect(TCGBGamebase.userID() == user)
                #expect(game.server.idps.requests(to: .google) == pages)
                #expect(await game.logOut() == nil)
                #expect(TCGBGamebase.userID() == nil)
                for _ in 0..<2 {
                    #expect(TCGBGamebase.lastLoggedInProvider() == nil)
                    #expect(
                        await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP)
                    await game.begin()
                }
            }
        }

        @Test(
            "K49 K71 without a network a login ends with 110 or 101, and later succeeds", arguments: Engine.ofDoors)
        func offline(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                try await game.behindRelay { far, relay in
                    let codes = [TCGB_ERROR_SOCKET_ERROR, TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT]
                    relay.cut()
                    let first = await far.logIn(kTCGBAuthGoogle).code ?? 0
                    #expect(codes.contains(first))
                    relay.open()
                    let user = await far.user(by: kTCGBAuthGuest)
                    await far.begin()
                    relay.cut()
                    let again = await far.logInAgain().code ?? 0
                    #expect(codes.contains(again))
                    #expect(await far.example { $0.automaticLogin() }.hasPrefix("Retry or notify to user"))
                    relay.open()
                    #expect(await far.logInAgain().value?.tcgbMember.userId == user)
                    try await far.ban(user)
                    #expect(await far.queryTransfer().code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                    #expect(await far.logIn(kTCGBAuthGuest).code == TCGB_ERROR_BANNED_MEMBER)
                }
            }
        }

        @Test(
            "K51 K52 K635 K973 O54 O76 a player who was banned, during play or between, gets 7 with the ban",
            arguments: Engine.ofDoors)
        @available(*, deprecated)
        func banned(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                _ = try await $0.run(
                    SetAccountPolicy {
                        $0.supportContact = "support@example.com"
                        $0.supportURL = "https://example.com/support"
                    })
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                for isPlaying in [true, false] {
                    let banned = await game.onNewDevice(isPlaying ? "alice" : "bob")
                    let user = await banned.user(by: kTCGBAuthGoogle)
                    // Only one game runs at a time: another device's ends this one.
                    if !isPlaying { _ = await game.onNewDevice("carol") }
                    let begin = game.server.milliseconds
                    let end = try await banned.ban(user, days: 3, message: "Cheated.")
                    if isPlaying {
                        // The running game is notified at its next call.
                        #expect(await banned.queryTransfer().code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                    }
                    for _ in 0..<2 {
                        await banned.begin()
                        let error = try #require(await banned.logInAgain().error)
                        #expect(error.code == TCGB_ERROR_BANNED_MEMBER)
                        let ban = try #require(TCGBBanInfo.banInfo(fromError: error))
                        #expect(ban.userId == user)
                        #expect(ban.banType == "TEMPORARY")
                        #expect(ban.message == "Cheated.")
                        #expect(game.server.isTime(ban.beginDate.int64Value, since: begin), "\(ban.beginDate)")
                        #expect(ban.endDate.int64Value == end)
                        #expect(ban.csInfo == "support@example.com")
                        #expect(ban.csUrl == "https://example.com/support")
                    }
                    let error = try #require(await banned.logIn(kTCGBAuthGoogle).error)
                    #expect(error.code == TCGB_ERROR_BANNED_MEMBER)
                    #expect(TCGBBanInfo.banInfo(fromError: error)?.userId == user)
                    #expect(TCGBGamebase.userID() == nil)
                }
                #expect(TCGB_ERROR_AUTH_BANNED_MEMBER == 3005)
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
            "K81 K83 K129 K610 K979 K981 a session that has ended or expired leaves its provider, and a login with it succeeds",
            arguments: Engine.ofDoors)
        func expired(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                try await game.endSessions(of: user)
                #expect(await game.map(kTCGBAuthFacebook).code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                #expect(TCGBGamebase.userID() == nil)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                // The guide's example logs in twice, and the second login counts.
                await game.begin()
                let seed = SeedGame()
                #expect(await game.example(seed) { $0.automaticLogin() } == "Login is succeeded.")
                #expect(seed.log.contains("Try to login with loginWithType:viewController:completion:"))
                #expect(TCGBGamebase.userID() == user)
                try await game.server.advance(days: 400)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                #expect(await game.user(by: kTCGBAuthGoogle) == user)
            }
        }
    }
}
