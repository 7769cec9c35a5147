import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import SeedExamples
import TestDatabases
import Testing

extension GamebaseTests.Conformance {
    /// The guides' chapter of logins with a provider's page, and of what each provider needs.
    @Suite @MainActor struct ProviderStatements {
        @Test(
            "K129 loginWithType is for a first login, and for one whose record does not count",
            arguments: Engine.available)
        func firstLogin(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                try await game.endSessions(of: user)
                await game.begin()
                #expect(await game.logInAgain().error != nil)
                #expect(await game.user(by: kTCGBAuthGoogle) == user)
            }
        }

        @Test("K130 isSuccess(error:) tells whether a login went well", arguments: Engine.available)
        func success(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGBGamebase.isSuccess(error: await game.logIn(kTCGBAuthGoogle).error))
                #expect(!TCGBGamebase.isSuccess(error: await game.logIn(kTCGBAuthGoogle).error))
            }
        }

        @Test("K131 a login's TCGBAuthToken has the user id, the member and the token", arguments: Engine.available)
        func authToken(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let login = try #require(await game.logIn(kTCGBAuthGoogle).value)
                #expect(login.tcgbMember.userId == TCGBGamebase.userID())
                #expect(login.tcgbMember.valid == "Y")
                #expect(login.tcgbMember.appId == LiveServer.app.rawValue)
                #expect(login.tcgbToken.sourceIdPCode == kTCGBAuthGoogle)
                #expect(await game.isValid(login.tcgbToken.accessToken))
            }
        }

        @Test("K132 what a login stores is used by the last provider's login", arguments: Engine.available)
        func stored(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == user)
                // Without what is stored nobody is known.
                let fresh = await game.onNewDevice()
                #expect(
                    await fresh.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP)
            }
        }

        @Test(
            "K133 the provider's access token is kept where the provider's login is made", arguments: Engine.available)
        func providerToken(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthFacebook)
                let answer = try await game.server.tcgb(
                    "members/\(TCGBGamebase.userID() ?? "")/idps/facebook?accessToken=\(TCGBGamebase.accessToken() ?? "")"
                )
                let token = try #require(answer["idPToken"]?["accessToken"]?.stringValue)
                // The device stores none of it.
                #expect(!game.storage.contents.values.contains { String(decoding: $0, as: UTF8.self).contains(token) })
            }
        }

        @Test("K142 loginWithType takes a dictionary of additional information, or none", arguments: Engine.available)
        func dictionary(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                #expect(await game.logOut() == nil)
                #expect(await game.logIn(kTCGBAuthGoogle, [:]).value?.tcgbMember.userId == user)
            }
        }

        @Test(
            "K149 LINE's region is given in additionalInfo: japan, thailand, taiwan, indonesia",
            arguments: Engine.available)
        func regions(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                var users: Set<String> = []
                for region in ["japan", "thailand", "taiwan", "indonesia"] {
                    let info: [String: Any] = [kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: region]
                    let login = await game.logIn(kTCGBAuthLine, info)
                    #expect(login.error == nil, "\(region)")
                    users.insert(login.value?.tcgbMember.userId ?? "")
                    #expect(await game.logOut() == nil)
                }
                // Each region's channel is an app of its own, and knows its players by names of its own.
                #expect(users.count == 4)
                let elsewhere: [String: Any] = [kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "atlantis"]
                #expect(await game.logIn(kTCGBAuthLine, elsewhere).code == TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO)
            }
        }

        @Test("K161a both forms of login take nothing where nothing is given", arguments: Engine.available)
        func nullability(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                TCGBGamebase.login(
                    type: kTCGBAuthGuest, additionalInfo: nil, viewController: nil, completion: nil)
                while TCGBGamebase.userID() == nil { try await Task.sleep(for: .milliseconds(10)) }
                #expect(await game.logOut() == nil)
                TCGBGamebase.login(type: kTCGBAuthGuest, viewController: nil, completion: nil)
                while TCGBGamebase.userID() == nil { try await Task.sleep(for: .milliseconds(10)) }
            }
        }

        @Test("K168 the example loginFacebookButtonClick", arguments: Engine.available)
        func facebookExample(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.example { $0.loginFacebookButtonClick() }
                #expect(TCGBGamebase.userID() == user)
                #expect(await game.example { $0.loginFacebookButtonClick() } == "To Login Failed 3201")
            }
        }

        @Test("K181 the example loginLineButtonClick, and keys that nobody knows", arguments: Engine.available)
        func lineExample(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.example { $0.loginLineButtonClick(region: "japan") }
                #expect(TCGBGamebase.userID() == user)
                #expect(await game.logOut() == nil)
                let info: [String: Any] = [
                    "key": "value", kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "japan",
                ]
                #expect(await game.logIn(kTCGBAuthLine, info).value?.tcgbMember.userId == user)
            }
        }

        @Test("O146 the example with kTCGBAuthPayco", arguments: Engine.available)
        func paycoExample(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(await game.logIn(kTCGBAuthPayco).value?.mappingAuthList() == [kTCGBAuthPayco])
            }
        }
    }
}
