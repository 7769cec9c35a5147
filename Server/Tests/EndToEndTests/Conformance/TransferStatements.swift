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
    /// The guides' chapter on the transfer account, and the oldest guide's on the transfer key.
    @Suite @MainActor struct TransferStatements {
        /// A guest on this device with a transfer account.
        private static func issued(_ game: Game) async throws -> (user: String, id: String, password: String) {
            let user = await game.user(by: kTCGBAuthGuest)
            let account = try #require(await game.issueTransfer().value?.account)
            return (user, account.accountId, try #require(account.accountPassword))
        }

        @Test(
            "K651 K661 K675 K695 K712 a guest's transfer account is issued, queried and renewed; 9 for every other login",
            arguments: Engine.ofDoors)
        func issue(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.issueTransfer().code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                #expect(await game.logOut() == nil)
                await game.user(by: kTCGBAuthGuest)
                let info = try #require(await game.issueTransfer().value)
                #expect(info.issuedType == "AUTO")
                let (id, password) = (info.account.accountId, try #require(info.account.accountPassword))
                #expect(id.count >= 8)
                #expect(!password.isEmpty)
                await game.begin()
                #expect(await game.logInAgain().error == nil)
                let found = try #require(await game.queryTransfer().value)
                #expect(found.account.accountId == id)
                // Only its hash is stored, so nobody can read it again.
                #expect(found.account.accountPassword == nil)
                #expect(found.condition.transferAccountType == "ONCE")

                // The words of the guide's example are no id and no password of the policy.
                let error = try #require(
                    await game.renewTransfer(
                        .manualRenewConfiguration(accountId: "ID", accountPassword: "PASSWORD")
                    ).error)
                #expect(error.code == TCGB_ERROR_INVALID_PARAMETER)
                #expect(error.message.contains("12"))
                let renewed = try #require(
                    await game.renewTransfer(.autoRenewConfiguration(renewalTarget: .password)).value?.account)
                #expect(renewed.accountId == id)
                #expect(renewed.accountPassword != password)
                let both = try #require(
                    await game.renewTransfer(.autoRenewConfiguration(renewalTarget: .idPassword)).value?.account)
                #expect(both.accountId != id)
                let manual = await game.renewTransfer(
                    .manualRenewConfiguration(accountPassword: "aB3aB3aB3x"))
                #expect(manual.value?.account.accountId == both.accountId)
                #expect(manual.value?.issuedType == "MANUAL")
                #expect(await game.onNewDevice().redeem(both.accountId, "aB3aB3aB3x").error == nil)
            }
        }

        @Test("K708 the renewal's configurations have the guides' names")
        func configurations() {
            let target = TCGBTransferAccountRenewalTargetTypeIdPassword
            let automatic = TCGBTransferAccountRenewConfiguration.autoRenewConfiguration(renewalTarget: target)
            #expect(automatic.renewalMode == TCGBTransferAccountRenewalModeTypeAuto)
            #expect(automatic.renewalTarget == target)
            let manual = TCGBTransferAccountRenewConfiguration.manualRenewConfiguration(
                accountId: "ID", accountPassword: "PASSWORD")
            #expect(manual.renewalMode == TCGBTransferAccountRenewalModeTypeManual)
            #expect((manual.accountId, manual.accountPassword) == ("ID", "PASSWORD"))
        }

        @Test(
            "K644 K652 K653 K732b K733 K737 O607 a transfer account moves a guest to another device, whose own guest is lost",
            arguments: Engine.ofDoors)
        func redeem(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (user, id, password) = try await Self.issued(game)
                let fresh = await game.onNewDevice()
                await fresh.user(by: kTCGBAuthGoogle)
                #expect(await fresh.redeem(id, password).code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                #expect(await fresh.logOut() == nil)
                let lost = await fresh.user(by: kTCGBAuthGuest)
                let token = TCGBGamebase.accessToken()
                #expect(await fresh.redeem(id, password).value?.tcgbMember.userId == user)
                #expect(TCGBGamebase.userID() == user)
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGuest)
                #expect(await !fresh.isValid(token))
                // An operator can restore it.
                let member = try await fresh.server.run(ReadMemberReport(user: UserID(lost))).member
                #expect(member.status == .missing)
                await fresh.begin()
                #expect(await fresh.logInAgain().value?.tcgbMember.userId == user)
                #expect(await fresh.logOut() == nil)
                #expect(await fresh.user(by: kTCGBAuthGuest) == user)

                // A guest with another provider can't be moved any more.
                let second = try #require(await fresh.issueTransfer().value?.account)
                #expect(await fresh.map(kTCGBAuthFacebook).value?.tcgbMember.userId == user)
                #expect(await fresh.issueTransfer().code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                let moved = await game.onNewDevice().redeem(second.accountId, second.accountPassword ?? "")
                #expect(moved.code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                await game.begin()
                #expect(await game.user(by: kTCGBAuthGuest) != user)
            }
        }

        @Test(
            "K738 K739 E738 wrong ids and passwords in a row end with 3042, for a time that the error has",
            arguments: Engine.ofDoors)
        func block(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (user, id, password) = try await Self.issued(game)
                let fresh = await game.onNewDevice()
                for _ in 0..<5 {
                    #expect(
                        await fresh.redeem(id, "wrongWRONG1").code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_INVALID_PASSWORD)
                }
                let blocked = try #require(await fresh.redeem(id, password).error)
                #expect(blocked.code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_BLOCK)
                let info = try #require(TCGBTransferAccountFailInfo.transferAccountFailInfo(from: blocked))
                #expect(info.accountId == id)
                #expect(info.failCount == 5)
                #expect(Double(info.blockEndDate) > Date().timeIntervalSince1970 * 1_000)
                try await fresh.server.advance(days: 2)
                await fresh.begin()
                #expect(await fresh.redeem(id, password).value?.tcgbMember.userId == user)
                // Wrong ids count like wrong passwords.
                let guesser = await game.onNewDevice()
                for number in 1...5 {
                    #expect(
                        await guesser.redeem("00000000000\(number)", "wrongWRONG1").code
                            == TCGB_ERROR_AUTH_TRANSFERACCOUNT_INVALID_ID)
                }
                let error = try #require(await guesser.redeem("000000000006", "wrongWRONG1").error)
                #expect(error.code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_BLOCK)
                #expect(TCGBTransferAccountFailInfo.transferAccountFailInfo(from: error)?.failCount == 5)
            }
        }

        // MARK: The transfer key

        /// An app that moves guests only by keys.
        private static let withoutTransferAccounts: @Sendable (LiveServer) async throws -> Void = {
            _ = try await $0.run(ChangeAccountPolicy { $0.transfer = nil })
        }

        /// The results of the oldest guide's calls.
        @available(*, deprecated)
        private static func key(_ seconds: Int) async -> Answer<TCGBTransferKeyInfo> {
            await ended { done in
                TCGBGamebase.issueTransferKey(expiresIn: seconds) { done(Answer(value: $0, error: $1)) }
            }
        }

        @available(*, deprecated)
        private static func redeem(_ key: String) async -> Answer<TCGBAuthToken> {
            await ended { done in
                TCGBGamebase.requestTransfer(transferKey: key) { done(Answer(value: $0, error: $1)) }
            }
        }

        @Test(
            "O540 O541 O547 O548 O549 O570 a transfer key has eight letters and two dates, and moves guests without another provider",
            arguments: Engine.ofDoors)
        @available(*, deprecated)
        func key(engine: Engine) async throws {
            try await Game.play(on: engine, setUp: Self.withoutTransferAccounts) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await Self.key(3_600).code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                #expect(await game.logOut() == nil)
                let user = await game.user(by: kTCGBAuthGuest)
                #expect(await game.issueTransfer().code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_CONSOLE_NO_CONDITION)
                let issued = try #require(await Self.key(3_600).value)
                #expect(abs(Double(issued.regDate) - Date().timeIntervalSince1970 * 1_000) < 86_400_000)
                #expect(issued.legDate == issued.regDate)
                #expect(issued.expireDate == issued.regDate + 3_600_000)
                var key = issued.transferKey
                #expect(key.count == 8)
                #expect(key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
                #expect(key.contains { $0.isLowercase })
                #expect(key.contains { $0.isUppercase })
                #expect(key.contains { $0.isNumber })

                let fresh = await game.onNewDevice()
                await fresh.user(by: kTCGBAuthGoogle)
                #expect(await Self.redeem(key).code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                #expect(await fresh.logOut() == nil)
                // Nothing of it is used up.
                #expect(await Self.redeem(key).value?.tcgbMember.userId == user)
                key = try #require(await Self.key(3_600).value?.transferKey)
                let third = await game.onNewDevice()
                #expect(await third.user(by: kTCGBAuthGuest) != user)
                #expect(await Self.redeem(key).value?.tcgbMember.userId == user)
            }
        }

        @Test(
            "O606 O608 8, 3031, 3032, 3033: a transfer key of the device itself, that has expired, is used, or is not there",
            arguments: Engine.ofDoors)
        @available(*, deprecated)
        func transferKeys(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let example = "Transfer Occur Error => "
                await game.user(by: kTCGBAuthGuest)
                let seed = SeedGame()
                _ = await game.example(seed) { ($0 as any OldExamples).issueTransferKeyToTransfer() }
                let own = await game.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                #expect(own == example + "\(TCGB_ERROR_SAME_REQUESTOR)")
                let fresh = await game.onNewDevice()
                try await game.server.advance(days: 1)
                await fresh.begin()
                let expired = await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                #expect(expired == example + "\(TCGB_ERROR_AUTH_TRANSFERKEY_EXPIRED)")
                seed.transferKey = "aB3dE5gH"
                let missing = await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                #expect(missing == example + "\(TCGB_ERROR_AUTH_TRANSFERKEY_NOT_EXIST)")
                await game.begin()
                await game.user(by: kTCGBAuthGuest)
                _ = await game.example(seed) { ($0 as any OldExamples).issueTransferKeyToTransfer() }
                await fresh.begin()
                #expect(
                    await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                        .hasSuffix("[\"guest\"]"))
                #expect(
                    await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                        == example + "\(TCGB_ERROR_AUTH_TRANSFERKEY_CONSUMED)")
            }
        }
    }
}
