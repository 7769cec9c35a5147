import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// The operators' audit: what was confirmed in the console is recorded with the change itself (CON-11).
@Suite struct OperatorRecordTests {
    private static func ban(_ user: UserID) -> BanMembers {
        BanMembers(
            request: BanRequest(userIds: [user], banType: .permanent, reason: "cheats", registeredBy: "kim"))
    }

    private static func confirmation(
        _ user: UserID, by person: Operator, once: String = "once", seen: String? = nil,
        action: String = "member.banned"
    ) -> ActionConfirmation {
        ActionConfirmation(
            action: action, target: .member(user), person: person.id, ticket: "T-1", once: once, seen: seen)
    }

    @Test("CON-11: an action is recorded with its person, reason, ticket, and the target before and after")
    func record() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob"))
            let reader = core.operator(kim, as: .viewer)
            let seen = try await reader.run(.state(of: .member(alice.user)))
            try await core.operator(
                kim, as: .operator, confirmation: Self.confirmation(alice.user, by: kim, seen: seen.version)
            )
            .run(Self.ban(alice.user))
            try await core.operator(kim, as: .operator, confirmation: Self.confirmation(bob.user, by: kim, once: "two"))
                .run(
                    Self.ban(bob.user))
            let records = try await reader.run(.operatorRecords(limit: 10))
            #expect(records.map(\.target) == ["member \(bob.user)", "member \(alice.user)"])
            #expect(
                try await reader.run(.operatorRecords(before: records[0].id, limit: 10)).map(\.id) == [records[1].id]
            )
            let record = try #require(
                try await reader.run(.operatorRecords(of: .member(alice.user), limit: 10)).first)
            #expect(record.action == "member.banned" && record.personName == "kim" && record.role == .operator)
            #expect(record.reason == "cheats" && record.ticket == "T-1" && record.app == TestCore.app)
            #expect(record.date == core.clock.now && record.person == kim.id)
            let before = try #require(record.before)
            let after = try #require(record.after)
            #expect(before == seen && before.values["ban"] == nil && after.values["ban"] != nil)
            #expect(before.difference(to: after).map(\.name).contains("status"))
            #expect(try await reader.run(.operatorRecord(record.id)) == record)
            #expect(try await core.ledger(of: alice.user).last?.origin.name == "kim")
        }
    }

    @Test("A confirmation page that is sent ten times at once counts once, and each finds what came of it")
    func once() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice")
            let caller = core.operator(kim, as: .owner, confirmation: Self.confirmation(alice.user, by: kim))
            let outcomes = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        do {
                            try await caller.run(Self.ban(alice.user))
                            return "done"
                        } catch ConfirmationFailure.repeated(let record) {
                            return record.id
                        } catch {
                            return nil
                        }
                    }
                }
                return await group.reduce(into: [String?]()) { $0.append($1) }
            }
            let records = try await core.operator(kim, as: .viewer).run(.operatorRecords(limit: 10))
            let record = try #require(records.first)
            #expect(records.count == 1)
            #expect(outcomes.filter { $0 == "done" }.count == 1 && outcomes.filter { $0 == record.id }.count == 9)
            #expect(try await core.history(of: alice.user) == [.memberCreated, .banned])
            // Another person's page may have the same mark.
            let lee = try #require(try await core.person("lee").live).person
            try await core.operator(
                lee, as: .owner, confirmation: Self.confirmation(alice.user, by: lee, action: "ban.released")
            )
            .run(ReleaseBans(users: [alice.user]))
            #expect(try await core.operator(kim, as: .viewer).run(.operatorRecords(limit: 10)).count == 2)
        }
    }

    @Test("What has changed since the page was shown is not done, and leaves no record")
    func stale() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice")
            let reader = core.operator(kim, as: .viewer)
            let seen = try await reader.run(.state(of: .member(alice.user)))
            try await core.ban([alice.user], seconds: 60)
            let now = try await reader.run(.state(of: .member(alice.user)))
            do {
                try await core.operator(
                    kim, as: .owner,
                    confirmation: Self.confirmation(alice.user, by: kim, seen: seen.version, action: "ban.released")
                ).run(ReleaseBans(users: [alice.user]))
                Issue.record("it was done")
            } catch ConfirmationFailure.stale(let state) {
                #expect(state == now && state.version != seen.version)
            }
            // The ban is the game server's.
            #expect(try await reader.run(.operatorRecords(limit: 10)).map(\.action) == ["member.banned"])
            #expect(try await core.history(of: alice.user).last == .banned)
        }
    }

    @Test("CON-8, CON-11: a change that is refused is not recorded, nor is one that takes a higher role")
    func refused() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice")
            let confirmation = Self.confirmation(alice.user, by: kim)
            #expect(
                await code {
                    try await core.operator(kim, as: .viewer, confirmation: confirmation).run(Self.ban(alice.user))
                }
                    == .userPermission)
            let nobody = UserID("AAAAAAAAAAAAAAAA")
            let withdrawal = core.operator(
                kim, as: .owner, confirmation: Self.confirmation(nobody, by: kim, action: "member.withdrawn"))
            #expect(await code { try await withdrawal.run(WithdrawMember(user: nobody)) } == .authNotExistMember)
            #expect(try await core.operator(kim, as: .viewer).run(.operatorRecords(limit: 10)).isEmpty)
            #expect(try await core.history(of: alice.user) == [.memberCreated])
        }
    }

    @Test("No state in the audit holds a secret of an app or a provider")
    func states() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let reader = core.operator(kim, as: .viewer)
            for target in [
                ActionTarget.app, .provider(.naver), .provider(Provider("none")), .banTemplate(.max),
                .member(UserID("")),
            ] {
                let state = try await reader.run(.state(of: target))
                #expect(!"\(state)".contains("\"secret\""))
                #expect(ActionTarget(target.text) == target || target == .member(UserID("")))
            }
            let app = try await reader.run(.state(of: .app))
            #expect(app.values.keys.contains { $0.hasPrefix("policy.") } && app.values["name"] == "Game")
        }
    }

    @Test("CON-8: support kicks out one member, and only an operator everybody")
    func kickOut() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let alice = try await core.player("alice")
            let support = core.operator(kim, as: .support)
            try await support.run(KickOut(user: alice.user, message: ["en": "out"]))
            #expect(await code { try await support.run(KickOut(user: nil, message: [:])) } == .userPermission)
            try await core.operator(kim, as: .operator).run(KickOut(user: nil, message: ["en": "out"]))
            try await core.gameServer([.moderate]).run(KickOut(user: nil, message: ["en": "out"]))
        }
    }

    @Test("CON-8: who has done what others have done, and why, is shown from an operator on")
    func others() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let lee = try #require(try await core.person("lee").live).person
            let alice = try await core.player("alice")
            try await core.operator(kim, as: .operator, confirmation: Self.confirmation(alice.user, by: kim)).run(
                Self.ban(alice.user))
            for role in [OperatorRole.viewer, .support] {
                let record = try #require(
                    try await core.operator(lee, as: role).run(.operatorRecords(limit: 9)).first)
                #expect(record.action == "member.banned" && record.personName == "–" && record.reason == "–")
                #expect(record.ticket == nil && record.after != nil)
                #expect(try await core.operator(lee, as: role).run(.operatorRecord(record.id)) == nil)
                #expect(
                    try await core.operator(kim, as: role).run(.operatorRecord(record.id))?.personName == "kim")
            }
            let record = try #require(
                try await core.operator(lee, as: .operator).run(.operatorRecords(limit: 9)).first)
            #expect(record.personName == "kim" && record.reason == "cheats")
        }
    }
}
