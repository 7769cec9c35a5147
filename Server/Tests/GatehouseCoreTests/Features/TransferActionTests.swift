import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

@Suite struct TransferActionTests {
    /// Redeems on another device than the issuer's.
    private func redeem(
        _ id: String, _ password: TransferPassword, on name: String = "tablet", _ core: TestCore,
        once key: String? = nil
    ) async throws -> Login {
        let redemption = TransferRedemption(id: id, password: password)
        return try await core.device(name).caller.run(RedeemTransferAccount(redemption: redemption), once: key)
    }

    @Test("TRANSFER-1: only a pure guest gets a transfer account, and only where the app has a policy")
    func permitted() async throws {
        try await TestCore.open { core in
            func codes(_ player: Player) async -> [ErrorCode?] {
                [
                    await code { try await player.run(IssueTransferAccount()) },
                    await code { try await player.run(QueryTransferAccount()) },
                    await code { try await player.run(RenewTransferAccount(renewal: .automatic(.password))) },
                ]
            }
            let alice = try await core.player("alice")
            #expect(await Set(codes(alice)) == [.notGuestOrHasOthers])
            let key = IssueTransferKey(request: TransferKeyRequest(validSeconds: 60))
            #expect(await code { try await alice.run(key) } == .notGuestOrHasOthers)
            try await core.operator().run(SetTransferPolicy { $0.transfer = nil })
            #expect(await Set(codes(try await core.guest("other"))) == [.authTransferAccountConsoleNoCondition])
            #expect(
                await code { try await core.device("tablet").redeem("1", "2") }
                    == .authTransferAccountConsoleNoCondition)
        }
    }

    @Test("TRANSFER-2, TRANSFER-3: issuing shows the password once, and a second pair voids the first")
    func issue() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            #expect(await code { try await guest.run(QueryTransferAccount()) } == .authTransferAccountNotExist)
            let first = try await guest.run(IssueTransferAccount())
            #expect(first.id.utf8.count == 12 && first.id.allSatisfy(\.isNumber))
            let password = try #require(first.password)
            let letters = password.secretValue
            #expect(letters.utf8.count == 10 && letters.contains(where: \.isNumber))
            #expect(letters.contains(where: \.isLowercase) && letters.contains(where: \.isUppercase))
            #expect(first.issuedType == .automatic && first.transferAccountType == .once)
            #expect(first.expiryDate == core.clock.in(seconds: 30 * 86_400))
            let query = try await guest.run(QueryTransferAccount())
            #expect(query.id == first.id && query.password == nil)
            #expect(!(try await core.database.dump()).contains(letters))
            let second = try await guest.run(IssueTransferAccount())
            #expect(second.id != first.id)
            #expect(await code { try await redeem(first.id, password, core) } == .authTransferAccountInvalidID)
            #expect(!"\(core.callLog.lines)".contains(first.id))
            #expect(
                try await core.history(of: guest.user) == [.memberCreated, .transferIssued, .transferRenewed])
        }
    }

    @Test("TRANSFER-4: an own id or password that the policy does not take is refused with what it takes")
    func ownTexts() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            try await guest.run(IssueTransferAccount())
            // The request is written as in the guides.
            let renewal = RenewTransferAccount(renewal: .manual(id: "ID", password: "PASSWORD"))
            let refusal = await refusal { try await guest.run(renewal) }
            #expect(refusal?.code == .invalidParameter)
            #expect(refusal?.message == "An id has 12 to 64 letters, of digits, with at least one of each.")
            func renew(_ id: String? = nil, _ password: TransferPassword) async -> ErrorCode? {
                await code {
                    let renewal: TransferRenewal =
                        id.map { .manual(id: $0, password: password) } ?? .manual(password: password)
                    try await guest.run(RenewTransferAccount(renewal: renewal))
                }
            }
            for wrong in [
                "", "short1A", "alllowercase1", "ALLUPPERCASE1", "NoDigitsAtAll", "Abcdefgh12!", "Äbcdefgh12",
            ] {
                #expect(await renew(nil, TransferPassword(wrong)) == .invalidParameter, "\(wrong)")
            }
            for wrong in ["", "12345678901", "12345678901a", "123456 789012", "१२३४५६७८९०१२"] {
                #expect(await renew(wrong, "Abcdefgh12") == .invalidParameter, "\(wrong)")
            }
            #expect(await renew("123456789012", "Abcdefgh12") == nil)
            #expect(try await guest.run(QueryTransferAccount()).issuedType == .manual)
        }
    }

    @Test("TRANSFER-4, TRANSFER-6: width and what stands around are no part of an id, a password or a key, and case is")
    func typed() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            try await guest.run(IssueTransferAccount())
            let own = TransferRenewal.manual(id: "１２３４５６７８９０１２", password: " Ａbcdefgh１2\u{200b}")
            let account = try await guest.run(RenewTransferAccount(renewal: own))
            #expect(account.id == "123456789012" && account.password?.secretValue == "Abcdefgh12")
            #expect(
                await code { try await redeem(account.id, "abcdefgh12", core) } == .authTransferAccountInvalidPassword)
            let redemption = TransferRedemption(id: wide(account.id), password: "\u{feff}Abcdefgh12\n")
            let member = try await core.gameServer().run(ValidateTransferAccount(redemption: redemption))
            #expect(member.userId == guest.user)
            let password = TransferPassword(wide("Abcdefgh12") + "\u{3000}")
            let login = try await redeem("\u{202a}\(wide(account.id))\u{202c}", password, core)
            #expect(login.member.userId == guest.user)

            let moved = try await core.guest("tablet")
            let key = try await moved.run(IssueTransferKey(request: TransferKeyRequest(validSeconds: 60)))
            let typed = TransferKeySecret(" \(wide(key.transferKey.secretValue))\u{200e}")
            let console = core.device("console").caller
            let last = try await console.run(
                RedeemTransferKey(redemption: TransferKeyRedemption(transferKey: typed)))
            #expect(last.member.userId == guest.user)
        }
    }

    @Test("TRANSFER-7, TRF-4: the right password moves the guest, and ends it on its old device")
    func redeemed() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let displaced = try await core.guest("tablet")
            let account = try await guest.run(IssueTransferAccount())
            let login = try await redeem(account.id, try #require(account.password), core)
            #expect(login.member.userId == guest.user && login.provider == .guest)
            #expect(login.member.mappings.map(\.subject) == [core.device("tablet").key.rawValue])
            #expect(await guest.sessionEnd == .transferred)
            #expect(await displaced.sessionEnd == .transferred)
            #expect(try await core.member(displaced.user).status == .missing)
            #expect(try await core.history(of: displaced.user) == [.memberCreated, .memberFrozen])
            #expect(try await core.guest("tablet").user == guest.user)
            #expect(try await core.guest("phone").user != guest.user)
            #expect(try await core.history(of: guest.user) == [.memberCreated, .transferIssued, .transferRedeemed])
        }
    }

    @Test("TRANSFER-7: a guest that was lost by a transfer comes back by a transfer account of its own")
    func lostGuestComesBack() async throws {
        try await TestCore.open { core in
            let (guest, lost) = (try await core.guest("phone"), try await core.guest("tablet"))
            let own = try await lost.run(IssueTransferAccount())
            try await core.device("tablet").redeem(try await guest.run(IssueTransferAccount()))
            let back = try await core.device("console").redeem(own)
            #expect(back.member.userId == lost.user && back.member.status == .normal)
            #expect(try await core.guest("tablet").user == guest.user)
            #expect(try await core.history(of: lost.user).suffix(2) == [.memberRestored, .transferRedeemed])
        }
    }

    @Test("TRF-1, TRANSFER-6: after the policy's attempts the account is blocked, even for the right password")
    func blocked() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            for number in 1...5 {
                #expect(
                    await code { try await redeem(account.id, "wrong", on: "d\(number)", core) }
                        == .authTransferAccountInvalidPassword)
            }
            let password = try #require(account.password)
            #expect(await code { try await redeem(account.id, password, core) } == .authTransferAccountBlock)
            #expect(core.callLog.lines(.transferBlocked).map { $0.subject["attempts"] } == ["5"])
            #expect(try await core.operator().run(UnblockTransferAccount(user: guest.user)))
            #expect(try await redeem(account.id, password, core).member.userId == guest.user)
        }
    }

    @Test("TRANSFER-6: an unknown id and a wrong password have codes of their own, and the issuer itself another")
    func refusals() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            let password = try #require(account.password)
            #expect(await code { try await redeem("nobody", password, core) } == .authTransferAccountInvalidID)
            #expect(await code { try await redeem(account.id, "wrong", core) } == .authTransferAccountInvalidPassword)
            #expect(await code { try await redeem(account.id, password, on: "phone", core) } == .sameRequestor)
            for (id, text) in [("", "a"), ("a", ""), (String(repeating: "1", count: 65), "a")] {
                #expect(await code { try await redeem(id, TransferPassword(text), core) } == .invalidParameter)
            }
            #expect(try await guest.isLoggedIn)
            // A member with an identity provider is no guest any more.
            _ = try await guest.addMapping(.naver, of: "alice")
            #expect(await code { try await redeem(account.id, password, core) } == .notGuestOrHasOthers)
        }
    }

    @Test("TRF-1: a repeated redemption counts once, whether it was refused or has moved the guest")
    func repeated() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            for _ in 1...8 {
                let answer = await code { try await redeem(account.id, "wrong", core, once: "first") }
                #expect(answer == .authTransferAccountInvalidPassword)
            }
            let report = try await core.operator().run(.transferReport(of: guest.user))
            #expect(report?.failedAttempts == 1)
            let password = try #require(account.password)
            let first = try await redeem(account.id, password, core, once: "second")
            let second = try await redeem(account.id, password, core, once: "second")
            #expect(second.session.refreshToken == first.session.refreshToken)
            #expect(core.callLog.lines(.transferRedeemed).count == 1)
        }
    }

    @Test("TRANSFER-8: a transfer key moves its guest once, until it expires")
    func keys() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let request = TransferKeyRequest(validSeconds: 600)
            let old = try await guest.run(IssueTransferKey(request: request))
            let key = try await guest.run(IssueTransferKey(request: request))
            let letters = key.transferKey.secretValue
            #expect(letters.utf8.count == 8 && letters.contains(where: \.isNumber))
            #expect(letters.contains(where: \.isLowercase) && letters.contains(where: \.isUppercase))
            #expect(!(try await core.database.dump()).contains(letters))
            func useKey(_ key: TransferKey, on name: String) async throws -> Login {
                let redemption = TransferKeyRedemption(transferKey: key.transferKey)
                return try await core.device(name).caller.run(RedeemTransferKey(redemption: redemption))
            }
            #expect(await code { try await useKey(old, on: "tablet") } == .authTransferKeyNotExist)
            #expect(await code { try await useKey(key, on: "phone") } == .sameRequestor)
            #expect(try await useKey(key, on: "tablet").member.userId == guest.user)
            #expect(await code { try await useKey(key, on: "console") } == .authTransferKeyConsumed)
            let moved = try await core.guest("tablet")
            let late = try await moved.run(IssueTransferKey(request: request))
            core.clock.advance(seconds: 600)
            #expect(await code { try await useKey(late, on: "console") } == .authTransferKeyExpired)
        }
    }

    @Test("TRANSFER-7, TRANSFER-8: a transfer key ends when its guest has moved, or an operator has restored it")
    func keyEnds() async throws {
        try await TestCore.open { core in
            let (guest, displaced) = (try await core.guest("phone"), try await core.guest("tablet"))
            let issue = IssueTransferKey(request: TransferKeyRequest(validSeconds: 86_400))
            let (ofOldDevice, ofDisplaced) = (try await guest.run(issue), try await displaced.run(issue))
            let tablet = core.device("tablet")
            try await tablet.redeem(try await guest.run(IssueTransferAccount()))
            #expect(await code { try await guest.device.redeem(ofOldDevice) } == .authTransferKeyNotExist)

            // The new device's key is good, and so is that of the guest who was displaced, until an operator brings this guest back.
            let moved = try await tablet.logIn()
            #expect(moved.user == guest.user)
            let ofNewDevice = try await moved.run(issue)
            try await core.operator().run(RestoreMember(user: displaced.user, provider: nil))
            let console = core.device("console")
            #expect(await code { try await console.redeem(ofDisplaced) } == .authTransferKeyNotExist)
            #expect(try await tablet.logIn().user == displaced.user)
            #expect(try await console.redeem(ofNewDevice).member.userId == guest.user)
        }
    }

    @Test("TRANSFER-8, TRANSFER-1: transfer keys need no policy of accounts, and have a switch of their own")
    func keysAlone() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let issue = IssueTransferKey(request: TransferKeyRequest(validSeconds: 60))
            try await core.operator().run(SetTransferPolicy { $0.transfer = nil })
            let key = try await guest.run(issue)
            try await core.operator().run(
                SetTransferPolicy { policy in
                    policy.transferKeys = false
                    policy.transfer = TransferPolicy()
                })
            // Existing keys are disabled too; accounts are not affected.
            #expect(await code { try await guest.run(issue) } == .authTransferAccountConsoleNoCondition)
            let tablet = core.device("tablet")
            #expect(await code { try await tablet.redeem(key) } == .authTransferAccountConsoleNoCondition)
            try await guest.run(IssueTransferAccount())
            try await core.operator().run(SetTransferPolicy { $0.transferKeys = true })
            #expect(try await tablet.redeem(key).member.userId == guest.user)
        }
    }

    @Test("A game server learns whose transfer account it is, uses nothing up, and counts like a player")
    func validate() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            func validate(_ password: TransferPassword) async throws -> Member {
                let redemption = TransferRedemption(id: account.id, password: password)
                return try await core.gameServer().run(ValidateTransferAccount(redemption: redemption))
            }
            let password = try #require(account.password)
            #expect(try await validate(password).userId == guest.user)
            #expect(try await validate(password).userId == guest.user)
            for _ in 1...5 {
                #expect(await code { try await validate("wrong") } == .authTransferAccountInvalidPassword)
            }
            #expect(await code { try await validate(password) } == .authTransferAccountBlock)
        }
    }
}
