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
            "K129 loginWithType is for a first login, and for one whose record does not count",
            arguments: Engine.ofDoors)
        func firstLogin(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                try await game.endSessions(of: user)
                await game.begin()
                #expect(await game.logInAgain().error != nil)
                #expect(await game.user(by: kTCGBAuthGoogle) == user)
            }
        }

        @Test("K130 isSuccess(error:) tells whether a login went well", arguments: Engine.ofDoors)
        func success(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(TCGBGamebase.isSuccess(error: await game.logIn(kTCGBAuthGoogle).error))
                #expect(!TCGBGamebase.isSuccess(error: await game.logIn(kTCGBAuthGoogle).error))
            }
        }

        @Test("K131 a login's TCGBAuthToken has the user id, the member and the token", arguments: Engine.ofDoors)
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

        @Test("K132 what a login stores is used by the last provider's login", arguments: Engine.ofDoors)
        func stored(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == user)
                // Without the stored session, nobody is recognised.
                let fresh = await game.onNewDevice()
                #expect(
                    await fresh.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP)
            }
        }

        @Test(
            "K133 the provider's access token is kept where the provider's login is made", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func providerToken(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthFacebook)
                let answer = try await game.server.tcgb(
                    "members/\(TCGBGamebase.userID() ?? "")/idps/facebook?accessToken=\(TCGBGamebase.accessToken() ?? "")"
                )
                let token = try #require(answer["idPToken"]?["accessToken"]?.stringValue)
                // The game has it in memory, until the logout or its end, and none of it is stored on the device.
                #expect(TCGBGamebase.authProviderAccessToken(withIDPCode: kTCGBAuthFacebook) == token)
                #expect(!game.storage.contents.values.contains { String(decoding: $0, as: UTF8.self).contains(token) })
                await game.begin()
                #expect(await game.logInAgain().error == nil)
                #expect(TCGBGamebase.authProviderAccessToken(withIDPCode: kTCGBAuthFacebook) == nil)
            }
        }

        @Test("K142 loginWithType takes a dictionary of additional information, or none", arguments: Engine.ofDoors)
        func dictionary(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let desk = Desk("alice")
                let there = await game.at(desk)
                var users: Set<String?> = []
                for info: [String: Any]? in [nil, [:], ["service_name": "Given"]] {
                    users.insert(await there.logIn(kTCGBAuthPayco, info).value?.tcgbMember.userId)
                    #expect(desk.lastPage["serviceName"] == info?["service_name"] as? String)
                    #expect(await there.logOut() == nil)
                }
                #expect(users.count == 1 && !users.contains(nil))
            }
        }

        @Test(
            "K149 LINE's region is given in additionalInfo: japan, thailand, taiwan, indonesia",
            arguments: Engine.ofDoors)
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
                // Each region's channel is a separate app with separate ids of its players.
                #expect(users.count == 4)
                let elsewhere: [String: Any] = [kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "atlantis"]
                #expect(await game.logIn(kTCGBAuthLine, elsewhere).code == TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO)
            }
        }

        @Test("K161a both forms of login take nothing where nothing is given", arguments: Engine.ofDoors)
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

        @Test("K168 the example loginFacebookButtonClick", arguments: Engine.ofDoors)
        func facebookExample(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.example { $0.loginFacebookButtonClick() }
                #expect(TCGBGamebase.userID() == user)
                #expect(await game.example { $0.loginFacebookButtonClick() } == "To Login Failed 3201")
            }
        }

        @Test("K181 the example loginLineButtonClick, and keys that nobody knows", arguments: Engine.ofDoors)
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

        @Test("O146 the example with kTCGBAuthPayco", arguments: Engine.ofDoors)
        func paycoExample(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(await game.logIn(kTCGBAuthPayco).value?.mappingAuthList() == [kTCGBAuthPayco])
            }
        }

        @Test(
            "K145 additionalInfo of the call is used, and what it lacks is the operator's", arguments: Engine.ofDoors)
        func additionalInfo(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                try await $0.set(.payco, ["additionalInfo": ["service_code": "HANGAME", "service_name": "Own"]])
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                let desk = Desk("alice")
                let there = await game.at(desk)
                #expect(await there.logIn(kTCGBAuthPayco).error == nil)
                #expect(desk.lastPage["serviceProviderCode"] == "HANGAME")
                #expect(desk.lastPage["serviceName"] == "Own")
                #expect(await there.logOut() == nil)
                #expect(await there.logIn(kTCGBAuthPayco, ["service_name": "Given"]).error == nil)
                #expect(desk.lastPage["serviceProviderCode"] == "HANGAME")
                #expect(desk.lastPage["serviceName"] == "Given")
            }
        }

        @Test("O133 facebook_permission is what Facebook's page asks for", arguments: Engine.ofDoors)
        func facebookPermissions(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                try await $0.set(
                    .facebook,
                    ["additionalInfo": ["facebook_permission": ["public_profile", "email", "user_friends"]]])
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                let desk = Desk("alice")
                let there = await game.at(desk)
                #expect(await there.logIn(kTCGBAuthFacebook).error == nil)
                #expect(desk.lastPage["scope"] == "public_profile,email,user_friends")
                #expect(await there.logOut() == nil)
                #expect(await there.logIn(kTCGBAuthFacebook, ["facebook_permission": ["email"]]).error == nil)
                #expect(desk.lastPage["scope"] == "public_profile,email")
                #expect(await there.logOut() == nil)
                // No game may request a permission that neither Facebook's description nor the operator names.
                let strange: [String: Any] = ["facebook_permission": ["pages_manage_ads"]]
                #expect(await there.logIn(kTCGBAuthFacebook, strange).code == TCGB_ERROR_INVALID_PARAMETER)
            }
        }

        @Test("O171 PAYCO's service_code and service_name reach its page", arguments: Engine.ofDoors)
        func payco(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let desk = Desk("alice")
                let there = await game.at(desk)
                let info: [String: Any] = ["service_code": "HANGAME", "service_name": "Your Service Name"]
                #expect(await there.logIn(kTCGBAuthPayco, info).error == nil)
                #expect(desk.lastPage["serviceProviderCode"] == "HANGAME")
                #expect(desk.lastPage["serviceName"] == "Your Service Name")
            }
        }

        @Test(
            "O181 Naver's service_name reaches its page, and url_scheme_ios_only is the operator's",
            arguments: Engine.ofDoors)
        func naver(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                try await $0.set(
                    .naver,
                    ["additionalInfo": ["url_scheme_ios_only": "yourscheme", "service_name": "Your Service Name"]])
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                let desk = Desk("alice")
                let there = await game.at(desk)
                #expect(await there.logIn(kTCGBAuthNaver).error == nil)
                #expect(desk.lastPage["service_name"] == "Your Service Name")
                // The page comes back by the operator's scheme, and by no other, whatever the call says.
                for (scheme, code) in [
                    ("yourscheme", TCGB_ERROR_AUTH_USER_CANCELED), ("evil", TCGB_ERROR_INVALID_PARAMETER),
                ] {
                    let configuration = game.device.configuration()
                    configuration.configure {
                        $0.storage = MemoryStorage()
                        $0.adapters = [SchemeAdapter(scheme: scheme)]
                    }
                    let started = await GamebaseDevice.start(configuration)
                    #expect(started == nil)
                    #expect(await game.logIn(kTCGBAuthNaver, ["url_scheme_ios_only": "evil"]).code == code)
                }
            }
        }

        /// Begins a login at Naver whose page is to come back by a scheme. The player closes the page.
        private struct SchemeAdapter: AuthAdapter {
            let provider = Provider.naver
            let scheme: String

            func logIn(_ request: AdapterRequest) async throws -> Credential {
                _ = try await request.beginBrowserLogin(redirectURI: "\(scheme)://login")
                throw AdapterError.cancelled
            }
        }

        @Test("O195 Game Center needs nothing but the game's bundle id", arguments: Engine.ofDoors)
        func gameCenter(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                // This is a player of the fake world, whose certificates the server trusts.
                let proof = try game.gameCenter()
                #expect(await game.logIn(credential: proof).error == nil)
            }
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                try await $0.run(
                    SetIdentityProvider(
                        provider: .gameCenter,
                        settings: [
                            "kind": "gamecenter", "clientIds": [.string($0.idps.clientID(of: .gameCenter))],
                            "origin": .string($0.idps.origin),
                        ], secrets: [:]))
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                // Only Apple's certificates are trusted, and the fake world's are not Apple's.
                let proof = try game.gameCenter()
                #expect(await game.logIn(credential: proof).code == TCGB_ERROR_AUTH_IDP_LOGIN_FAILED)
            }
        }

        @Test(
            "K161b the provider's login comes up over the view controller that the game passes",
            arguments: Engine.ofDoors)
        func viewController(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let adapter = OwnAdapter(token: game.token(kTCGBAuthGoogle))
                let configuration = TCGBConfiguration.configuration(
                    appID: LiveServer.app.rawValue, appVersion: "1.2.3")
                configuration.serverAddress = game.server.url
                configuration.configure { $0.storage = MemoryStorage() }
                configuration.addAuthAdapter(adapter)
                let started = await GamebaseDevice.start(configuration)
                #expect(started == nil)
                let own = UIViewController()
                let error: TCGBError? = await ended { done in
                    TCGBGamebase.login(type: kTCGBAuthGoogle, viewController: own) { done($1) }
                }
                #expect(error == nil)
                #expect(adapter.viewControllers.count == 1)
                #expect(adapter.viewControllers.first.flatMap(\.self) === own)
            }
        }

        @Test("K137 loginWithType logs in with hangame and kakaogame", arguments: Engine.ofDoors)
        func partners(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                for provider in [kTCGBAuthHangame, kTCGBAuthKakaogame] {
                    #expect(await game.logIn(provider).value?.mappingAuthList() == [provider])
                    #expect(await game.logOut() == nil)
                }
            }
        }
    }
}
