import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseTesting
import GatehouseWire
import SeedExamples
import TestDatabases
import Testing

extension GamebaseTests.Conformance {
    /// The guides' chapter on the player's information.
    @Suite @MainActor struct InformationStatements {
        /// What Gamebase's Server API returns to the game's server: "Get IdP Token and Profiles".
        private static func profile(_ game: Game, _ provider: String) async throws -> JSONValue? {
            let user = try #require(TCGBGamebase.userID())
            let token = try #require(TCGBGamebase.accessToken())
            return try await game.server.tcgb("members/\(user)/idps/\(provider)?accessToken=\(token)")
        }

        @Test(
            "K595 after the last provider's login the provider's information is not to be had",
            arguments: Engine.ofDoors)
        func afterLastProvider(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                let before = try await Self.profile(game, kTCGBAuthGoogle)
                #expect(before?["header"]?["resultCode"] == 0)
                await game.begin()
                #expect(await game.logInAgain().error == nil)
                let after = try await Self.profile(game, kTCGBAuthGoogle)
                #expect(after?["header"]?["isSuccessful"] == false)
                #expect(after?["idPToken"] == nil)
            }
        }

        @Test("K597 after loginWithType it is", arguments: Engine.ofDoors)
        func afterLogin(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                let answer = try await Self.profile(game, kTCGBAuthGoogle)
                let subject = game.server.idps.subject(of: "alice", at: .google)
                #expect(answer?["idPProfile"]?["sub"]?.stringValue == subject)
            }
        }

        @Test("K604 userID() is the player's id", arguments: Engine.ofDoors)
        func userID(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGBGamebase.userID() == nil)
                let user = await game.user(by: kTCGBAuthGoogle)
                #expect(TCGBGamebase.userID() == user)
                #expect(await game.logOut() == nil)
                #expect(TCGBGamebase.userID() == nil)
            }
        }

        @Test("K607 accessToken() is the token that the game's server checks", arguments: Engine.ofDoors)
        func accessToken(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGBGamebase.accessToken() == nil)
                let login = await game.logIn(kTCGBAuthGoogle)
                #expect(TCGBGamebase.accessToken() == login.value?.tcgbToken.accessToken)
                #expect(await game.isValid(TCGBGamebase.accessToken()))
            }
        }

        @Test(
            "K610 lastLoggedInProvider() is the last login's, also after its session has ended",
            arguments: Engine.ofDoors)
        func lastProvider(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                try await game.endSessions(of: user)
                #expect(await game.queryTransfer().code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
                await game.begin()
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGoogle)
            }
        }

        @Test("K616 the game's server gets the provider's access token, id and profile", arguments: Engine.ofDoors)
        func serverAPI(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthFacebook)
                let page = try await Self.profile(game, kTCGBAuthFacebook)
                #expect(page?["idPToken"]?["accessToken"]?.stringValue?.isEmpty == false)
                #expect(await game.logOut() == nil)

                let token = game.token(kTCGBAuthFacebook)
                #expect(await game.logIn(credential: game.credential(kTCGBAuthFacebook)).error == nil)
                let credential = try await Self.profile(game, kTCGBAuthFacebook)
                #expect(credential?["idPToken"]?["accessToken"]?.stringValue == token)
                #expect(credential?["idPToken"]?["idPCode"]?.stringValue == kTCGBAuthFacebook)
                let subject = game.server.idps.subject(of: "alice", at: .facebook)
                let profile = "\(credential?["idPProfile"] ?? .null)"
                #expect(profile.contains(subject))
            }
        }

        @Test("O516 authProviderUserIDWithIDPCode: is the player's id at the provider", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func providerUserID(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGBGamebase.authProviderUserID(idPCode: kTCGBAuthFacebook) == nil)
                await game.user(by: kTCGBAuthFacebook)
                #expect(
                    TCGBGamebase.authProviderUserID(idPCode: kTCGBAuthFacebook)
                        == game.server.idps.subject(of: "alice", at: .facebook))
                #expect(TCGBGamebase.authProviderUserID(idPCode: kTCGBAuthGoogle) == nil)
            }
        }

        @Test(
            "O519 authProviderAccessTokenWithIDPCode: is the provider's token after a page, and nobody else's (INFO-2)",
            arguments: Engine.ofDoors)
        @available(*, deprecated)
        func providerToken(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthFacebook)
                let token = try #require(TCGBGamebase.authProviderAccessToken(idPCode: kTCGBAuthFacebook))
                #expect(!token.isEmpty)
                #expect(await game.logOut() == nil)
                #expect(TCGBGamebase.authProviderAccessToken(idPCode: kTCGBAuthFacebook) == nil)
                let own = game.token(kTCGBAuthFacebook, of: "bob")
                #expect(await game.logIn(credential: game.credential(kTCGBAuthFacebook, of: "bob")).error == nil)
                #expect(TCGBGamebase.authProviderAccessToken(idPCode: kTCGBAuthFacebook) == own)
                await game.begin()
                #expect(await game.logInAgain().error == nil)
                #expect(TCGBGamebase.authProviderAccessToken(idPCode: kTCGBAuthFacebook) == nil)
            }
        }

        @Test(
            "O522 authProviderProfileWithIDPCode: is what the provider says of the player", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func providerProfile(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                let profile = try #require(TCGBGamebase.authProviderProfile(idPCode: kTCGBAuthGoogle))
                #expect(profile.userID == game.server.idps.subject(of: "alice", at: .google))
                #expect(profile.information["sub"] as? String == profile.userID)
                #expect(await game.logOut() == nil)
                #expect(TCGBGamebase.authProviderProfile(idPCode: kTCGBAuthGoogle) == nil)
            }
        }

        @Test("K635 whom the operator has banned gets 7 at a login", arguments: Engine.ofDoors)
        func banned(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                #expect(await game.logOut() == nil)
                try await game.ban(user)
                #expect(await game.logIn(kTCGBAuthGoogle).code == TCGB_ERROR_BANNED_MEMBER)
                #expect(TCGBGamebase.userID() == nil)
            }
        }
    }
}

extension LiveServer {
    /// A reading call of Gamebase's Server API by the game's server.
    func tcgb(_ path: String) async throws -> JSONValue {
        guard let url = URL(string: "\(url)/tcgb-gateway/v1.3/apps/\(Self.app)/\(path)") else { return .null }
        let answer = try await GatehouseClient.Environment.live().send(
            TransportRequest(
                method: "GET", url: url, headers: ["X-Secret-Key": secret.secretValue], body: nil, timeoutSeconds: 60))
        return try JSONDecoder().decode(JSONValue.self, from: answer.body)
    }

    /// A payment reported by the game's server.
    func pay(_ amount: Double, _ currency: String, by user: UserID) async throws {
        _ = try await call(
            Endpoints.reportPayment,
            PaymentReport(userId: user, paymentId: "payment", amount: amount, currency: currency))
    }
}
