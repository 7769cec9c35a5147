import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators choose and read before they change the identities with which a player logs in.
@Suite struct MappingFormTests {
    @Test("UI-ACT-4: an identity is removed from a member that keeps another one, and from no other")
    func remove() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice")
            let target = ActionTarget.member(alice.user)
            let caller = core.operator(kim, as: .operator)
            let view = try await OperatorForm.context(of: caller)
            func obstacle(_ provider: Provider) async -> ImpossibleAction? {
                await OperatorForm.impossible {
                    _ = try await caller.run(ReadPreview(of: RemoveMemberMapping(provider, of: alice.user)))
                }
            }
            let last = await obstacle(.naver)
            #expect(last?.phrase == "problem.code.3402" && last?.parameter == "idp")
            #expect(await obstacle(.twitter)?.phrase == "problem.code.3401")
            _ = try await alice.addMapping(.twitter, of: "alice")
            let texts = ["idp": "naver"]
            #expect(try await OperatorForm.fields(RemoveMemberMapping.self, on: target, texts, by: caller).isEmpty)
            #expect(
                await code { try RemoveMemberMapping(on: target, OperatorForm.values([:]), view) } == .invalidParameter)
            let remove = try RemoveMemberMapping(on: target, OperatorForm.values(texts), view)
            let preview = try await caller.run(ReadPreview(of: remove))
            let values: [String: Phrase.Value] = [
                "user": .user(alice.user), "idp": .providers([.naver]), "idps": .providers([.twitter]),
            ]
            #expect(preview.isDangerous && preview.title == Phrase("mapping-remove.title", values))
            #expect(preview.consequences.first == Phrase("mapping-remove.what", values))
            #expect(preview.undo == Phrase("mapping-remove.undo", values))
            #expect(await code { try await core.operator(kim, as: .support).run(remove) } == .userPermission)
            try await caller.run(remove)
            #expect(try await core.member(alice.user).mappings.map(\.provider) == [.twitter])
        }
    }

    @Test("UI-ACT-4: an identity moves to a member whose id is typed in groups, and its move says who loses what")
    func move() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let (alice, guest) = (try await core.player("alice"), try await core.guest("tablet"))
            let target = ActionTarget.member(alice.user)
            let caller = core.operator(kim, as: .operator)
            let view = try await OperatorForm.context(of: caller)
            let fields = try await OperatorForm.fields(
                MoveMemberMapping.self, on: target, ["idp": "naver"], by: caller)
            #expect(fields.map(\.name) == ["to"] && fields.first?.value == "" && fields.first?.isRequired == true)
            #expect(
                await OperatorForm.problems {
                    _ = try MoveMemberMapping(on: target, OperatorForm.values(["idp": "naver", "to": "x"]), view)
                } == ["to"])
            let id = guest.user.rawValue.lowercased()
            let typed = ["idp": "naver", "to": "\(id.prefix(4))-\(id.dropFirst(4))"]
            let move = try MoveMemberMapping(on: target, OperatorForm.values(typed), view)
            #expect(move.user == guest.user)
            let values: [String: Phrase.Value] = [
                "user": .user(alice.user), "other": .user(guest.user), "idp": .providers([.naver]),
                "count": .count(30),
            ]
            let last = try await caller.run(ReadPreview(of: move))
            #expect(last.isDangerous && last.title == Phrase("mapping-move.title", values))
            let keys = ["mapping-move.what", "mapping-move.freezes", "mapping-move.guest"]
            #expect(last.consequences == keys.map { Phrase($0, values) })
            #expect(last.undo == Phrase("mapping-move.undo-restore", values))
            _ = try await alice.addMapping(.twitter, of: "alice")
            let preview = try await caller.run(ReadPreview(of: move))
            #expect(preview.consequences[1] == Phrase("mapping-move.keeps", values))
            #expect(preview.undo == Phrase("mapping-move.undo", values))
            #expect(await code { try await core.operator(kim, as: .support).run(move) } == .userPermission)
            try await caller.run(move)
            #expect(try await core.player("alice").user == guest.user)
        }
    }

    @Test("An identity's move names what is wrong with the other member, also one whose withdrawal is due by now")
    func moveRefused() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            let gone = try await core.guest("pc")
            let caller = core.operator(kim, as: .operator)
            func problem(to user: UserID) async throws -> Phrase? {
                do {
                    let move = MoveMemberMapping(.naver, from: alice.user, to: user)
                    _ = try await caller.run(ReadPreview(of: move))
                    return nil
                } catch let problems as InputProblems {
                    return problems.phrases["to"]
                }
            }
            #expect(try await problem(to: alice.user) == "problem.code.3")
            #expect(try await problem(to: bob.user) == "problem.code.3303")
            try await gone.run(RequestWithdrawal())
            #expect(try await problem(to: gone.user) == nil)
            core.clock.advance(days: 8)
            #expect(try await problem(to: gone.user) == "problem.code.3003")
            #expect(try await core.member(gone.user).status == .withdrawn)
        }
    }
}
