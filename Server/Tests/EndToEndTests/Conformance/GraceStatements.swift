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
    /// The guides' chapters on the withdrawal with a grace period, and on the grace ban.
    @Suite @MainActor struct GraceStatements {
        private static let day = 86_400_000

        private static var now: Int { Int(Date().timeIntervalSince1970 * 1_000) }

        @Test(
            "K779 K788 K805 K829 K857 K870 K996 a withdrawal has a grace period, of which every login tells, and can be cancelled",
            arguments: Engine.ofDoors)
        func request(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthAppleID)
                #expect(await game.map(kTCGBAuthFacebook).error == nil)
                #expect(await game.cancelWithdrawal()?.code == TCGB_ERROR_AUTH_WITHDRAW_NOT_TEMPORARY_WITHDRAW)
                let date = try #require(await game.requestWithdrawal().value?.gracePeriodDate)
                #expect(abs(date - Self.now - 7 * Self.day) < Self.day)
                #expect(await game.requestWithdrawal().code == TCGB_ERROR_AUTH_WITHDRAW_ALREADY_TEMPORARY_WITHDRAW)
                await game.begin()
                let login = try #require(await game.logInAgain().value)
                #expect(login.tcgbMember.temporaryWithdrawal?.gracePeriodDate == date)
                #expect(login.getTemporaryWithdrawalInfo()?.gracePeriodDate == date)
                #expect(await game.logOut() == nil)
                #expect(await game.example { $0.testLogin() } == "under temporary withdrawal \(date)")
                #expect(await game.logOut() == nil)
                let credential = await game.logIn(credential: game.credential(kTCGBAuthFacebook))
                #expect(credential.value?.tcgbMember.userId == user)
                #expect(credential.value?.tcgbMember.temporaryWithdrawal?.gracePeriodDate == date)
                #expect(await game.example { $0.testCancelWithdraw() } == "Cancel temporary withdrawal success.")
                #expect(await game.logOut() == nil)
                #expect(await game.example { $0.testLogin() } == "Login Success")
                try await game.server.advance(days: 8)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == user)
            }
        }

        @Test(
            "K781 K786 K793 K894 at the end of the period, which the operator sets, it happens by itself, and before at once on request",
            arguments: Engine.ofDoors)
        func end(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                _ = try await $0.run(ChangeAccountPolicy { $0.withdrawalGraceDays = 10 })
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                var users: Set<String> = [await game.user(by: kTCGBAuthGoogle)]
                #expect(await game.requestWithdrawal().error == nil)
                #expect(await game.withdraw() == nil)
                users.insert(await game.user(by: kTCGBAuthGoogle))
                #expect(await game.requestWithdrawal().error == nil)
                #expect(await game.example { $0.testWithdrawImmediately() } == "Withdraw success.")
                #expect(TCGBGamebase.userID() == nil)
                users.insert(await game.user(by: kTCGBAuthGoogle))
                let info = try #require(await game.requestWithdrawal().value)
                #expect(abs(info.gracePeriodDate - Self.now - 10 * Self.day) < Self.day)
                try await game.server.advance(days: 11)
                #expect(await game.cancelWithdrawal()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO)
                users.insert(await game.user(by: kTCGBAuthGoogle))
                #expect(users.count == 4)
            }
        }

        // MARK: Grace ban

        /// A player under a grace ban that requires payments.
        private static func register(
            _ game: Game, amount: Double = 4_900.5, count: Int = 2, condition: ConditionType = .and
        ) async throws -> String {
            let user = await game.user(by: kTCGBAuthAppleID)
            #expect(await game.logOut() == nil)
            try await game.server.registerGraceBan(
                GraceBan(
                    gracePeriodDate: Int64(now + day), message: "Pay by tomorrow: 결제",
                    paymentStatus: PaymentStatus(amount: 0, count: 0, currency: "KRW"),
                    releaseRuleCondition: ReleaseRuleCondition(
                        amount: amount, count: count, currency: "KRW", conditionType: condition)),
                of: UserID(user))
            return user
        }

        @Test(
            "K923 K926 K927 K942 whoever would be banned for abuse of payments plays on for a time, told at each login",
            arguments: Engine.ofDoors)
        func graceBan(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let other = await game.onNewDevice("bob")
                _ = try await Self.register(other, amount: 1, count: 3, condition: .or)
                #expect(await game.example { $0.testGraceBanInfo() }.hasSuffix("1.0 3 KRW OR"))

                await game.begin()
                #expect(await game.example { $0.testGraceBanInfo() } == "Login Success")
                #expect(await game.logOut() == nil)
                let user = try await Self.register(game)
                try await game.server.pay(100, "KRW", by: UserID(user))
                #expect(
                    await game.example { $0.testGraceBanInfo() }
                        == "true Pay by tomorrow: 결제 100.0 1 4900.5 2 KRW AND")
                #expect(TCGBGamebase.userID() == user)
                #expect(await game.isValid(TCGBGamebase.accessToken()))
                #expect(await game.queryTransfer().code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.graceBanInfo != nil)
                // It is not for ever.
                try await game.server.advance(days: 2)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_BANNED_MEMBER)
                #expect(await game.logIn(kTCGBAuthAppleID).code == TCGB_ERROR_BANNED_MEMBER)
            }
        }

        @Test("K925 with all conditions met in time the player plays on", arguments: Engine.ofDoors)
        func conditionsMet(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = try await Self.register(game, amount: 5_000, count: 1)
                try await game.server.pay(5_000, "KRW", by: UserID(user))
                try await game.server.advance(days: 2)
                await game.begin()
                let login = await game.logIn(kTCGBAuthAppleID)
                #expect(login.value?.tcgbMember.userId == user)
                #expect(login.value?.tcgbMember.graceBanInfo == nil)
            }
        }
    }
}
