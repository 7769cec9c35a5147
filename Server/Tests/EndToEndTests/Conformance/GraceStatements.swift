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

        @Test("K779 a withdrawal can have a grace period instead of being at once", arguments: Engine.ofDoors)
        func request(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                let info = try #require(await game.requestWithdrawal().value)
                #expect(abs(info.gracePeriodDate - Self.now - 7 * Self.day) < Self.day)
                #expect(await game.logOut() == nil)
                #expect(await game.user(by: kTCGBAuthGoogle) == user)
            }
        }

        @Test("K781 the operator sets how long it is", arguments: Engine.ofDoors)
        func graceDays(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                _ = try await $0.run(ChangeAccountPolicy { $0.withdrawalGraceDays = 21 })
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                await game.user(by: kTCGBAuthGoogle)
                let info = try #require(await game.requestWithdrawal().value)
                #expect(abs(info.gracePeriodDate - Self.now - 21 * Self.day) < Self.day)
            }
        }

        @Test("K786 withdraw is at once, also during the grace period", arguments: Engine.ofDoors)
        func atOnce(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                #expect(await game.requestWithdrawal().error == nil)
                #expect(await game.withdraw() == nil)
                #expect(await game.user(by: kTCGBAuthGoogle) != user)
            }
        }

        @Test(
            "K788 each login tells of the pending withdrawal: getTemporaryWithdrawalInfo", arguments: Engine.ofDoors)
        func informationAtLogin(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                let date = try #require(await game.requestWithdrawal().value?.gracePeriodDate)
                await game.begin()
                let login = try #require(await game.logInAgain().value)
                #expect(login.tcgbMember.temporaryWithdrawal?.gracePeriodDate == date)
                #expect(login.getTemporaryWithdrawalInfo()?.gracePeriodDate == date)
            }
        }

        @Test("K793 at the end of the period it happens by itself", arguments: Engine.ofDoors)
        func end(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                #expect(await game.requestWithdrawal().error == nil)
                try await game.server.advance(days: 8)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO)
                #expect(await game.user(by: kTCGBAuthGoogle) != user)
            }
        }

        @Test(
            "K798 requestTemporaryWithdrawalWithViewController:completion: brings the end of the period",
            arguments: Engine.ofDoors)
        func requestExample(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(
                    await game.example { $0.testRequestWithdraw() }
                        .hasPrefix("Request temporary withdrawal success. "))
            }
        }

        @Test("K805 a second request ends with 3602", arguments: Engine.ofDoors)
        func secondRequest(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.requestWithdrawal().error == nil)
                #expect(await game.requestWithdrawal().code == TCGB_ERROR_AUTH_WITHDRAW_ALREADY_TEMPORARY_WITHDRAW)
                #expect(
                    await game.example { $0.testRequestWithdraw() }
                        == "Already requested temporary withdrawal before.")
            }
        }

        @Test(
            "K829 after every kind of login tcgbMember.temporaryWithdrawal is there while it pends",
            arguments: Engine.ofDoors)
        func afterLogin(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthAppleID)
                #expect(await game.map(kTCGBAuthFacebook).error == nil)
                let date = try #require(await game.requestWithdrawal().value?.gracePeriodDate)
                #expect(await game.logOut() == nil)
                #expect(await game.example { $0.testLogin() } == "under temporary withdrawal \(date)")
                #expect(await game.logOut() == nil)
                let login = await game.logIn(credential: game.credential(kTCGBAuthFacebook))
                #expect(login.value?.tcgbMember.temporaryWithdrawal?.gracePeriodDate == date)
                #expect(await game.cancelWithdrawal() == nil)
                #expect(await game.logOut() == nil)
                #expect(await game.example { $0.testLogin() } == "Login Success")
            }
        }

        @Test("K857 a pending withdrawal is cancelled, and not after its end", arguments: Engine.ofDoors)
        func cancel(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                #expect(await game.requestWithdrawal().error == nil)
                #expect(
                    await game.example { $0.testCancelWithdraw() } == "Cancel temporary withdrawal success.")
                try await game.server.advance(days: 8)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == user)
                #expect(await game.requestWithdrawal().error == nil)
                try await game.server.advance(days: 8)
                #expect(await game.cancelWithdrawal()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
            }
        }

        @Test("K870 cancelling nothing ends with 3603", arguments: Engine.ofDoors)
        func cancelNothing(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.cancelWithdrawal()?.code == TCGB_ERROR_AUTH_WITHDRAW_NOT_TEMPORARY_WITHDRAW)
            }
        }

        @Test("K894 withdrawImmediately takes no notice of the period", arguments: Engine.ofDoors)
        func immediately(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGoogle)
                #expect(await game.requestWithdrawal().error == nil)
                #expect(await game.example { $0.testWithdrawImmediately() } == "Withdraw success.")
                #expect(TCGBGamebase.userID() == nil)
                #expect(await game.user(by: kTCGBAuthGoogle) != user)
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
            "K923 whoever would be banned for abuse of payments plays on for a time first", arguments: Engine.ofDoors)
        func graceBan(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = try await Self.register(game)
                let login = await game.logIn(kTCGBAuthAppleID)
                #expect(login.value?.tcgbMember.userId == user)
                #expect(login.value?.tcgbMember.graceBanInfo != nil)
                #expect(await game.isValid(TCGBGamebase.accessToken()))
                #expect(await game.queryTransfer().code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                // It is not for ever.
                try await game.server.advance(days: 2)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_BANNED_MEMBER)
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

        @Test("K926 otherwise the player is banned", arguments: Engine.ofDoors)
        func conditionsNotMet(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                _ = try await Self.register(game)
                try await game.server.advance(days: 2)
                await game.begin()
                #expect(await game.logIn(kTCGBAuthAppleID).code == TCGB_ERROR_BANNED_MEMBER)
            }
        }

        @Test("K927 each login tells of the grace ban: tcgbMember.graceBanInfo", arguments: Engine.ofDoors)
        func informationOfGraceBan(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(await game.example { $0.testGraceBanInfo() } == "Login Success")
                #expect(await game.logOut() == nil)
                _ = try await Self.register(game)
                #expect(await game.logIn(kTCGBAuthAppleID).value?.tcgbMember.graceBanInfo != nil)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.graceBanInfo != nil)
            }
        }

        @Test("K942 its parts are those of the example", arguments: Engine.ofDoors)
        func partsOfGraceBan(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = try await Self.register(game)
                try await game.server.pay(100, "KRW", by: UserID(user))
                #expect(
                    await game.example { $0.testGraceBanInfo() }
                        == "true Pay by tomorrow: 결제 100.0 1 4900.5 2 KRW AND")
                let other = await game.onNewDevice("bob")
                _ = try await Self.register(other, amount: 1, count: 3, condition: .or)
                #expect(await game.example { $0.testGraceBanInfo() }.hasSuffix("1.0 3 KRW OR"))
            }
        }
    }
}
