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
    /// The guides' chapters on logout and on immediate withdrawal.
    @Suite @MainActor struct LogoutStatements {
        @Test("K258 logoutWithViewController:completion: logs out", arguments: Engine.ofDoors)
        func logout(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthFacebook)
                let token = TCGBGamebase.accessToken()
                #expect(await game.example { $0.authLogout() } == "To Logout Succeeded")
                #expect(TCGBGamebase.userID() == nil)
                #expect(await !game.isValid(token))
                #expect(await game.logOut()?.code == TCGB_ERROR_NOT_LOGGED_IN)
            }
        }

        @Test("K251 the player's data stays after a logout", arguments: Engine.ofDoors)
        func data(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthFacebook)
                #expect(await game.map(kTCGBAuthGoogle).error == nil)
                #expect(await game.logOut() == nil)
                #expect(await game.user(by: kTCGBAuthGoogle) == user)
                #expect(Set(TCGBGamebase.authMappingList() ?? []) == [kTCGBAuthFacebook, kTCGBAuthGoogle])
            }
        }

        @Test("K252a after a logout no record of the login is left", arguments: Engine.ofDoors)
        func record(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthFacebook)
                #expect(await game.logOut() == nil)
                for _ in 0..<2 {
                    #expect(TCGBGamebase.lastLoggedInProvider() == nil)
                    #expect(
                        await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_LAST_LOGGED_IN_IDP)
                    await game.begin()
                }
            }
        }

        @Test("K300 withdrawWithViewController:completion: withdraws", arguments: Engine.ofDoors)
        func withdraw(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthFacebook)
                let token = TCGBGamebase.accessToken()
                #expect(await game.example { $0.authWithdrawal() } == "To Withdrawal Succeeded")
                #expect(TCGBGamebase.userID() == nil)
                #expect(TCGBGamebase.lastLoggedInProvider() == nil)
                #expect(await !game.isValid(token))
            }
        }

        @Test("K283 a withdrawal needs a login", arguments: Engine.ofDoors)
        func withdrawLoggedOut(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(await game.withdraw()?.code == TCGB_ERROR_NOT_LOGGED_IN)
            }
        }

        @Test("K286 the game data of the provider's account is deleted", arguments: Engine.ofDoors)
        func deletes(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthFacebook)
                #expect(await game.withdraw() == nil)
                let member = try await game.server.run(ReadMemberReport(user: UserID(user))).member
                #expect(member.status == .withdrawn)
                #expect(member.mappings.isEmpty)
            }
        }

        @Test("K287 the same account logs in again, and is a new player", arguments: Engine.ofDoors)
        func again(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthFacebook)
                #expect(await game.withdraw() == nil)
                #expect(await game.user(by: kTCGBAuthFacebook) != user)
            }
        }

        @Test("K293 with several providers all mappings are removed", arguments: Engine.ofDoors)
        func allMappings(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthFacebook)
                #expect(await game.map(kTCGBAuthGoogle).error == nil)
                #expect(await game.withdraw() == nil)
                let second = await game.user(by: kTCGBAuthGoogle)
                #expect(await game.logOut() == nil)
                let third = await game.user(by: kTCGBAuthFacebook)
                #expect(Set([user, second, third]).count == 3)
            }
        }

        @available(*, deprecated)
        @Test("K250 a logout logs out of the provider", arguments: Engine.ofDoors)
        func provider(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let desk = Desk("alice")
                let there = await game.at(desk)
                await there.user(by: kTCGBAuthFacebook)
                #expect(await there.logOut() == nil)
                // Another player uses the device, and is not mistaken for the previous one.
                desk.player = "bob"
                await there.user(by: kTCGBAuthFacebook)
                let bob = there.server.idps.subject(of: "bob", at: .facebook)
                #expect(TCGBGamebase.authProviderUserID(withIDPCode: kTCGBAuthFacebook) == bob)
            }
        }

        @Test("K252b id and password are asked for at the next login (LOGOUT-1)", arguments: Engine.ofDoors)
        func asksAgain(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                for provider in [kTCGBAuthGoogle, kTCGBAuthFacebook, kTCGBAuthAppleID, kTCGBAuthLine, kTCGBAuthPayco] {
                    let desk = Desk("alice")
                    let there = await game.at(desk)
                    await there.user(by: provider)
                    #expect(desk.timesAsked == 1)
                    #expect(await there.logOut() == nil)
                    await there.user(by: provider)
                    #expect(desk.timesAsked == 2, "\(provider)")
                }
            }
        }

        @Test("K288 a withdrawal logs out of all linked providers", arguments: Engine.ofDoors)
        func withdrawalLogsOut(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let desk = Desk("alice")
                let there = await game.at(desk)
                await there.user(by: kTCGBAuthFacebook)
                #expect(await there.map(kTCGBAuthGoogle).error == nil)
                #expect(desk.timesAsked == 2)
                #expect(await there.withdraw() == nil)
                await there.user(by: kTCGBAuthFacebook)
                #expect(await there.logOut() == nil)
                await there.user(by: kTCGBAuthGoogle)
                #expect(desk.timesAsked == 4)
            }
        }

        @Test("K289 a withdrawal leaves the game, and not the provider's account", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func account(engine: Engine) async throws {
            // The account at the provider stays in each case. By default the game's consent there is taken back.
            for keepsConsent in [false, true] {
                let setUp: @Sendable (LiveServer) async throws -> Void = { server in
                    guard keepsConsent else { return }
                    _ = try await server.run(ChangeAccountPolicy { $0.consent = .never })
                }
                try await Game.play(on: engine, setUp: setUp) { game in
                    let subject = game.server.idps.subject(of: "alice", at: .facebook)
                    let user = await game.user(by: kTCGBAuthFacebook)
                    #expect(await game.withdraw() == nil)
                    try await game.server.runJobs()
                    #expect(game.server.idps.revoked.isEmpty == keepsConsent)
                    #expect(await game.user(by: kTCGBAuthFacebook) != user)
                    #expect(TCGBGamebase.authProviderUserID(withIDPCode: kTCGBAuthFacebook) == subject)
                }
            }
        }
    }
}
