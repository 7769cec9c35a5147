import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import SeedExamples
import TestDatabases
import Testing

extension GamebaseTests.Conformance {
    /// The guides' chapter on logins with a credential from a provider's own library.
    @Suite @MainActor struct CredentialStatements {
        @Test("K199 loginWithCredential logs in, and is a login like any other", arguments: Engine.ofDoors)
        func login(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let login = await game.logIn(credential: game.credential(kTCGBAuthFacebook))
                #expect(login.error == nil)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthFacebook)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == login.value?.tcgbMember.userId)
                #expect(await game.logOut() == nil)
                #expect(await game.user(by: kTCGBAuthFacebook) == login.value?.tcgbMember.userId)
            }
        }

        @Test("K206a facebook, google, line and weibo take their access token", arguments: Engine.ofDoors)
        func accessTokens(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                for provider in [kTCGBAuthFacebook, kTCGBAuthGoogle, kTCGBAuthLine, kTCGBAuthWeibo] {
                    let login = await game.logIn(credential: game.credential(provider))
                    #expect(login.error == nil, "\(provider)")
                    #expect(login.value?.mappingAuthList() == [provider])
                    #expect(await game.logOut() == nil)
                }
            }
        }

        @Test("K206b appleid takes its identity token", arguments: Engine.ofDoors)
        func apple(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let token = try game.server.idps.idToken(.apple, for: "alice").secretValue
                let login = await game.logIn(credential: [
                    kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthAppleID,
                    kTCGBAuthLoginWithCredentialAccessTokenKeyname: token,
                ])
                #expect(login.error == nil)
                #expect(await game.logOut() == nil)
                #expect(await game.user(by: kTCGBAuthAppleID) == login.value?.tcgbMember.userId)
            }
        }

        @Test("K207 a credential without its access token is refused with 3202", arguments: Engine.ofDoors)
        func withoutToken(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                for token in [nil, "", 7] as [Any?] {
                    var credential: [String: Any] = [
                        kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthFacebook
                    ]
                    credential[kTCGBAuthLoginWithCredentialAccessTokenKeyname] = token
                    #expect(
                        await game.logIn(credential: credential).code == TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO)
                }
                #expect(await game.logIn(credential: game.credential(kTCGBAuthFacebook)).error == nil)
            }
        }

        @Test(
            "K208a with ignore-already-logged-in another account takes the login's place", .timeLimit(.minutes(5)),
            arguments: Engine.ofDoors)
        func replacing(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let first = await game.user(by: kTCGBAuthGuest)
                let left = TCGBGamebase.accessToken()
                var credential = game.credential(kTCGBAuthFacebook)
                credential[kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname] = true
                let login = await game.logIn(credential: credential)
                #expect(login.error == nil)
                #expect(TCGBGamebase.userID() == login.value?.tcgbMember.userId)
                #expect(TCGBGamebase.userID() != first)
                // The device ends the former session beside the game's calls.
                while await game.isValid(left) { await Task.yield() }
                #expect(await !game.isValid(left))
                // A failed login keeps the current one.
                credential[kTCGBAuthLoginWithCredentialAccessTokenKeyname] = "nobody's"
                #expect(await game.logIn(credential: credential).code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
                #expect(TCGBGamebase.userID() == login.value?.tcgbMember.userId)
                #expect(await game.isValid(TCGBGamebase.accessToken()))
            }
        }

        @Test("K208b without it a login while logged in is refused with 3201", arguments: Engine.ofDoors)
        func alreadyLoggedIn(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGuest)
                #expect(
                    await game.logIn(credential: game.credential(kTCGBAuthFacebook)).code
                        == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
                #expect(await game.logIn(kTCGBAuthFacebook).code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
                #expect(TCGBGamebase.userID() == user)
            }
        }

        @Test("K209 a credential names LINE's region", arguments: Engine.ofDoors)
        func region(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                var users: Set<String> = []
                for region in ["japan", "thailand"] {
                    let token = game.server.idps.accessToken(
                        .line, for: "alice", clientID: "\(game.server.idps.clientID(of: .line))-\(region)")
                    let login = await game.logIn(credential: [
                        kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthLine,
                        kTCGBAuthLoginWithCredentialAccessTokenKeyname: token.secretValue,
                        kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: region,
                    ])
                    #expect(login.error == nil, "\(region)")
                    users.insert(login.value?.tcgbMember.userId ?? "")
                    #expect(await game.logOut() == nil)
                }
                #expect(users.count == 2)
            }
        }

        @Test("K227 the example authLoginWithCredential", arguments: Engine.ofDoors)
        func example(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let seed = SeedGame()
                seed.facebookAccessToken = game.token(kTCGBAuthFacebook)
                let user = await game.example(seed) { $0.authLoginWithCredential() }
                #expect(TCGBGamebase.userID() == user)
            }
        }

        @Test(
            "K206c naver, twitter and payco take their access token where the operator accepts it (LOGIN-7)",
            arguments: Engine.ofDoors)
        func unboundTokens(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                try await $0.set(.naver, ["acceptsUnboundTokens": true])
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                #expect(await game.logIn(credential: game.credential(kTCGBAuthNaver)).error == nil)
                #expect(await game.logOut() == nil)
                for provider in [kTCGBAuthTwitter, kTCGBAuthPayco] {
                    let error = try #require(await game.logIn(credential: game.credential(provider)).error)
                    #expect(error.code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
                    // The message names the setting for the operator.
                    #expect(error.message.contains("accept-unbound-tokens"), "\(error.message)")
                    #expect(await game.logIn(provider).error == nil)
                    #expect(await game.logOut() == nil)
                }
            }
        }

        @Test("K206d iosgamecenter takes Game Center's proof by the dictionary's keys", arguments: Engine.ofDoors)
        func gameCenter(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let login = await game.logIn(credential: try game.gameCenter())
                #expect(login.value?.mappingAuthList() == [kTCGBAuthiOSGameCenter])
            }
        }

        @Test("K206e hangame and kakaogame take their access token", arguments: Engine.ofDoors)
        func partners(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                for provider in [kTCGBAuthHangame, kTCGBAuthKakaogame] {
                    #expect(
                        await game.logIn(credential: game.credential(provider)).value?.mappingAuthList() == [provider])
                    #expect(await game.logOut() == nil)
                }
            }
        }

        @Test("K234 the operator sets the additional information of a provider", arguments: Engine.ofDoors)
        func operators(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                try await $0.set(.line, ["additionalInfo": ["region": "taiwan"]])
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                let user = await game.user(by: kTCGBAuthLine)
                #expect(await game.logOut() == nil)
                let info: [String: Any] = [kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "taiwan"]
                #expect(await game.logIn(kTCGBAuthLine, info).value?.tcgbMember.userId == user)
                await #expect(throws: Refusal.self) {
                    try await game.server.set(.line, ["additionalInfo": ["regoin": "taiwan"]])
                }
            }
        }
    }
}
