import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

@Suite struct TransferActionTests {
    /// Redeems on another device than the issuer's.
    private func redeem(
        _ id: String, _ password: TransferPassword, on name: String = "tablet", _ desk: Desk, once key: String? = nil
    ) async throws -> Login {
        let redemption = TransferRedemption(id: id, password: password)
        return try await desk.device(name).caller.run(RedeemTransferAccount(redemption: redemption), once: key)
    }

    @Test("TRANSFER-1: only a pure guest gets a transfer account, and only where the app has a policy")
    func permitted() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            #expect(await code { try await alice.run(IssueTransferAccount()) } == .notGuestOrHasOthers)
            try await desk.operator().run(ChangeAccountPolicy { $0.transfer = nil })
            let guest = try await desk.guest("other")
            #expect(
                await code { try await guest.run(IssueTransferAccount()) } == .authTransferAccountConsoleNoCondition)
        }
    }

    @Test("TRANSFER-2, TRANSFER-3: issuing shows the password once, and a second pair voids the first")
    func issue() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest("phone")
            #expect(await code { try await guest.run(QueryTransferAccount()) } == .authTransferAccountNotExist)
            let first = try await guest.run(IssueTransferAccount())
            #expect(first.password != nil)
            #expect(try await guest.run(QueryTransferAccount()).password == nil)
            let second = try await guest.run(IssueTransferAccount())
            #expect(second.id != first.id)
            let password = try #require(first.password)
            #expect(await code { try await redeem(first.id, password, desk) } == .authTransferAccountInvalidID)
            #expect(
                try await desk.history(of: guest.user) == [.memberCreated, .transferIssued, .transferRenewed])
        }
    }

    @Test("TRANSFER-4: an own id or password that the policy does not take is refused with what it takes")
    func ownTexts() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest("phone")
            try await guest.run(IssueTransferAccount())
            // The request is written as in the guides.
            let renewal = RenewTransferAccount(renewal: .manual(id: "ID", password: "PASSWORD"))
            let refusal = await refusal { try await guest.run(renewal) }
            #expect(refusal?.code == .invalidParameter)
            #expect(refusal?.message == "An id has 12 to 64 letters, of digits, with at least one of each.")
        }
    }

    @Test("TRANSFER-7, TRF-4: the right password moves the guest, and ends it on its old device")
    func redeemed() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest("phone")
            let displaced = try await desk.guest("tablet")
            let account = try await guest.run(IssueTransferAccount())
            let login = try await redeem(account.id, try #require(account.password), desk)
            #expect(login.member.userId == guest.user)
            #expect(try await !guest.isLoggedIn)
            #expect(try await desk.member(displaced.user).status == .missing)
            #expect(try await desk.guest("tablet").user == guest.user)
            #expect(try await desk.guest("phone").user != guest.user)
            #expect(try await desk.history(of: guest.user).last == .transferRedeemed)
        }
    }

    @Test("TRF-1, TRANSFER-6: after the policy's attempts the account is blocked, even for the right password")
    func blocked() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            for number in 1...5 {
                #expect(
                    await code { try await redeem(account.id, "wrong", on: "d\(number)", desk) }
                        == .authTransferAccountInvalidPassword)
            }
            let password = try #require(account.password)
            #expect(await code { try await redeem(account.id, password, desk) } == .authTransferAccountBlock)
            #expect(desk.journal.lines(.transferBlocked).map { $0.subject["attempts"] } == ["5"])
            #expect(try await desk.operator().run(UnblockTransferAccount(user: guest.user)))
            #expect(try await redeem(account.id, password, desk).member.userId == guest.user)
        }
    }

    @Test("TRANSFER-6: an unknown id and a wrong password have codes of their own, and the issuer itself another")
    func refusals() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            let password = try #require(account.password)
            #expect(await code { try await redeem("nobody", password, desk) } == .authTransferAccountInvalidID)
            #expect(await code { try await redeem(account.id, "wrong", desk) } == .authTransferAccountInvalidPassword)
            #expect(await code { try await redeem(account.id, password, on: "phone", desk) } == .sameRequestor)
            #expect(try await guest.isLoggedIn)
        }
    }

    @Test("TRF-1: a repeated redemption counts once, whether it was refused or has moved the guest")
    func repeated() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            for _ in 1...8 {
                let answer = await code { try await redeem(account.id, "wrong", desk, once: "first") }
                #expect(answer == .authTransferAccountInvalidPassword)
            }
            let report = try await desk.operator().run(ReadTransferReport(user: guest.user))
            #expect(report?.failedAttempts == 1)
            let password = try #require(account.password)
            let first = try await redeem(account.id, password, desk, once: "second")
            let second = try await redeem(account.id, password, desk, once: "second")
            #expect(second.session.refreshToken == first.session.refreshToken)
            #expect(desk.journal.lines(.transferRedeemed).count == 1)
        }
    }

    @Test("TRANSFER-8: a transfer key moves its guest once, until it expires")
    func keys() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest("phone")
            let request = TransferKeyRequest(validSeconds: 600)
            let old = try await guest.run(IssueTransferKey(request: request))
            let key = try await guest.run(IssueTransferKey(request: request))
            func useKey(_ key: TransferKey, on name: String) async throws -> Login {
                let redemption = TransferKeyRedemption(transferKey: key.transferKey)
                return try await desk.device(name).caller.run(RedeemTransferKey(redemption: redemption))
            }
            #expect(await code { try await useKey(old, on: "tablet") } == .authTransferKeyNotExist)
            #expect(try await useKey(key, on: "tablet").member.userId == guest.user)
            #expect(await code { try await useKey(key, on: "console") } == .authTransferKeyConsumed)
            let moved = try await desk.guest("tablet")
            let late = try await moved.run(IssueTransferKey(request: request))
            desk.clock.advance(seconds: 600)
            #expect(await code { try await useKey(late, on: "console") } == .authTransferKeyExpired)
        }
    }

    @Test("A game server learns whose transfer account it is, uses nothing up, and counts like a player")
    func validate() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            func validate(_ password: TransferPassword) async throws -> Member {
                let redemption = TransferRedemption(id: account.id, password: password)
                return try await desk.gameServer().run(ValidateTransferAccount(redemption: redemption))
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
