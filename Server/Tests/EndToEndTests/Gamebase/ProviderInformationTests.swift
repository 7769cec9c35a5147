import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// The old API's information about an identity provider; its functions are deprecated.
private protocol OldInformation {
    func told(_ idPCode: String) -> (userID: String?, token: String?, profile: [String: Any]?)
}

private struct OldAPI: OldInformation {
    @available(*, deprecated)
    func told(_ idPCode: String) -> (userID: String?, token: String?, profile: [String: Any]?) {
        (
            TCGBGamebase.authProviderUserID(withIDPCode: idPCode),
            TCGBGamebase.authProviderAccessToken(withIDPCode: idPCode),
            TCGBGamebase.authProviderProfile(withIDPCode: idPCode)?.information
        )
    }
}

extension GamebaseTests {
    @Suite @MainActor struct ProviderInformationTests {
        private static func told(_ idPCode: String) -> (userID: String?, token: String?, profile: [String: Any]?) {
            (OldAPI() as any OldInformation).told(idPCode)
        }

        private static func isNothing(_ idPCode: String) -> Bool {
            let told = told(idPCode)
            return told.token == nil && told.profile == nil
        }

        private static func login(_ type: String, replacing: Bool = false) async -> TCGBError? {
            let info: [String: Any] = [kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname: replacing]
            return await ended { done in
                TCGBGamebase.login(type: type, additionalInfo: info, viewController: nil) { done($1) }
            }
        }

        @Test(
            "INFO-2: user id, token and profile after a login by page, of every provider that has one",
            arguments: Engine.ofDoors)
        func pages(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.pages(server) }
        }

        private static func pages(_ server: LiveServer) async throws {
            let storage = MemoryStorage()
            #expect(await GamebaseDevice(server, "alice", storage).start() == nil)
            for provider in FakeProviders.withPages {
                #expect(await login(provider.rawValue) == nil)
                let told = told(provider.rawValue)
                #expect(told.userID == server.idps.subject(of: "alice", at: provider))
                #expect(FakeProviders.isToken(told.token, of: "alice", at: provider), "\(provider)")
                #expect(told.profile?.isEmpty == false, "\(provider)")
                // It is never stored on the device (LOGIN-5).
                let token = try told.token.unwrapped()
                for item in storage.contents.values {
                    #expect(!String(decoding: item, as: UTF8.self).contains(token))
                }
                let error: TCGBError? = await ended { done in TCGBGamebase.logout(viewController: nil) { done($0) } }
                #expect(error == nil)
                #expect(isNothing(provider.rawValue))
            }
        }

        @Test(
            "INFO-2: of the player who is in and of nobody else: not after a logout, a restart, another's login, a removal, a ban",
            arguments: Engine.ofDoors)
        func nobodyElse(engine: Engine) async throws {
            try await LiveServer.run(on: engine) { server in try await Self.nobodyElse(server) }
        }

