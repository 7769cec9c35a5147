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
        private static let day: Int64 = 86_400_000

        @Test(
            "K779 K788 K805 K829 K857 K870 K996 a withdrawal has a grace period, of which every login tells, and can be cancelled",
            arguments: Engine.ofDoors)
        func request(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthAppleID)
                #expect(await game.map(kTCGBAuthFacebook).error == nil)
                #expect(await game.cancelWithdrawal()?.code == TCGB_ERROR_AUTH_WITHDRAW_NOT_TEMPORARY_WITHDRAW)
                let begin = game.server.milliseconds
                let date = try #require(await game.requestWithdrawal().value?.gracePeriodDate)
                #expect(game.server.isTime(date, plus: 7 * Self.day, since: begin), "\(date)")
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
                let (changed, moved) = try await Self.otherLogins(game)
                #expect(changed.tcgbMember.userId == user)
                #expect(changed.tcgbMember.temporaryWithdrawal?.gracePeriodDate == date)
                #expect(moved.token.tcgbMember.temporaryWithdrawal?.gracePeriodDate == moved.date)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.temporaryWithdrawal?.gracePeriodDate == date)
                #expect(await game.example { $0.testCancelWithdraw() } == "Cancel temporary withdrawal success.")
                #expect(await game.logOut() == nil)
                #expect(await game.example { $0.testLogin() } == "Login Success")
                try await game.server.advance(days: 8)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.userId == user)
            }
        }

        /// Logins of members whose withdrawals are pending: with the ticket of a conflict, and with a transfer account.
        private static func otherLogins(
            _ game: Game
        ) async throws -> (changed: TCGBAuthToken, moved: (token: TCGBAuthToken, date: Int)) {
            let other = await game.onNewDevice()
            await other.user(by: kTCGBAuthGuest)
            let conflict = try #require(await other.map(kTCGBAuthFacebook).error)
            let ticket = try #require(TCGBForcingMappingTicket.forcingMappingTicket(fromError: conflict))
            let changed = try #require(await other.changeLogin(ticket).value)

            let old = await game.onNewDevice()
            await old.user(by: kTCGBAuthGuest)
            let date = try #require(await old.requestWithdrawal().value?.gracePeriodDate)
            let account = try #require(await old.issueTransfer().value?.account)
            let new = await game.onNewDevice()
            let moved = try #require(await new.redeem(account.accountId, account.accountPassword ?? "").value)
            return (changed, (moved, date))
        }

        @Test(
            "K781 K786 K793 K894 at the end of the period, which the operator sets, it happens by itself, and before at once on request",
            arguments: Engine.ofDoors)
        func end(engine: Engine) async throws {
            let setUp: @Sendable (LiveServer) async throws -> Void = {
                _ = try await $0.run(SetAccountPolicy { $0.withdrawalGraceDays = 10 })
            }
            try await Game.play(on: engine, setUp: setUp) { game in
                var users: Set<String> = [await game.user(by: kTCGBAuthGoogle)]
                #expect(await game.requestWithdrawal().error == nil)
                #expect(await game.withdraw() == nil)
                users.insert(await game.user(by: kTCGBAuthGoogle))
                #expect(await game.requestWithdrawal().error == nil)
                #expect(await game.example { $0.testWithdrawImmediately() } == "Withdraw success.")
                #expect(TCGBGamebase.userID() == nil)
                let last = await game.user(by: kTCGBAuthGoogle)
                users.insert(last)
                let begin = game.server.milliseconds
                let date = try #require(await game.requestWithdrawal().value?.gracePeriodDate)
                #expect(game.server.isTime(date, plus: 10 * Self.day, since: begin), "\(date)")
                // An hour before the end nothing has happened.
                try await game.server.advance(to: date - 3_600_000)
                await game.begin()
                #expect(await game.logInAgain().value?.tcgbMember.temporaryWithdrawal?.gracePeriodDate == date)
                try await game.server.advance(to: date)
                #expect(await game.cancelWithdrawal()?.code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                await game.begin()
                #expect(await game.logInAgain().code == TCGB_ERROR_AUTH_TOKEN_LOGIN_INVALID_TOKEN_INFO)
                users.insert(await game.user(by: kTCGBAuthGoogle))
                #expect(users.count == 4)
                let member = try await game.server.run(.memberReport(of: UserID(last))).member
                #expect(member.status == .withdrawn)
            }
        }

        // MARK: Grace ban

        /// What the player reads. Without the percent-encoding that the guide's example removes, there is no text.
        private static let message = "Pay 50% by tomorrow: 결제"

        /// A player under a grace ban that requires payments, and the end of the grace period.
        private static func register(
            _ game: Game, amount: Double = 4_900.5, count: Int = 2, condition: ConditionType = .and
        ) async throws -> (user: String, end: Int64) {
            let user = await game.user(by: kTCGBAuthAppleID)
            #expect(await game.logOut() == nil)
            let end = game.server.milliseconds + day
            try await game.server.registerGraceBan(
                GraceBan(
                    gracePeriodDate: end, message: message,
                    paymentStatus: PaymentStatus(amount: 0, count: 0, currency: "KRW"),
                    releaseRuleCondition: ReleaseRuleCondition(
                        amount: amount, count: count, currency: "KRW", conditionType: condition)),
                of: UserID(user))
            return (user, end)
        }

        @Test(
            "K923 K926 K927 K942 whoever would be banned for abuse of payments plays on for a time, told at each login",
            arguments: Engine.ofDoors)
        func graceBan(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let other = await game.onNewDevice("bob")
                let (_, othersEnd) = try await Self.register(other, amount: 1, count: 3, condition: .or)
                #expect(
                    await game.example { $0.testGraceBanInfo() } == "\(othersEnd) \(Self.message) 0.0 0 1.0 3 KRW OR")

                await game.begin()
                #expect(await game.example { $0.testGraceBanInfo() } == "Login Success")
                #expect(await game.logOut() == nil)
                let (user, end) = try await Self.register(game)
                // The amount is paid, and the number of payments is not reached.
                try await game.server.pay(4_900.5, "KRW", by: UserID(user))
                #expect(
                    await game.example { $0.testGraceBanInfo() }
                        == "\(end) \(Self.message) 4900.5 1 4900.5 2 KRW AND")
                #expect(TCGBGamebase.userID() == user)
                #expect(await game.isValid(TCGBGamebase.accessToken()))
                #expect(await game.queryTransfer().code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                await game.begin()
                let again = try #require(await game.logInAgain().value?.tcgbMember.graceBanInfo)
                #expect(again.gracePeriodDate == end)
                #expect(again.message == "Pay%2050%25%20by%20tomorrow%3A%20%EA%B2%B0%EC%A0%9C")
                #expect(await game.logOut() == nil)
                let login = await game.logIn(credential: try game.appleCredential())
                #expect(login.value?.tcgbMember.graceBanInfo == again)
                // It is not for ever.
                try await game.server.advance(to: end)
                await game.begin()
                let error = try #require(await game.logInAgain().error)
                #expect(error.code == TCGB_ERROR_BANNED_MEMBER)
                let ban = try #require(TCGBBanInfo.banInfo(fromError: error))
                #expect((ban.userId, ban.banType, ban.message) == (user, "PERMANENT", Self.message))
                #expect(await game.logIn(kTCGBAuthAppleID).code == TCGB_ERROR_BANNED_MEMBER)
            }
        }

        @Test("K925 with all conditions met in time the player plays on", arguments: Engine.ofDoors)
        func conditionsMet(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (user, end) = try await Self.register(game, amount: 5_000, count: 2)
                try await game.server.pay(4_999, "KRW", by: UserID(user), as: "first")
                let login = await game.logIn(kTCGBAuthAppleID)
                #expect(login.value?.tcgbMember.graceBanInfo?.gracePeriodDate == end)
                try await game.server.pay(1, "KRW", by: UserID(user), as: "second")
                try await game.server.advance(to: end)
                await game.begin()
                let again = await game.logInAgain()
                #expect(again.value?.tcgbMember.userId == user)
                #expect(again.value?.tcgbMember.graceBanInfo == nil)
            }
        }
    }
}
