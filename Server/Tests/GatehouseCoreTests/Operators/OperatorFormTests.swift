import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// Operators' actions that describe themselves: what their forms ask, what their confirmations say, and what they do.
@Suite struct OperatorFormTests {
    @Test("An operator's action has a name of its own, and what undoes it is there")
    func list() {
        let names = OperatorActions.all.map { $0.about.name }
        #expect(Set(names).count == names.count)
        for action in OperatorActions.all {
            guard let undo = action.about.undo else { continue }
            #expect(names.contains(undo.about.name), "\(action)")
            #expect(undo.about.subject == action.about.subject, "\(action)")
        }
    }

    @Test("BAN-2: support chooses no ban for good, and none longer than its limit")
    func lengths() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let target = ActionTarget.member(try await core.player("alice").user)
            for role in [OperatorRole.support, .operator] {
                let caller = core.operator(kim, as: role)
                let fields = try await OperatorForm.fields(BanMember.self, on: target, by: caller)
                #expect(fields.map(\.name) == ["length", "until", "template"])
                guard case .choice(let lengths) = fields.first?.kind else {
                    Issue.record("The length is no choice.")
                    return
                }
                #expect(lengths.contains { $0.value == "for-good" } == (role == .operator))
                let view = try await OperatorForm.context(of: caller)
                func end(_ texts: [String: String], until: Int64? = nil) throws -> Moment? {
                    let moment = until.map { view.moment.adding(seconds: $0 * 86_400) }
                    return try BanMember(on: target, OperatorForm.values(texts, until: moment), view).end
                }
                #expect(try end(["length": "1d"]) == view.moment.adding(seconds: 86_400))
                #expect(try end(["length": "until"], until: 30) == view.moment.adding(seconds: 30 * 86_400))
                #expect(await OperatorForm.problems { _ = try end(["length": "until"], until: -1) } == ["until"])
                #expect(await OperatorForm.problems { _ = try end(["length": "until"]) } == ["until"])
                #expect(await OperatorForm.problems { _ = try end(["length": "long"]) } == ["length"])
                let tooLong: Set = role == .operator ? [] : ["length"]
                #expect(await OperatorForm.problems { _ = try end(["length": "until"], until: 31) } == tooLong)
                #expect(await OperatorForm.problems { _ = try end(["length": "for-good"]) } == tooLong)
            }
        }
    }

    @Test("BAN-1: a ban says what it will do, does it in the person's name, and can't be made twice")
    func ban() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice")
            let target = ActionTarget.member(alice.user)
            let caller = core.operator(kim, as: .support)
            let view = try await OperatorForm.context(of: caller)
            let ban = try BanMember(on: target, OperatorForm.values(["length": "3d", "template": "9"]), view)
            let preview = try await caller.run(ReadPreview(of: ban))
            #expect(preview.isDangerous && preview.title == Phrase("ban.title", ["user": .user(alice.user)]))
            #expect(try await alice.isLoggedIn)
            // A template that the app does not have is refused by the rule.
            #expect(await code { try await caller.run(ban) } == .invalidParameter)
            let good = try BanMember(on: target, OperatorForm.values(["length": "3d"]), view)
            try await caller.run(good)
            #expect(try await !alice.isLoggedIn)
            #expect(await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: good)) } == ["length"])
            let record = try #require(try await caller.run(.memberReport(of: alice.user)).ban)
            #expect(record.registeredBy == "kim" && record.endsAt == good.end)
            // The ban is kim's, so kim releases it, and lee, who supports too, does not.
            let lee = try #require(try await core.person("lee").live).person
            for (person, isForbidden) in [(lee, true), (kim, false)] {
                let caller = core.operator(person, as: .support)
                let obstacle = await OperatorForm.impossible {
                    _ = try await caller.run(ReadPreview(of: ReleaseBan(on: target)))
                }
                #expect((obstacle != nil) == isForbidden && obstacle?.isForbidden != false)
            }
            try await caller.run(ReleaseBan(on: target))
            let gone = await OperatorForm.impossible {
                _ = try await caller.run(ReadPreview(of: ReleaseBan(on: target)))
            }
            #expect(gone?.parameter == "user" && gone?.isForbidden == false)
        }
    }

    @Test("A list of members is banned as far as it can be, and is released as far as it is banned")
    func lists() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let users = [try await core.player("alice").user, try await core.player("bob", on: "tablet").user]
            let caller = core.operator(kim, as: .operator)
            let view = try await OperatorForm.context(of: caller)
            try await core.ban([users[1]])
            let texts = ["users": "\(users[0]) nobody\n\(users[1]),\(users[0])", "length": "for-good"]
            let ban = try BanListedMembers(on: .members([]), OperatorForm.values(texts), view)
            #expect(ban.users.count == 3)
            let preview = try await caller.run(ReadPreview(of: ban))
            #expect(preview.typed == "1" && preview.table?.rows.count == 3)
            try await caller.run(ban)
            let release = try ReleaseListedBans(on: .members([]), OperatorForm.values(texts), view)
            #expect(
                try await caller.run(ReadPreview(of: release)).title
                    == Phrase("release-members.title", ["count": .count(2)]))
            #expect(await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: ban)) } == ["users"])
            let tooMany = (0...100).map { "m\($0)" }.joined(separator: " ")
            #expect(
                await OperatorForm.problems {
                    _ = try ReleaseListedBans(on: .members([]), OperatorForm.values(["users": tooMany]), view)
                }
                    == ["users"])
        }
    }

    @Test("The undo of a list's ban releases what the list has banned, and no ban that was made since")
    func undoneList() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let users = [try await core.player("alice").user, try await core.player("bob", on: "tablet").user]
            let caller = core.operator(kim, as: .operator)
            let typed = ["users": "\(users[0]) \(users[1])", "length": "7d"]
            let ban = try BanListedMembers(
                on: .members([]), OperatorForm.values(typed), try await OperatorForm.context(of: caller))
            let record = try #require(
                try await OperatorForm.confirm(ban, on: .members(users), by: kim, as: .operator, at: core))
            // One of the list is released and banned again before the list is taken back.
            try await caller.run(ReleaseBans(users: [users[0]]))
            try await core.ban([users[0]])
            let earlier = ["earlier": record]
            let fields = try await OperatorForm.fields(
                ReleaseListedBans.self, on: .members([]), earlier, by: caller)
            let release = try ReleaseListedBans(
                on: .members([]), OperatorForm.values(OperatorForm.sent(fields, earlier)),
                try await OperatorForm.context(of: caller))
            #expect(Set(release.users) == Set(users))
            #expect(
                try await caller.run(ReadPreview(of: release)).title
                    == Phrase("release-members.title", ["count": .count(1)]))
            try await caller.run(release)
            #expect(try await core.member(users[0]).status == .banned)
            #expect(try await core.member(users[1]).status == .normal)
        }
    }

    @Test("A note's form shows what it says now, and a note of another member is none")
    func notes() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let (alice, bob) = (try await core.player("alice").user, try await core.player("bob", on: "tablet").user)
            let caller = core.operator(kim, as: .support)
            try await caller.run(AddMemberNote(user: alice, text: "Asks often."))
            let note = try #require(try await caller.run(ReadMemberStream(of: alice, about: .notes, limit: 1)).first)
            let fields = try await OperatorForm.fields(
                EditMemberNote.self, on: .member(alice), ["note": note.id], by: caller)
            #expect(fields.map(\.name) == ["text"] && fields.first?.value == "Asks often.")
            let foreign = await OperatorForm.impossible {
                _ = try await OperatorForm.fields(EditMemberNote.self, on: .member(bob), ["note": note.id], by: caller)
            }
            #expect(foreign?.parameter == "note")
            let view = try await OperatorForm.context(of: caller)
            #expect(
                await OperatorForm.problems {
                    let text = String(repeating: "x", count: MemberNote.maximumLength + 1)
                    _ = try AddMemberNote(on: .member(alice), OperatorForm.values(["text": text]), view)
                } == ["text"])
            #expect(await code { _ = try AddMemberNote(on: .app) } == .invalidParameter)
        }
    }
}
