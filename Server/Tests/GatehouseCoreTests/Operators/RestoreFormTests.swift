import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators read before they restore a member.
@Suite struct RestoreFormTests {
    @Test("MAP-6: a restoration says what both members lose and keep, and then who the other one was")
    func other() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let (alice, guest) = (try await core.player("alice"), try await core.guest("tablet"))
            let caller = core.operator(kim, as: .support)
            let restore = try RestoreMember(on: .member(alice.user))
            let early = await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: restore)) }
            #expect(early?.phrase == "problem.not-restorable" && early?.parameter == "user")
            try await core.operator().run(MoveMemberMapping(.naver, from: alice.user, to: guest.user))
            _ = try await core.player("alice")
            let preview = try await caller.run(ReadPreview(of: restore))
            let (until, idp) = (core.clock.now.adding(seconds: 30 * 86_400), Phrase.Value.providers([.naver]))
            let (user, other) = (Phrase.Value.user(alice.user), Phrase.Value.user(guest.user))
            #expect(preview.title == Phrase("restore.title", ["user": user]))
            #expect(
                preview.consequences == [
                    Phrase("restore.what", ["user": user, "idp": idp]),
                    Phrase("restore.other.guest", ["other": other, "idp": idp, "idps": .providers([.guest])]),
                    Phrase("restore.sessions", ["count": .count(1), "other": other]),
                    Phrase("restore.until", ["end": .moment(until), "left": .distance(until)]),
                ])
            #expect(preview.undo == "restore.undo")
            #expect(columns(preview.table) == [[[], [.naver]], [[.naver], [.guest]]])
            #expect(await code { try await core.operator(kim, as: .viewer).run(restore) } == .userPermission)
            let outcome = try await caller.run(restore)
            #expect(RestoreMember.result(outcome).other == guest.user)
            #expect(try await core.player("alice").user == alice.user)
        }
    }

    @Test("MAP-6: a member with other identities keeps them, and of a free identity nobody is the loser")
    func others() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let (alice, guest) = (try await core.player("alice"), try await core.guest("tablet"))
            let caller = core.operator(kim, as: .support)
            let restore = try RestoreMember(on: .member(alice.user))
            try await core.operator().run(MoveMemberMapping(.naver, from: alice.user, to: guest.user))
            _ = try await core.player("alice").addMapping(.twitter, of: "alice")
            let keeps = try await caller.run(ReadPreview(of: restore))
            let idp = Phrase.Value.providers([.naver])
            #expect(
                keeps.consequences[1]
                    == Phrase(
                        "restore.other.keeps",
                        ["other": .user(guest.user), "idp": idp, "idps": .providers([.twitter])]))
            #expect(columns(keeps.table) == [[[], [.naver]], [[.naver, .twitter], [.twitter]]])
            try await core.operator().run(RemoveMemberMapping(.naver, of: guest.user))
            let alone = try await caller.run(ReadPreview(of: restore))
            #expect(alone.undo == "restore.undo-alone" && alone.table?.rows.count == 1)
            #expect(alone.consequences[1] == Phrase("restore.nobody", ["idp": idp]))
            #expect(RestoreMember.result(try await caller.run(restore)).other == nil)
        }
    }

    /// The identity providers in the columns of a table.
    private func columns(_ table: Preview.Table?) -> [[[Provider]]] {
        (table?.rows ?? []).map { row in
            row.compactMap { cell in
                guard case .providers(let providers) = cell else { return nil }
                return providers
            }
        }
    }
}
