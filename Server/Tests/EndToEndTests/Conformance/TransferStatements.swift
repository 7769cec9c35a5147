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

        @Test("K644 a transfer account moves a guest to another device", arguments: Engine.ofDoors)
        func moves(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (user, id, password) = try await Self.issued(game)
                let fresh = await game.onNewDevice()
                #expect(await fresh.redeem(id, password).value?.tcgbMember.userId == user)
                #expect(TCGBGamebase.userID() == user)
            }
        }

        @Test("K651 it is issued to a guest alone: 9 for every other login", arguments: Engine.ofDoors)
        func issuedToGuests(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                #expect(await game.issueTransfer().code == TCGB_ERROR_NOT_LOGGED_IN)
                await game.user(by: kTCGBAuthGoogle)
                #expect(await game.issueTransfer().code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
            }
        }

        @Test("K652 it is redeemed by a guest or without a login: 9 for every other login", arguments: Engine.ofDoors)
        func redeemedByGuests(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (user, id, password) = try await Self.issued(game)
                let fresh = await game.onNewDevice()
                await fresh.user(by: kTCGBAuthGoogle)
                #expect(await fresh.redeem(id, password).code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                #expect(await fresh.logOut() == nil)
                await fresh.user(by: kTCGBAuthGuest)
                #expect(await fresh.redeem(id, password).value?.tcgbMember.userId == user)
            }
        }

        @Test("K653 a guest who has mapped another provider can't be moved: 9", arguments: Engine.ofDoors)
        func mappedGuest(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (_, id, password) = try await Self.issued(game)
                #expect(await game.map(kTCGBAuthGoogle).error == nil)
                #expect(await game.issueTransfer().code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                #expect(
                    await game.onNewDevice().redeem(id, password).code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
            }
        }

        @Test("K661 issueTransferAccountWithCompletion: brings an id and a password", arguments: Engine.ofDoors)
        func issue(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGuest)
                let info = try #require(await game.issueTransfer().value)
                #expect(info.issuedType == "AUTO")
                #expect(info.account.accountId.count >= 8)
                #expect(info.account.accountPassword?.isEmpty == false)
            }
        }

        @Test("K675 queryTransferAccountWithCompletion: tells the account that was issued", arguments: Engine.ofDoors)
        func query(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (_, id, _) = try await Self.issued(game)
                await game.begin()
                #expect(await game.logInAgain().error == nil)
                let found = try #require(await game.queryTransfer().value)
                #expect(found.account.accountId == id)
                // Only its hash is stored, so nobody can read it again.
                #expect(found.account.accountPassword == nil)
                #expect(found.condition.transferAccountType == "ONCE")
            }
        }

        @Test(
            "K695 it is renewed automatically or by hand, the password alone or with the id",
            arguments: Engine.ofDoors)
        func renew(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (_, id, password) = try await Self.issued(game)
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

        @Test("K716 transferAccount.account has accountId and accountPassword", arguments: Engine.ofDoors)
        func account(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGuest)
                let seed = SeedGame()
                _ = await game.example(seed) { $0.issueTransferAccount() }
                #expect(!seed.account.id.isEmpty && !seed.account.password.isEmpty)
                #expect(
                    await game.example(seed) { $0.renewTransferAccount(manually: false) }
                        == "Renewing TransferAccount success.")
            }
        }

        @Test(
            "K746 transferAccountWithIdPLoginWithAccountId:accountPassword:completion: logs in",
            arguments: Engine.ofDoors)
        func redeem(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (user, id, password) = try await Self.issued(game)
                let fresh = await game.onNewDevice()
                let seed = SeedGame()
                seed.account = (id, password)
                #expect(
                    await fresh.example(seed) { $0.transferOtherDevice() } == "Transfering Account success. \(user)")
                #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGuest)
                await fresh.begin()
                #expect(await fresh.logInAgain().value?.tcgbMember.userId == user)
            }
        }

        @Test("K732a the old device is told that the transfer is complete", arguments: Engine.ofDoors)
        func oldDeviceIsTold(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (_, id, password) = try await Self.issued(game)
                let ears = Ears()
                let other = game.server.device("other")
                try await other.start()
                _ = try await other.redeemTransferAccount(id: id, password: TransferPassword(password))
                #expect(await game.queryTransfer().code == TCGB_ERROR_AUTH_INVALID_GAMEBASE_TOKEN)
                let event = await ears.next()
                #expect(event.category == "serverPushTransferKickout")
                let push = TCGBGamebaseEventServerPushData.gamebaseEventServerPushData(jsonString: event.data)
                let messages = push.popup?["messages"] as? [String: Any]
                // The text is under the language of the device, which is the machine's own.
                let language = try #require(push.popup?["defaultLanguage"] as? String)
                let message = (messages?[language] as? [String: Any])?["message"] as? String
                #expect(message == "The transfer is complete: your account has moved to another device.")
            }
        }

        @Test("K732b the old device's next guest is a new account", arguments: Engine.ofDoors)
        func oldDevicesNextGuest(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (user, id, password) = try await Self.issued(game)
                #expect(await game.onNewDevice().redeem(id, password).error == nil)
                await game.begin()
                #expect(await game.user(by: kTCGBAuthGuest) != user)
            }
        }

        @Test("K733 the new device goes on with the guest", arguments: Engine.ofDoors)
        func newDevice(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (user, id, password) = try await Self.issued(game)
                let fresh = await game.onNewDevice()
                #expect(await fresh.redeem(id, password).error == nil)
                #expect(await fresh.logOut() == nil)
                #expect(await fresh.user(by: kTCGBAuthGuest) == user)
                #expect(await fresh.map(kTCGBAuthGoogle).value?.tcgbMember.userId == user)
            }
        }

        @Test("K737 the guest who was on the new device is lost", arguments: Engine.ofDoors)
        func formerGuest(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (user, id, password) = try await Self.issued(game)
                let fresh = await game.onNewDevice()
                let lost = await fresh.user(by: kTCGBAuthGuest)
                let token = TCGBGamebase.accessToken()
                #expect(await fresh.redeem(id, password).value?.tcgbMember.userId == user)
                let isValid = await fresh.isValid(token)
                #expect(!isValid)
                #expect(await fresh.logOut() == nil)
                #expect(await fresh.user(by: kTCGBAuthGuest) == user)
                // An operator can restore it.
                let member = try await fresh.server.run(ReadMemberReport(user: UserID(lost))).member
                #expect(member.status == .missing)
            }
        }

        @Test("K738 wrong ids and passwords in a row end with 3042, for a time", arguments: Engine.ofDoors)
        func block(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (user, id, password) = try await Self.issued(game)
                let fresh = await game.onNewDevice()
                for _ in 0..<5 {
                    #expect(
                        await fresh.redeem(id, "wrongWRONG1").code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_INVALID_PASSWORD)
                }
                #expect(await fresh.redeem(id, password).code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_BLOCK)
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

        @Test(
            "K739 the block is in the error: the id, the count and the end in milliseconds", arguments: Engine.ofDoors
        )
        func failInfo(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (_, id, _) = try await Self.issued(game)
                let fresh = await game.onNewDevice()
                for _ in 0..<5 { _ = await fresh.redeem(id, "wrongWRONG1") }
                let error = try #require(await fresh.redeem(id, "wrongWRONG1").error)
                let info = try #require(TCGBTransferAccountFailInfo.transferAccountFailInfo(from: error))
                #expect(info.accountId == id)
                #expect(info.failCount == 5)
                #expect(Double(info.blockEndDate) > Date().timeIntervalSince1970 * 1_000)
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
            "O547 issueTransferKeyWithExpiresIn: takes seconds, and needs nothing but its own switch",
            arguments: Engine.ofDoors)
        @available(*, deprecated)
        func issueKey(engine: Engine) async throws {
            try await Game.play(on: engine, setUp: Self.withoutTransferAccounts) { game in
                await game.user(by: kTCGBAuthGuest)
                let key = try #require(await Self.key(3_600).value)
                #expect(key.expireDate - key.regDate == 3_600_000)
                #expect(await game.issueTransfer().code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_CONSOLE_NO_CONDITION)
            }
        }

        @Test("O540 a key is for guests without another provider: 9", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func keyForGuests(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGoogle)
                #expect(await Self.key(3_600).code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
            }
        }

        @Test(
            "O541 a key is redeemed by a guest or without a login: 9 for every other login", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func keyRedeemedByGuests(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGuest)
                var key = try #require(await Self.key(3_600).value?.transferKey)
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

        @Test("O548 a key has eight letters: lower case, upper case and digits", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func keyForm(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGuest)
                let key = try #require(await Self.key(3_600).value?.transferKey)
                #expect(key.count == 8)
                #expect(key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
                #expect(key.contains { $0.isLowercase })
                #expect(key.contains { $0.isUppercase })
                #expect(key.contains { $0.isNumber })
            }
        }

        @Test("O549 the key comes with its two dates since 1970", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func keyDates(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                await game.user(by: kTCGBAuthGuest)
                let key = try #require(await Self.key(60).value)
                #expect(abs(Double(key.regDate) - Date().timeIntervalSince1970 * 1_000) < 86_400_000)
                #expect(key.legDate == key.regDate)
                #expect(key.expireDate == key.regDate + 60_000)
            }
        }

        @Test(
            "O570 requestTransferWithTransferKey: goes on with the guest on another device", arguments: Engine.ofDoors
        )
        @available(*, deprecated)
        func redeemKey(engine: Engine) async throws {
            try await Game.play(on: engine, setUp: Self.withoutTransferAccounts) { game in
                let user = await game.user(by: kTCGBAuthGuest)
                let key = try #require(await Self.key(3_600).value?.transferKey)
                await game.onNewDevice().begin()
                #expect(await Self.redeem(key).value?.tcgbMember.userId == user)
            }
        }

        @Test("O582 its result is a login's, with the list of providers", arguments: Engine.ofDoors)
        @available(*, deprecated)
        func keyResult(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let user = await game.user(by: kTCGBAuthGuest)
                let seed = SeedGame()
                _ = await game.example(seed) { ($0 as any OldExamples).issueTransferKeyToTransfer() }
                let fresh = await game.onNewDevice()
                #expect(
                    await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                        == "\(user) [\"guest\"]")
                #expect(await fresh.isValid(TCGBGamebase.accessToken()))
            }
        }

        @Test(
            "K712 the example of a renewal by hand: its words are refused with what the policy takes",
            arguments: Engine.ofDoors)
        func manualRenewal(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (_, id, _) = try await Self.issued(game)
                let error = try #require(
                    await game.renewTransfer(
                        .manualRenewConfiguration(accountId: "ID", accountPassword: "PASSWORD")
                    ).error)
                #expect(error.code == TCGB_ERROR_INVALID_PARAMETER)
                #expect(error.message.contains("12"))
                #expect(await game.queryTransfer().value?.account.accountId == id)
                #expect(
                    await game.example { $0.renewTransferAccount(manually: true) }
                        == "Renewing TransferAccount success.")
            }
        }
    }
}
