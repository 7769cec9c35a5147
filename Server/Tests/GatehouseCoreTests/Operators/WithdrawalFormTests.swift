import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators confirm before they withdraw a member, or take a withdrawal back.
@Suite struct WithdrawalFormTests {
    @Test("A withdrawal is confirmed with the end of the member's id, and one that is done can't be done again")
    func withdrawal() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice").user
            let caller = core.operator(kim, as: .operator)
            let withdraw = try WithdrawMember(on: .member(alice))
            let preview = try await caller.run(ReadPreview(of: withdraw))
            #expect(preview.isDangerous && preview.typed == String(alice.rawValue.suffix(4)))
            #expect(await code { try await core.operator(kim, as: .support).run(withdraw) } == .userPermission)
            try await caller.run(withdraw)
            let gone = await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: withdraw)) }
            #expect(gone?.phrase == "problem.gone" && gone?.parameter == "user")
        }
    }

    @Test("Only a withdrawal that is pending is taken back, and its page says until when it would be")
    func cancellation() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice")
            let caller = core.operator(kim, as: .support)
            let cancel = try CancelMemberWithdrawal(on: .member(alice.user))
            func obstacle() async -> Phrase? {
                await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: cancel)) }?.phrase
            }
            #expect(await obstacle() == "problem.no-withdrawal")
            try await alice.run(RequestWithdrawal())
            let end = core.clock.now.adding(seconds: 7 * 86_400)
            #expect(
                try await caller.run(ReadPreview(of: cancel)).consequences.first
                    == Phrase("withdrawal-cancel.what", ["end": .moment(end), "left": .distance(end)]))
            #expect(await code { try await core.operator(kim, as: .viewer).run(cancel) } == .userPermission)
            try await caller.run(cancel)
            #expect(await obstacle() == "problem.no-withdrawal")
        }
    }
}
