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
    /// The guides' chapter on logins with a provider's page, and on each provider's requirements.
    @Suite @MainActor struct ProviderStatements {
        @Test(
            "K130 K131 K607 a login's TCGBAuthToken has the user id, the member and the token that a game's server checks",
            arguments: Engine.ofDoors)
        func authToken(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGBGamebase.accessToken() == nil)
                let begin = game.server.milliseconds
                let answer = await game.logIn(kTCGBAuthGoogle)
                #expect(TCGBGamebase.isSuccess(error: answer.error))
                let login = try #require(answer.value)
                #expect(login.tcgbMember.userId == TCGBGamebase.userID())
                #expect(login.tcgbMember.valid == "Y")
                #expect(login.tcgbMember.appId == LiveServer.app.rawValue)
                #expect(login.mappingAuthList() == [kTCGBAuthGoogle])
                #expect(game.server.isTime(login.tcgbMember.regDate, since: begin), "\(login.tcgbMember.regDate)")
                #expect(login.tcgbToken.sourceIdPCode == kTCGBAuthGoogle)
                #expect(TCGBGamebase.accessToken() == login.tcgbToken.accessToken)
                let check = try await game.server.check(AccessToken(login.tcgbToken.accessToken))
                #expect(check.status == 200)
                let checked = try JSONDecoder().decode(JSONValue.self, from: check.body)
                #expect(checked["member"]?["userId"]?.stringValue == login.tcgbMember.userId)
                #expect(!TCGBGamebase.isSuccess(error: await game.logIn(kTCGBAuthGoogle).error))
            }
        }

        @Test(
            "K12 K149 K209 K385 LINE's region is given in additionalInfo or in a credential: japan, thailand, taiwan, indonesia",
            arguments: Engine.ofDoors)
        func regions(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                func info(_ region: String) -> [String: Any] {
                    [kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: region]
                }
                let user = await game.user(by: kTCGBAuthGoogle)
                #expect(await game.map(kTCGBAuthLine, info("thailand")).error == nil)
                #expect(await game.logOut() == nil)
                var users: Set<String> = []
                for region in ["japan", "thailand", "taiwan", "indonesia"] {
                    let login = await game.logIn(kTCGBAuthLine, info(region))
                    #expect(login.error == nil, "\(region)")
                    let player = login.value?.tcgbMember.userId ?? ""
                    #expect((player == user) == (region == "thailand"))
                    users.insert(player)
                    #expect(await game.logOut() == nil)
                    let token = game.server.idps.accessToken(
                        .line, for: "alice", clientID: "\(game.server.idps.clientID(of: .line))-\(region)")
                    let credential: [String: Any] = [
                        kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthLine,
                        kTCGBAuthLoginWithCredentialAccessTokenKeyname: token.secretValue,
                    ]
                    let again = await game.logIn(credential: credential.merging(info(region)) { $1 })
                    #expect(again.value?.tcgbMember.userId == player)
                    #expect(await game.logOut() == nil)
                }
                // Each region's channel is a separate app with separate ids of its players.
                #expect(users.count == 4)
                #expect(
                    await game.logIn(kTCGBAuthLine, info("atlantis")).code
                        == TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO)
            }
        }

        @Test(
            "K161a K394 both forms of login and of addMapping take nothing where nothing is given",
            arguments: Engine.ofDoors)
        func nullability(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                TCGBGamebase.login(
                    type: kTCGBAuthGuest, additionalInfo: nil, viewController: nil, completion: nil)
                while TCGBGamebase.userID() == nil { try await Task.sleep(for: .milliseconds(10)) }
                #expect(await game.logOut() == nil)
                TCGBGamebase.login(type: kTCGBAuthGuest, viewController: nil, completion: nil)
                while TCGBGamebase.userID() == nil { try await Task.sleep(for: .milliseconds(10)) }
                // Without a completion, the list shows the result.
                TCGBGamebase.addMapping(
                    type: kTCGBAuthFacebook, additionalInfo: nil, viewController: nil, completion: nil)
                while TCGBGamebase.authMappingList() != [kTCGBAuthFacebook] {
                    try await Task.sleep(for: .milliseconds(10))
                }
                // It tells so a moment before the call has ended, which brings along what the provider has told.
                var error: TCGBError?
                repeat {
                    error = await ended { done in
                        TCGBGamebase.addMapping(type: kTCGBAuthAppleID, viewController: nil) { done($1) }
                    }
                } while error?.code == TCGB_ERROR_AUTH_ALREADY_IN_PROGRESS_ERROR
                #expect(error == nil)
            }
        }

        @Test("O195 Game Center needs nothing but the game's bundle id", arguments: Engine.ofDoors)
        func gameCenter(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                try await $0.run(
                    SaveIdentityProvider(
                        provider: .gameCenter,
                        settings: [
                            "kind": "gamecenter", "clientIds": [.string($0.idps.clientID(of: .gameCenter))],
                            "origin": .string($0.idps.origin),
                        ], secrets: [:]))
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                // Only Apple's certificates are trusted, and the fake world's are not Apple's. The rest is right.
                var proof = try game.gameCenter()
                let error = try #require(await game.logIn(credential: proof).error)
                #expect(error.code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
                #expect(error.message == "The credential is refused: its certificate is not trusted.")
                proof[kTCGBAuthLoginWithCredentialGameCenterBundleIDKeyname] = "com.example.other"
                let other = try #require(await game.logIn(credential: proof).error)
                #expect(other.code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
                #expect(other.message == "The credential was issued for another client.")
            }
        }
    }
}
