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
            "K133 K595 K597 K616 the game's server gets the provider's token, id and profile until the last provider's login",
            arguments: Engine.ofDoors)
        @available(*, deprecated)
        func serverAPI(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let subject = game.server.idps.subject(of: "alice", at: .facebook)
                let user = await game.user(by: kTCGBAuthFacebook)
                let page = try await Self.profile(game, kTCGBAuthFacebook)
                #expect(page?["header"]?["resultCode"] == 0)
                #expect(page?["idPProfile"]?["id"]?.stringValue == subject)
                #expect(page?["idPProfile"]?["name"] == "Player alice")
                let own = try #require(page?["idPToken"]?["accessToken"]?.stringValue)
                #expect(FakeProviders.isToken(own, of: "alice", at: .facebook))
                // The game has it in memory, and none of it is stored on the device.
                #expect(TCGBGamebase.authProviderAccessToken(withIDPCode: kTCGBAuthFacebook) == own)
                #expect(!game.storage.contents.values.contains { String(decoding: $0, as: UTF8.self).contains(own) })
                #expect(await game.logOut() == nil)

                let dictionary = game.credential(kTCGBAuthFacebook)
                let token = try #require(dictionary[kTCGBAuthLoginWithCredentialAccessTokenKeyname] as? String)
                #expect(await game.logIn(credential: dictionary).value?.tcgbMember.userId == user)
                let credential = try await Self.profile(game, kTCGBAuthFacebook)
                #expect(credential?["idPToken"]?["accessToken"]?.stringValue == token)
                #expect(credential?["idPToken"]?["idPCode"]?.stringValue == kTCGBAuthFacebook)
                #expect(credential?["idPProfile"]?["id"]?.stringValue == subject)

                await game.begin()
                #expect(await game.logInAgain().error == nil)
                let after = try await Self.profile(game, kTCGBAuthFacebook)
                #expect(after?["header"]?["isSuccessful"] == false)
                #expect(after?["idPToken"] == nil)
                #expect(after?["idPProfile"] == nil)
                #expect(TCGBGamebase.authProviderAccessToken(withIDPCode: kTCGBAuthFacebook) == nil)
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
    func pay(_ amount: Double, _ currency: String, by user: UserID, as payment: String = "payment") async throws {
        let answer = try await call(
            Endpoints.reportPayment,
            PaymentReport(userId: user, paymentId: payment, amount: amount, currency: currency))
        try #require(answer.status == 200)
    }
}
