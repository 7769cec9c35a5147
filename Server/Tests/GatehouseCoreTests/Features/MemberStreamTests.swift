import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What an operator reads of one member: everything that happened, and identities that another member has taken.
@Suite struct MemberStreamTests {
    private static func refuse(_ actor: Actor, _ code: ErrorCode, in core: TestCore) {
        core.services.refusals.keep(
            Refusal(code),
            of: RefusedCaller(
                call: "/mappings", provider: .naver, client: nil, actor: actor, at: core.clock.now), app: TestCore.app,
            transactionID: TransactionID("t1"))
    }

    @Test(
        "The stream has each entry of every source exactly once, newest first, whatever the size of its pages",
        arguments: Engine.available)
    func merged(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            let kim = core.operator()
            let (caller, other) = (try await alice.caller.actor, try await bob.caller.actor)
            // A source with many entries at once must not hide those of another, and one moment may have several.
            for round in 0..<3 {
                core.clock.advance(seconds: 60)
                for _ in 0..<4 { Self.refuse(caller, .authAddMappingFailed, in: core) }
                try await kim.run(AddMemberNote(user: alice.user, text: "note \(round)"))
                Self.refuse(caller, .authAddMappingAlreadyMappedToOtherMember, in: core)
                core.clock.advance(seconds: 60)
                try await kim.run(KickOutMember(on: .member(alice.user)))
                Self.refuse(other, .authAddMappingFailed, in: core)
            }
            try await kim.run(AddMemberNote(user: bob.user, text: "of another one"))
            let all = try await kim.run(ReadMemberStream(of: alice.user, limit: 100))
            let kinds = all.reduce(into: [TimelineKind?: Int]()) { $0[$1.kind, default: 0] += 1 }
            #expect(kinds == [.identities: 1, .refusals: 12, .notes: 3, .conflicts: 3, .sessions: 3])
            #expect(all.map(\.id) == all.map(\.id).sorted(by: >) && Set(all.map(\.id)).count == all.count)
            for limit in [1, 2, 5] {
                var (found, last): ([StreamEntry], String?) = ([], nil)
                repeat {
                    let page = try await kim.run(ReadMemberStream(of: alice.user, before: last, limit: limit))
                    found += page
                    last = page.last?.id
                } while last != nil
                #expect(found == all, "\(limit)")
            }
            for kind in TimelineKind.allCases {
                let found = try await kim.run(ReadMemberStream(of: alice.user, about: kind, limit: 100))
                #expect(found == all.filter { $0.kind == kind }, "\(kind)")
            }
            let players = try await kim.run(ReadMemberStream(of: alice.user, by: .player, limit: 100))
            #expect(players.count == 16 && !players.contains { $0.kind == .notes })
            let operators = try await kim.run(ReadMemberStream(of: alice.user, by: .operator, limit: 100))
            #expect(operators.count == 6 && !operators.contains { $0.kind == .refusals })
            let moment = try #require(all.first { $0.kind == .notes }).date
            let late = try await kim.run(ReadMemberStream(of: alice.user, since: moment, limit: 100))
            let early = try await kim.run(ReadMemberStream(of: alice.user, until: moment, limit: 100))
            #expect(late + early == all && late.count == 7)
            #expect(try await kim.run(ReadMemberStream(of: alice.user, since: moment, until: moment, limit: 9)).isEmpty)
        }
    }

    @Test("UI-REST-1: both members of a forced mapping know it until it is undone, and how it can be given back")
    func moves() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let guest = try await core.guest("tablet")
            let kim = core.operator()
            let moves = { (user: UserID) in try await kim.run(ReadMemberCard(of: user)).moves }
            #expect(try await moves(alice.user).isEmpty)
            let ticket = try #require(try await guest.ticket(for: .naver, of: "alice"))
            _ = try await guest.run(ForceMapping(ticket: ticket))
            for user in [alice.user, guest.user] {
                let move = try #require(try await moves(user).first)
                #expect(move.holder == guest.user && move.former == alice.user && move.provider == .naver)
                #expect(move.wayBack == .restoration)
            }
            try await kim.run(RestoreMember(user: alice.user, provider: nil))
            for user in [alice.user, guest.user] { #expect(try await moves(user).isEmpty) }
        }
    }

    @Test("An identity of a member with others is given back by a move, and after the window nobody is reminded")
    func move() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            _ = try await alice.addMapping(.twitter, of: "alice")
            let guest = try await core.guest("tablet")
            let ticket = try #require(try await guest.ticket(for: .naver, of: "alice"))
            _ = try await guest.run(ForceMapping(ticket: ticket))
            let kim = core.operator()
            #expect(try await kim.run(ReadMemberCard(of: alice.user)).moves.map(\.wayBack) == [.move])
            #expect(try await kim.run(ReadMemberCard(of: guest.user)).moves.map(\.wayBack) == [.move])
            core.clock.advance(days: 31)
            #expect(try await core.operator().run(ReadMemberCard(of: guest.user)).moves.isEmpty)
        }
    }

    @Test("The card has the pinned notes and the last bans")
    func card() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let kim = core.operator()
            for text in ["first", "second"] { try await kim.run(AddMemberNote(user: alice.user, text: text)) }
            let notes = try await kim.run(ReadMemberStream(of: alice.user, about: .notes, limit: 9))
            let first = try #require(notes.last).id
            try await kim.run(PinMemberNote(user: alice.user, note: first, isPinned: true))
            _ = try await core.ban([alice.user])
            let card = try await kim.run(ReadMemberCard(of: alice.user))
            #expect(card.pinned.map(\.text) == ["first"] && card.bans.count == 1 && card.tickets.isEmpty)
            #expect(await code { try await kim.run(ReadMemberCard(of: UserID("nobody"))) } == .authNotExistMember)
        }
    }
}
