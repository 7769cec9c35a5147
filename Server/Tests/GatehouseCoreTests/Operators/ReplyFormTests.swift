import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

@Suite struct ReplyFormTests {
    private static let texts = ["title": "Ban", "text.en": "Until {end}.", "text.ko": "{end}까지"]

    private static func add(_ texts: [String: String], _ view: OperatorContext) throws -> AddReply {
        let values = OperatorForm.values(texts)
        return try AddReply(on: AddReply.about.subject.target(values), values, view)
    }

    @Test("A reply is added with the next id, changed, removed, and added again as it was")
    func life() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let view = try await OperatorForm.context(of: caller)
            let fields = try await OperatorForm.fields(AddReply.self, on: .reply(0), by: caller)
            #expect(fields.map(\.name) == ["reply", "title", "text.en", "text.ko"] && fields[0].value == "1")
            let add = try Self.add(OperatorForm.sent(fields, Self.texts), view)
            #expect(try await caller.run(ReadPreview(of: add)).playerReads.map(\.language) == ["en", "ko"])
            #expect(await code { try await core.operator(kim, as: .support).run(add) } == .userPermission)
            _ = try await OperatorForm.confirm(add, on: .reply(1), by: kim, as: .operator, at: core)
            let reply = Reply(id: 1, title: "Ban", texts: LocalizedText(["en": "Until {end}.", "ko": "{end}까지"]))
            #expect(try await core.operator(kim, as: .support).run(.replies) == [reply])
            // The same page a second time does not replace it.
            #expect(await code { try await caller.run(add) } == .invalidParameter)
            #expect(await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: add)) } == ["title"])

            let begun = try await OperatorForm.fields(ChangeReply.self, on: .reply(1), by: caller)
            #expect(begun.map(\.value) == ["Ban", "Until {end}.", "{end}까지"])
            let same = try ChangeReply(on: .reply(1), OperatorForm.values(Self.texts), view)
            #expect(await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: same)) } == ["title"])
            let change = try ChangeReply(
                on: .reply(1), OperatorForm.values(["title": "Ban 2", "text.en": "Bye."]), view)
            let changed = try await OperatorForm.confirm(change, on: .reply(1), by: kim, as: .operator, at: core)
            let former = try await OperatorForm.fields(
                ChangeReply.self, on: .reply(1), ["earlier": try #require(changed)], by: caller)
            #expect(former.map(\.value) == begun.map(\.value))

            let remove = try RemoveReply(on: .reply(1))
            let removed = try await OperatorForm.confirm(remove, on: .reply(1), by: kim, as: .operator, at: core)
            #expect(try await caller.run(.replies).isEmpty)
            #expect(await code { try await caller.run(remove) } == .invalidParameter)
            #expect(
                await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: remove)) }?.isMissing == true)
            let again = try await OperatorForm.fields(
                AddReply.self, on: .reply(1), ["earlier": try #require(removed)], by: caller)
            #expect(again.map(\.value) == ["1", "Ban 2", "Bye.", ""])
        }
    }

    @Test("A reply needs a title and a text, and an app has fifty")
    func problems() async throws {
        try await TestCore.open { core in
            let caller = core.operator()
            let view = try await OperatorForm.context(of: caller)
            #expect(await OperatorForm.problems { _ = try Self.add([:], view) } == ["reply", "title", "text.en"])
            let good = Self.texts.merging(["reply": "7"]) { $1 }
            for (name, text) in [
                ("title", String(repeating: "x", count: 301)), ("title", "a\u{1}"), ("reply", "0"), ("reply", "x"),
                ("text.en", String(repeating: "x", count: 2_001)),
            ] {
                let typed = good.merging([name: text]) { $1 }
                #expect(await OperatorForm.problems { _ = try Self.add(typed, view) } == [name], "\(name)")
            }
            for id in 1...Reply.maximum {
                try await caller.run(Self.add(good.merging(["reply": "\(id)"]) { $1 }, view))
            }
            let more = try Self.add(good.merging(["reply": "51"]) { $1 }, view)
            #expect(await code { try await caller.run(more) } == .invalidParameter)
        }
    }
}
