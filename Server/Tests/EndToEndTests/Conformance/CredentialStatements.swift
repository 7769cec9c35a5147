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
        @Test(
            "K199 K206a K206b K206c K206e K207 a credential has the token of its provider, and its login is one like any other (LOGIN-7)",
            arguments: Engine.ofDoors)
        func login(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let unbound = [kTCGBAuthNaver, kTCGBAuthTwitter, kTCGBAuthPayco]
                for provider in unbound {
                    let error = try #require(await game.logIn(credential: game.credential(provider)).error)
                    #expect(error.code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED, "\(provider)")
                    // The message names the setting for the operator.
                    #expect(error.message.contains("accept-unbound-tokens"), "\(error.message)")
                }
                try await game.server.acceptUnboundTokens()
                let others = [
                    kTCGBAuthFacebook, kTCGBAuthGoogle, kTCGBAuthLine, kTCGBAuthWeibo, kTCGBAuthHangame,
                    kTCGBAuthKakaogame,
                ]
                for provider in others + unbound {
                    let login = await game.logIn(credential: game.credential(provider))
                    let subject = game.server.idps.subject(of: "alice", at: Provider(provider))
                    #expect(login.value?.tcgbMember.authList?.map(\.authKey) == ["\(provider):\(subject)"])
                    #expect(TCGBGamebase.lastLoggedInProvider() == provider)
                    #expect(await game.logOut() == nil)
                }
                let login = await game.logIn(credential: try game.appleCredential())
                #expect(login.error == nil)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == login.value?.tcgbMember.userId)
                #expect(await game.logOut() == nil)
                #expect(await game.user(by: kTCGBAuthAppleID) == login.value?.tcgbMember.userId)
                #expect(await game.logOut() == nil)
                for token in [nil, "", 7] as [Any?] {
                    var credential = game.credential(kTCGBAuthFacebook)
                    credential[kTCGBAuthLoginWithCredentialAccessTokenKeyname] = token
                    #expect(
                        await game.logIn(credential: credential).code == TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO)
                }
            }
        }

        @Test(
            "K208a K208b with ignore-already-logged-in another account takes the login's place, and without it is refused with 3201",
            .timeLimit(.minutes(5)),
            arguments: Engine.ofDoors)
        func replacing(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let first = await game.user(by: kTCGBAuthGuest)
                let left = TCGBGamebase.accessToken()
                var credential = game.credential(kTCGBAuthFacebook)
                #expect(await game.logIn(credential: credential).code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
                #expect(await game.logIn(kTCGBAuthFacebook).code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
                #expect(TCGBGamebase.userID() == first)
                credential[kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname] = true
                let login = await game.logIn(credential: credential)
                #expect(login.error == nil)
                #expect(TCGBGamebase.userID() == login.value?.tcgbMember.userId)
                #expect(TCGBGamebase.userID() != first)
                // The device ends the former session beside the game's calls.
                try await eventually("end of the former session") { await !game.isValid(left) }
                // A failed login keeps the current one.
                credential[kTCGBAuthLoginWithCredentialAccessTokenKeyname] = "nobody's"
                #expect(await game.logIn(credential: credential).code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
                #expect(TCGBGamebase.userID() == login.value?.tcgbMember.userId)
                #expect(await game.isValid(TCGBGamebase.accessToken()))
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
                let refusal = await #expect(throws: Refusal.self) {
                    try await game.server.set(.line, ["additionalInfo": ["regoin": "taiwan"]])
                }
                #expect(refusal?.code == .invalidParameter)
            }
        }
    }
}