        private static func nobodyElse(_ server: LiveServer) async throws {
            let storage = MemoryStorage()
            let alice = GamebaseDevice(server, "alice", storage)
            #expect(await alice.start() == nil)
            #expect(await login(kTCGBAuthGoogle) == nil)
            #expect(FakeProviders.isToken(told(kTCGBAuthGoogle).token, of: "alice", at: .google))
            #expect(told(kTCGBAuthGoogle).profile?["name"] as? String == "Player alice")
            // The information about a mapping is available too, until it is removed.
            let mapped: TCGBError? = await ended { done in
                TCGBGamebase.addMapping(type: kTCGBAuthFacebook, viewController: nil) { done($1) }
            }
            #expect(mapped == nil)
            #expect(FakeProviders.isToken(told(kTCGBAuthFacebook).token, of: "alice", at: .facebook))
            let removed: TCGBError? = await ended { done in
                TCGBGamebase.removeMapping(type: kTCGBAuthFacebook, viewController: nil) { done($0) }
            }
            #expect(removed == nil)
            #expect(isNothing(kTCGBAuthFacebook))
            #expect(told(kTCGBAuthFacebook).userID == nil)

            // After a restart, a login with the last provider brings no information, as the guides say.
            #expect(await alice.start() == nil)
            #expect(isNothing(kTCGBAuthGoogle))
            let last: TCGBError? = await ended { done in
                TCGBGamebase.loginForLastLoggedInProvider(viewController: nil) { done($1) }
            }
            #expect(last == nil)
            #expect(isNothing(kTCGBAuthGoogle))
            #expect(told(kTCGBAuthGoogle).userID == server.idps.subject(of: "alice", at: .google))

            // Another player replaces alice's login with a credential of the game's own.
            let token = server.idps.accessToken(.google, for: "bob").secretValue
            let replaced: TCGBError? = await ended { done in
                TCGBGamebase.login(
                    credential: [
                        kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthGoogle,
                        kTCGBAuthLoginWithCredentialAccessTokenKeyname: token,
                        kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname: true,
                    ], viewController: nil
                ) { done($1) }
            }
            #expect(replaced == nil)
            #expect(told(kTCGBAuthGoogle).token == token)
            #expect(told(kTCGBAuthGoogle).profile?["sub"] as? String == server.idps.subject(of: "bob", at: .google))
            #expect(await login(kTCGBAuthFacebook, replacing: true) == nil)
            #expect(isNothing(kTCGBAuthGoogle))

            // A ban during play removes the information with the server's next response.
            #expect(await login(kTCGBAuthGoogle, replacing: true) == nil)
            #expect(!isNothing(kTCGBAuthGoogle))
            let user = try TCGBGamebase.userID().unwrapped()
            _ = try await server.run(BanMembers([UserID(user)], until: nil), reason: "aimbot")
            let error: TCGBError? = await ended { done in
                TCGBGamebase.addMapping(type: kTCGBAuthFacebook, viewController: nil) { done($1) }
            }
            #expect(error != nil)
            #expect(isNothing(kTCGBAuthGoogle))
            #expect(told(kTCGBAuthGoogle).userID == nil)
        }

        @Test("INFO-2: after a change of login it is the new member's, and after a forced mapping there is one")
        func tickets() async throws {
            try await LiveServer.run(on: .sqlite) { server in try await Self.tickets(server) }
        }

        private static func tickets(_ server: LiveServer) async throws {
            #expect(await GamebaseDevice(server, "alice").start() == nil)
            #expect(await login(kTCGBAuthGoogle) == nil)
            #expect(await GamebaseDevice(server, "alice").start() == nil)
            for isForced in [false, true] {
                #expect(await login(isForced ? kTCGBAuthGuest : kTCGBAuthFacebook, replacing: true) == nil)
                let conflict: TCGBError? = await ended { done in
                    TCGBGamebase.addMapping(type: kTCGBAuthGoogle, viewController: nil) { done($1) }
                }
                let ticket = try TCGBForcingMappingTicket.forcingMappingTicket(fromError: conflict.unwrapped())
                    .unwrapped()
                let error: TCGBError? = await ended { done in
                    if isForced {
                        TCGBGamebase.addMappingForcibly(ticket: ticket, viewController: nil) { done($1) }
                    } else {
                        TCGBGamebase.changeLogin(forcingMappingTicket: ticket, viewController: nil) { done($1) }
                    }
                }
                #expect(error == nil)
                #expect(FakeProviders.isToken(told(kTCGBAuthGoogle).token, of: "alice", at: .google))
                #expect(told(kTCGBAuthGoogle).profile?["name"] as? String == "Player alice")
                #expect(isNothing(kTCGBAuthFacebook))
            }
        }

        @Test("LOGIN-7, MAP-5: Game Center's proof by the keys of a credential's dictionary logs in and maps")
        func gameCenter() async throws {
            try await LiveServer.run(on: .sqlite) { server in try await Self.gameCenter(server) }
        }

