import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators choose and read before they help a guest who moves to another device.
@Suite struct TransferFormTests {
    @Test("UI-MEM-6: a guest with a transfer account may get a new password alone, and the result shows what is new")
    func reissue() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let (guest, alice) = (try await core.guest(), try await core.player("alice", on: "tablet"))
            let target = ActionTarget.member(guest.user)
            let caller = core.operator(kim, as: .support)
            let view = try await OperatorForm.context(of: caller)
            func kinds() async throws -> [String] {
                let fields = try await OperatorForm.fields(ReissueTransferAccount.self, on: target, by: caller)
                #expect(fields.map(\.name) == ["kind"] && fields.first?.value == "both")
                guard case .choice(let options) = fields.first?.kind else { return [] }
                return options.map(\.value)
            }
            func reissue(_ kind: String) throws -> ReissueTransferAccount {
                try ReissueTransferAccount(on: target, OperatorForm.values(["kind": kind]), view)
            }
            #expect(try await kinds() == ["both"])
            #expect(await OperatorForm.problems { _ = try reissue("id") } == ["kind"])
            #expect(
                await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: reissue("password"))) }
                    == ["kind"])
            let first = try await caller.run(ReadPreview(of: reissue("both")))
            #expect(first.title == Phrase("transfer-reissue.title", ["user": .user(guest.user)]))
            #expect(first.consequences.prefix(2) == ["transfer-reissue.what.both", "transfer-reissue.first"])
            let issued = try await caller.run(reissue("both"))
            #expect(try await kinds() == ["both", "password"])
            let again = try await caller.run(ReadPreview(of: reissue("password")))
            #expect(again.consequences.prefix(2) == ["transfer-reissue.what.password", "transfer-reissue.old"])
            #expect(await code { try await core.operator(kim, as: .viewer).run(reissue("both")) } == .userPermission)
            let renewed = try await caller.run(reissue("password"))
            let secrets = ReissueTransferAccount.result(renewed).secrets
            #expect(secrets.map(\.label) == ["transfer.id", "transfer.password"])
            #expect(secrets.map(\.text) == [issued.id, renewed.password?.secretValue])
            #expect(renewed.password != nil && renewed.password != issued.password)
            let other = await OperatorForm.impossible {
                _ = try await caller.run(ReadPreview(of: ReissueTransferAccount(on: .member(alice.user))))
            }
            #expect(other?.phrase == "problem.not-guest" && other?.parameter == "user")
        }
    }

    @Test("TRF-1: wrong passwords are counted before they are forgotten, and without any there is nothing to do")
    func unblock() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let guest = try await core.guest()
            let caller = core.operator(kim, as: .support)
            let unblock = try UnblockTransferAccount(on: .member(guest.user))
            func obstacle() async -> Phrase? {
                await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: unblock)) }?.phrase
            }
            #expect(await obstacle() == "problem.not-blocked")
            let account = try await guest.run(IssueTransferAccount())
            #expect(await obstacle() == "problem.not-blocked")
            let redemption = TransferRedemption(id: account.id, password: TransferPassword("wrong"))
            let tablet = core.device("tablet")
            #expect(
                await code { try await tablet.caller.run(RedeemTransferAccount(redemption: redemption)) }
                    == .authTransferAccountInvalidPassword)
            let preview = try await caller.run(ReadPreview(of: unblock))
            #expect(preview.consequences.first == Phrase("transfer-unblock.what", ["count": .count(1)]))
            #expect(await code { try await core.operator(kim, as: .viewer).run(unblock) } == .userPermission)
            #expect(try await caller.run(unblock))
            #expect(await obstacle() == "problem.not-blocked")
        }
    }

    @Test("A transfer account is revoked once, and then there is none")
    func void() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let guest = try await core.guest()
            let caller = core.operator(kim, as: .support)
            let void = try VoidTransferAccount(on: .member(guest.user))
            func obstacle() async -> Phrase? {
                await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: void)) }?.phrase
            }
            #expect(await obstacle() == "transfer.none")
            _ = try await guest.run(IssueTransferAccount())
            let preview = try await caller.run(ReadPreview(of: void))
            #expect(
                preview.isDangerous && preview.title == Phrase("transfer-void.title", ["user": .user(guest.user)]))
            #expect(await code { try await core.operator(kim, as: .viewer).run(void) } == .userPermission)
            try await caller.run(void)
            #expect(await obstacle() == "transfer.none")
        }
    }
}
