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

        /// Logins that are no guest's.
        private static let providers = [kTCGBAuthGoogle, kTCGBAuthFacebook, kTCGBAuthAppleID]

        @Test(
            "K651 K661 K675 K695 K712 a guest's transfer account is issued, queried and renewed; 9 for every other login",
            arguments: Engine.ofDoors)
        func issue(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                for provider in Self.providers {
                    await game.user(by: provider)
                    #expect(await game.issueTransfer().code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS, "\(provider)")
                    #expect(await game.logOut() == nil)
                }
                let user = await game.user(by: kTCGBAuthGuest)
                let info = try #require(await game.issueTransfer().value)
                #expect(info.issuedType == "AUTO")
                let (id, password) = (info.account.accountId, try #require(info.account.accountPassword))
                #expect(id.contains(#/^[0-9]{12}$/#), "\(id)")
                #expect(password.contains(#/^[0-9A-Za-z]{10}$/#), "\(password)")
                await game.begin()
                #expect(await game.logInAgain().error == nil)
                let found = try #require(await game.queryTransfer().value)
                #expect(found.account.accountId == id)
                // Only its hash is stored, so nobody can read it again.
                #expect(found.account.accountPassword == nil)
                #expect((found.issuedType, found.condition.transferAccountType) == ("AUTO", "ONCE"))

                // The words of the guide's example are no id and no password of the policy.
                for (word, message) in [
                    ("ID", "An id has 12 to 64 letters, of digits, with at least one of each."),
                    (
                        "123412341234",
                        "A password has 10 to 64 letters, of digits, lower-case and upper-case letters, "
                            + "with at least one of each."
                    ),
                ] {
                    let words = TCGBTransferAccountRenewConfiguration.manualRenewConfiguration(
                        accountId: word, accountPassword: "PASSWORD")
                    let error = try #require(await game.renewTransfer(words).error)
                    #expect((error.code, error.message) == (TCGB_ERROR_INVALID_PARAMETER, message))
                }
                let renewed = try #require(
                    await game.renewTransfer(.autoRenewConfiguration(renewalTarget: .password)).value?.account)
                #expect(renewed.accountId == id)
                #expect(renewed.accountPassword != password)
                let both = try #require(
                    await game.renewTransfer(.autoRenewConfiguration(renewalTarget: .idPassword)).value?.account)
                #expect(both.accountId != id)
                #expect(both.accountPassword != renewed.accountPassword)
                let chosen = await game.renewTransfer(
                    .manualRenewConfiguration(accountId: "123412341234", accountPassword: "aB3aB3aB3x"))
                #expect(chosen.value?.account.accountId == "123412341234")
                #expect(chosen.value?.issuedType == "MANUAL")
                let manual = await game.renewTransfer(
                    .manualRenewConfiguration(accountPassword: "aB3aB3aB3y"))
                #expect(manual.value?.account.accountId == "123412341234")
                #expect(manual.value?.issuedType == "MANUAL")
                // What was renewed moves nobody.
                let fresh = await game.onNewDevice()
                #expect(
                    await fresh.redeem(both.accountId, both.accountPassword ?? "").code
                        == TCGB_ERROR_AUTH_TRANSFERACCOUNT_INVALID_ID)
                #expect(
                    await fresh.redeem("123412341234", "aB3aB3aB3x").code
                        == TCGB_ERROR_AUTH_TRANSFERACCOUNT_INVALID_PASSWORD)
                #expect(await fresh.redeem("123412341234", "aB3aB3aB3y").value?.tcgbMember.userId == user)
            }
        }

        @Test("K708 the renewal's configurations have the guides' names")
        func configurations() {
            for target in [
                TCGBTransferAccountRenewalTargetTypePassword, TCGBTransferAccountRenewalTargetTypeIdPassword,
            ] {
                let automatic = TCGBTransferAccountRenewConfiguration.autoRenewConfiguration(renewalTarget: target)
                #expect(automatic.renewalMode == TCGBTransferAccountRenewalModeTypeAuto)
                #expect(automatic.renewalTarget == target)
            }
            let manual = TCGBTransferAccountRenewConfiguration.manualRenewConfiguration(
                accountId: "ID", accountPassword: "PASSWORD")
            #expect(manual.renewalMode == TCGBTransferAccountRenewalModeTypeManual)
            #expect(manual.renewalTarget == TCGBTransferAccountRenewalTargetTypeIdPassword)
            #expect((manual.accountId, manual.accountPassword) == ("ID", "PASSWORD"))
        }

        @Test(
            "K644 K652 K653 K732b K733 K737 O607 a transfer account moves a guest to another device, whose own guest is lost",
            arguments: Engine.ofDoors)
        @available(*, deprecated)
        func redeem(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                // The oldest guide says the same of its keys.
                for byKey in [false, true] { try await Self.move(game.onNewDevice(), byKey: byKey) }
                let (user, id, password) = try await Self.issued(game.onNewDevice())
                let fresh = await game.onNewDevice()
                await Self.expectRefusal(of: .account(id: id, password: password), on: fresh)
                // Nothing of it is used up.
                #expect(await fresh.redeem(id, password).value?.tcgbMember.userId == user)

                // A guest with another provider can't be moved any more.
                let second = try #require(await fresh.issueTransfer().value?.account)
                #expect(await fresh.map(kTCGBAuthWeibo).value?.tcgbMember.userId == user)
                #expect(await fresh.issueTransfer().code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                let moved = await game.onNewDevice().redeem(second.accountId, second.accountPassword ?? "")
                #expect(moved.code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
            }
        }

        /// Moves the guest of an old device to a new one, on which another guest plays.
        @available(*, deprecated)
        private static func move(_ old: Game, byKey: Bool) async throws {
            let user = await old.user(by: kTCGBAuthGuest)
            let means = try #require(await issue(on: old, asKey: byKey))
            let new = await old.onNewDevice()
            let lost = await new.user(by: kTCGBAuthGuest)
            let token = TCGBGamebase.accessToken()
            #expect(await redeem(means, on: new).value?.tcgbMember.userId == user)
            #expect(TCGBGamebase.userID() == user)
            #expect(TCGBGamebase.lastLoggedInProvider() == kTCGBAuthGuest)
            #expect(await !new.isValid(token))
            // An operator can restore it.
            let member = try await new.server.run(.memberReport(of: UserID(lost))).member
            #expect(member.status == .missing)
            await new.begin()
            #expect(await new.logInAgain().value?.tcgbMember.userId == user)
            #expect(await new.logOut() == nil)
            #expect(await new.user(by: kTCGBAuthGuest) == user)
            await old.begin()
            let next = await old.user(by: kTCGBAuthGuest)
            #expect(Set([user, lost, next]).count == 3)
        }

        /// The ways of moving a guest: the newer guides' account, and the oldest guide's key.
        private enum Means: Sendable {
            case account(id: String, password: String)
            case key(String)
        }

        @available(*, deprecated)
        private static func issue(on game: Game, asKey: Bool) async -> Means? {
            if asKey { return await key(3_600).value.map { Means.key($0.transferKey) } }
            return await game.issueTransfer().value.map {
                Means.account(id: $0.account.accountId, password: $0.account.accountPassword ?? "")
            }
        }

        @available(*, deprecated)
        private static func redeem(_ means: Means, on game: Game) async -> Answer<TCGBAuthToken> {
            switch means {
            case .account(let id, let password): return await game.redeem(id, password)
            case .key(let key): return await redeem(key)
            }
        }

        /// Expects that no login but a guest's redeems what was issued.
        @available(*, deprecated)
        private static func expectRefusal(of means: Means, on game: Game) async {
            for provider in providers {
                let user = await game.user(by: provider)
                #expect(await redeem(means, on: game).code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS, "\(provider)")
                #expect(TCGBGamebase.userID() == user)
                #expect(await game.logOut() == nil)
            }
        }

        @Test(
            "K738 K739 E738 wrong ids and passwords in a row end with 3042, for a time that the error has",
            arguments: Engine.ofDoors)
        func block(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let (user, id, password) = try await Self.issued(game)
                let fresh = await game.onNewDevice()
                let begin = game.server.milliseconds
                for _ in 0..<5 {
                    #expect(
                        await fresh.redeem(id, "wrongWRONG1").code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_INVALID_PASSWORD)
                }
                // The last attempt has begun the block, which is an hour long.
                let blocked = try #require(await fresh.redeem(id, password).error)
                #expect(blocked.code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_BLOCK)
                let info = try #require(TCGBTransferAccountFailInfo.transferAccountFailInfo(from: blocked))
                #expect(info.accountId == id)
                #expect(info.failCount == 5)
                #expect(game.server.isTime(info.blockEndDate, plus: 3_600_000, since: begin), "\(info.blockEndDate)")
                try await fresh.server.advance(to: info.blockEndDate - 1_800_000)
                await fresh.begin()
                #expect(await fresh.redeem(id, password).code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_BLOCK)
                try await fresh.server.advance(to: info.blockEndDate)
                await fresh.begin()
                #expect(await fresh.redeem(id, password).value?.tcgbMember.userId == user)
                // Wrong ids count like wrong passwords.
                let guesser = await game.onNewDevice()
                let guesses = game.server.milliseconds
                for number in 1...5 {
                    #expect(
                        await guesser.redeem("00000000000\(number)", "wrongWRONG1").code
                            == TCGB_ERROR_AUTH_TRANSFERACCOUNT_INVALID_ID)
                }
                let error = try #require(await guesser.redeem("000000000006", "wrongWRONG1").error)
                #expect(error.code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_BLOCK)
                let guessed = try #require(TCGBTransferAccountFailInfo.transferAccountFailInfo(from: error))
                #expect((guessed.accountId, guessed.failCount) == ("000000000006", 5))
                #expect(game.server.isTime(guessed.blockEndDate, plus: 3_600_000, since: guesses))
            }
        }

        // MARK: The transfer key

        /// An app that moves guests only by keys.
        private static let withoutTransferAccounts: @Sendable (LiveServer) async throws -> Void = {
            _ = try await $0.run(SetTransferPolicy { $0.transfer = nil })
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
                for provider in Self.providers {
                    await game.user(by: provider)
                    #expect(await Self.key(3_600).code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS, "\(provider)")
                    #expect(await game.logOut() == nil)
                }
                let user = await game.user(by: kTCGBAuthGuest)
                #expect(await game.issueTransfer().code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_CONSOLE_NO_CONDITION)
                let most = 30 * 86_400
                for seconds in [0, most + 1] {
                    #expect(await Self.key(seconds).code == TCGB_ERROR_INVALID_PARAMETER, "\(seconds)")
                }
                // Without a rule three keys of ten would lack a kind of letter.
                var keys: [String] = []
                for seconds in [1, 90, most] + Array(repeating: 3_600, count: 20) {
                    let begin = game.server.milliseconds
                    let issued = try #require(await Self.key(seconds).value)
                    #expect(game.server.isTime(issued.regDate, since: begin), "\(issued.regDate)")
                    #expect(issued.legDate == issued.regDate)
                    #expect(issued.expireDate == issued.regDate + 1_000 * seconds)
                    let key = issued.transferKey
                    #expect(key.contains(#/^[0-9A-Za-z]{8}$/#), "\(key)")
                    #expect(key.contains(#/[0-9]/#) && key.contains(#/[a-z]/#) && key.contains(#/[A-Z]/#), "\(key)")
                    keys.append(key)
                }
                #expect(Set(keys).count == keys.count)

                let fresh = await game.onNewDevice()
                let last = try #require(keys.last)
                await Self.expectRefusal(of: .key(last), on: fresh)
                // Nothing of it is used up.
                #expect(await Self.redeem(last).value?.tcgbMember.userId == user)
                let key = try #require(await Self.key(3_600).value?.transferKey)
                let third = await game.onNewDevice()
                #expect(await third.user(by: kTCGBAuthGuest) != user)
                #expect(await Self.redeem(key).value?.tcgbMember.userId == user)

                // A guest with another provider can't be moved any more.
                let held = try #require(await Self.key(3_600).value?.transferKey)
                #expect(await third.map(kTCGBAuthWeibo).value?.tcgbMember.userId == user)
                #expect(await Self.key(3_600).code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)
                let fourth = await game.onNewDevice()
                #expect(await Self.redeem(held).code == TCGB_ERROR_NOT_GUEST_OR_HAS_OTHERS)

                // The operator switches keys off.
                _ = try await game.server.run(SetTransferPolicy { $0.transferKeys = false })
                game.server.passSecond()
                await fourth.user(by: kTCGBAuthGuest)
                #expect(await Self.key(3_600).code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_CONSOLE_NO_CONDITION)
            }
        }

        @Test(
            "O606 O608 8, 3031, 3032, 3033: a transfer key of the device itself, that has expired, is used, or is not there",
            arguments: Engine.ofDoors)
        @available(*, deprecated)
        func transferKeys(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let example = "Transfer Occur Error => "
                let user = await game.user(by: kTCGBAuthGuest)
                let seed = SeedGame()
                _ = await game.example(seed) { ($0 as any OldExamples).issueTransferKeyToTransfer() }
                let issued = game.server.milliseconds
                let own = await game.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                #expect(own == example + "\(TCGB_ERROR_SAME_REQUESTOR)")
                let fresh = await game.onNewDevice()
                try await game.server.advance(to: issued + 3_600_000)
                await fresh.begin()
                let expired = await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                #expect(expired == example + "\(TCGB_ERROR_AUTH_TRANSFERKEY_EXPIRED)")
                seed.transferKey = "aB3dE5gH"
                let missing = await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                #expect(missing == example + "\(TCGB_ERROR_AUTH_TRANSFERKEY_NOT_EXIST)")
                await game.begin()
                #expect(await game.user(by: kTCGBAuthGuest) == user)
                _ = await game.example(seed) { ($0 as any OldExamples).issueTransferKeyToTransfer() }
                await fresh.begin()
                #expect(
                    await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                        == "\(user) [\"guest\"]")
                #expect(
                    await fresh.example(seed) { ($0 as any OldExamples).transferGuestAccount() }
                        == example + "\(TCGB_ERROR_AUTH_TRANSFERKEY_CONSUMED)")
            }
        }
    }
}
