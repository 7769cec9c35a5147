import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What support does when a stranger has got into an account.
@Suite struct SecureMemberFormTests {
    @Test("To secure an account ends its sessions, and what moves the guest is void; the guest is still the same")
    func guest() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let guest = try await core.guest()
            let account = try await guest.run(IssueTransferAccount())
            let secure = try SecureMember(on: .member(guest.user))
            let caller = core.operator(kim, as: .support)
            let preview = try await caller.run(ReadPreview(of: secure))
            #expect(preview.isDangerous && preview.title == Phrase("secure.title", ["user": .user(guest.user)]))
            #expect(await code { try await core.operator(kim, as: .viewer).run(secure) } == .userPermission)
            try await caller.run(secure)
            #expect(try await !guest.isLoggedIn)
            let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
            let tablet = core.device("tablet")
            #expect(
                await code { try await tablet.caller.run(RedeemTransferAccount(redemption: redemption)) }
                    == .authTransferAccountInvalidID)
            #expect(try await core.history(of: guest.user).suffix(2) == [.kickedOut, .transferVoided])
            #expect(try await core.guest().user == guest.user)
        }
    }

    @Test("TRANSFER-8: a transfer key is void, too, also of a guest that has no transfer account")
    func key() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let key = try await guest.run(IssueTransferKey(request: TransferKeyRequest(validSeconds: 60)))
            try await core.operator().run(SecureMember(on: .member(guest.user)))
            let redemption = TransferKeyRedemption(transferKey: key.transferKey)
            let tablet = core.device("tablet").caller
            #expect(
                await code { try await tablet.run(RedeemTransferKey(redemption: redemption)) }
                    == .authTransferKeyNotExist)
        }
    }

    @Test("An account without a transfer account is secured all the same, and needs a reason")
    func player() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let secure = try SecureMember(on: .member(alice.user))
            #expect(await code { try await core.operator(reason: nil).run(secure) } == .invalidParameter)
            #expect(try await alice.isLoggedIn)
            try await core.operator().run(secure)
            #expect(try await !alice.isLoggedIn)
            #expect(try await core.history(of: alice.user).last == .kickedOut)
        }
    }

    @Test("A member's page offers what suits its state, and what its person may change")
    func offered() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice")
            func offered(as role: OperatorRole = .operator) async throws -> [String] {
                let caller = core.operator(kim, as: role)
                let report = try await caller.run(.memberReport(of: alice.user))
                return OperatorActions.all.filter { $0.emphasis(on: report, for: caller.actor) != nil }
                    .map { $0.about.name }
            }
            let usual = ["member.banned", "member.withdrawn", "member.kicked-out", "member.secured"]
            #expect(try await offered() == usual)
            try await core.ban([alice.user])
            #expect(try await offered() == ["ban.released", "ban.changed", "member.withdrawn"])
            #expect(try await offered(as: .support) == ["member.withdrawn"])
        }
    }
}
