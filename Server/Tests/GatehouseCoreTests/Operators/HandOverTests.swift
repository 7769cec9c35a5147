import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What a shift hands over to the next one.
@Suite struct HandOverTests {
    @Test("Support reads of others what members' histories say as well, and nothing else of the audit")
    func roles() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let user = try await core.guest().user
            let since = core.clock.now
            let pin = AddMemberNote(user: user, text: "for @Lee: call back")
            _ = try await OperatorForm.confirm(pin, on: .member(user), by: kim, as: .operator, at: core)
            let view = try await OperatorForm.context(of: core.operator(kim, as: .operator))
            let reply = try AddReply(
                on: .reply(1), OperatorForm.values(["reply": "1", "title": "x", "text.en": "x"]), view)
            _ = try await OperatorForm.confirm(reply, on: .reply(1), by: kim, as: .operator, at: core)

            func read(
                _ caller: Caller, from begin: Moment? = nil, until: Moment? = nil
            ) async throws -> ReadHandOver.Outcome {
                try await caller.run(ReadHandOver(since: begin ?? since, until: until, limit: 10))
            }
            let own = try await read(core.operator(kim, as: .operator))
            #expect(own.changes.map(\.action) == ["reply.added", "member.noted"] && own.mentions.isEmpty)
            let lee = Operator(id: OperatorID("lee"), name: "lee", createdAt: kim.createdAt)
            let support = try await read(core.operator(lee, as: .support))
            #expect(support.changes.map(\.action) == ["member.noted"] && support.changes.first?.personName == "kim")
            #expect(support.changes.first?.after == nil && support.changes.first?.address == "")
            #expect(support.mentions.map(\.user) == [user] && support.notes.isEmpty && own.notes == support.mentions)
            #expect(await code { _ = try await read(core.operator(lee, as: .viewer)) } == .userPermission)
            // A time before or after has nothing of it, also one that ends before it begins.
            let later = try await read(core.operator(lee, as: .operator), from: core.clock.now)
            #expect(later.changes.isEmpty && later.notes.isEmpty)
            let none = try await read(core.operator(lee, as: .operator), from: core.clock.now, until: since)
            #expect(none.changes.isEmpty && none.notes.isEmpty)
        }
    }

    @Test("The names of an app are those of operators who may see it and may sign in")
    func names() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            #expect(try await core.operator(kim, as: .viewer).run(.operatorNames).contains(kim.name))
        }
    }
}
