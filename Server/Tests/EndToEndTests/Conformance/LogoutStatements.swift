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

        @Test(
            "K286 K287 K293 K300 a withdrawal deletes the member, and each account logs in as a new player",
            arguments: Engine.ofDoors)
        func withdraw(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthFacebook)
                #expect(await game.map(kTCGBAuthGoogle).error == nil)
                let token = TCGBGamebase.accessToken()
                #expect(await game.example { $0.authWithdrawal() } == "To Withdrawal Succeeded")
                #expect(TCGBGamebase.userID() == nil)
                #expect(TCGBGamebase.lastLoggedInProvider() == nil)
                #expect(await !game.isValid(token))
                let member = try await game.server.run(.memberReport(of: UserID(user))).member
                #expect(member.status == .withdrawn)
                #expect(member.mappings.isEmpty)
                let second = await game.user(by: kTCGBAuthGuest)
                #expect(await game.map(kTCGBAuthGoogle).value?.tcgbMember.userId == second)
                #expect(await game.logOut() == nil)
                let third = await game.user(by: kTCGBAuthFacebook)
                #expect(Set([user, second, third]).count == 3)
            }
        }

        @Test("K289 a withdrawal leaves the game, and not the provider's account", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func account(engine: Engine) async throws {
            // The account at the provider stays in each case. By default the game's consent there is taken back.
            for keepsConsent in [false, true] {
                let setUp: @Sendable (LiveServer) async throws -> Void = { server in
                    guard keepsConsent else { return }
                    _ = try await server.run(SetAccountPolicy { $0.consent = .never })
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