        private static func gameCenter(_ server: LiveServer) async throws {
            #expect(await GamebaseDevice(server, "alice").start() == nil)
            func dictionary(_ player: String) throws -> [String: Any] {
                let proof = try server.idps.gameCenterProof(for: player)
                return [
                    kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthiOSGameCenter,
                    kTCGBAuthLoginWithCredentialGameCenterPublicKeyURLKeyname: try URL(string: proof.publicKeyUrl)
                        .unwrapped(),
                    kTCGBAuthLoginWithCredentialGameCenterSignatureKeyname: try Data(base64Encoded: proof.signature)
                        .unwrapped(),
                    kTCGBAuthLoginWithCredentialGameCenterSaltKeyname: proof.salt,
                    kTCGBAuthLoginWithCredentialGameCenterTimestampKeyname: NSNumber(value: proof.timestamp),
                    kTCGBAuthLoginWithCredentialGameCenterPlayerIDKeyname: proof.playerId,
                    kTCGBAuthLoginWithCredentialGameCenterBundleIDKeyname: proof.bundleId,
                ]
            }
            #expect(await login(kTCGBAuthGuest) == nil)
            let guest = TCGBGamebase.userID()
            let credential = try dictionary("alice")
            let mapped: TCGBError? = await ended { done in
                TCGBGamebase.addMapping(credential: credential, viewController: nil) { done($1) }
            }
            #expect(mapped == nil)
            #expect(TCGBGamebase.authMappingList() == [kTCGBAuthiOSGameCenter])
            let out: TCGBError? = await ended { done in TCGBGamebase.logout(viewController: nil) { done($0) } }
            #expect(out == nil)
            let again = try dictionary("alice")
            let error: TCGBError? = await ended { done in
                TCGBGamebase.login(credential: again, viewController: nil) { done($1) }
            }
            #expect(error == nil)
            #expect(TCGBGamebase.userID() == guest)
            #expect(told(kTCGBAuthiOSGameCenter).profile?["playerId"] as? String == "T:_alice")
        }

        @Test("A game's own adapter gets the view controller that the game has passed, and tells what it brings")
        func ownAdapter() async throws {
            try await LiveServer.run(on: .sqlite) { server in try await Self.ownAdapter(server) }
        }

        private static func ownAdapter(_ server: LiveServer) async throws {
            let token = server.idps.accessToken(.google, for: "alice").secretValue
            let adapter = OwnAdapter(token: token)
            let configuration = TCGBConfiguration.configuration(
                appID: LiveServer.app.rawValue, appVersion: "1.2.3")
            configuration.serverAddress = server.url
            configuration.addAuthAdapter(adapter)
            configuration.configure { configuration in
                configuration.storage = MemoryStorage()
                configuration.timeoutSeconds = 60
            }
            let started = await GamebaseDevice.start(configuration)
            #expect(started == nil)
            #expect(await login(kTCGBAuthGuest) == nil)
            let first = UIViewController()
            let mapped: TCGBError? = await ended { done in
                TCGBGamebase.addMapping(type: kTCGBAuthGoogle, viewController: first) { done($1) }
            }
            #expect(mapped == nil)
            #expect(told(kTCGBAuthGoogle).token == token)
            let out: TCGBError? = await ended { done in TCGBGamebase.logout(viewController: nil) { done($0) } }
            #expect(out == nil)
            let second = UIViewController()
            let error: TCGBError? = await ended { done in
                TCGBGamebase.login(type: kTCGBAuthGoogle, viewController: second) { done($1) }
            }
            #expect(error == nil)
            #expect(adapter.viewControllers.count == 2)
            #expect(adapter.viewControllers.first.flatMap(\.self) === first)
            #expect(adapter.viewControllers.last.flatMap(\.self) === second)
        }
    }
}

extension FakeProviders {
    /// Whether a text is an access token that a provider has issued to a player. A token of the fake world names both.
    static func isToken(_ text: String?, of player: String, at provider: Provider) -> Bool {
        guard let text, text.hasPrefix("fake."), let bytes = Base64URL.decode(String(text.dropFirst(5))) else {
            return false
        }
        return String(decoding: bytes, as: UTF8.self).hasPrefix("access\n\(provider.rawValue)\n\(player)\n")
    }
}
