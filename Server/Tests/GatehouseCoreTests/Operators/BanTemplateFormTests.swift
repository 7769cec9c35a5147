import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

@Suite struct BanTemplateFormTests {
    private static func add(_ texts: [String: String], _ view: OperatorContext) throws -> AddBanTemplate {
        let values = OperatorForm.values(texts)
        return try AddBanTemplate(on: AddBanTemplate.about.subject.target(values), values, view)
    }

    @Test("A template's form offers the next code, and takes a name and at least one text")
    func form() async throws {
        try await TestCore.open { core in
            let caller = core.operator()
            func fields() async throws -> [InputField] {
                try await OperatorForm.fields(AddBanTemplate.self, on: .banTemplate(0), by: caller)
            }
            let first = try await fields()
            #expect(first.map(\.name) == ["template", "name", "text.en", "text.ko"])
            #expect(first.map(\.value) == ["1", "", "", ""] && first.map(\.help).suffix(2) == [nil, nil])
            try await caller.run(AddBanTemplate(code: 7, name: "cheats", texts: ["en": "No cheats."]))
            #expect(try await fields().first?.value == "8")
            // The last code has no next one.
            try await caller.run(AddBanTemplate(code: 1_000_000, name: "bots", texts: ["en": "No bots."]))
            #expect(try await fields().first?.value == "1000000")

            let view = try await OperatorForm.context(of: caller)
            let good = ["template": "9", "name": "x", "text.en": "x"]
            func problems(_ name: String, _ text: String) async -> Set<String> {
                await OperatorForm.problems { _ = try Self.add(good.merging([name: text]) { $1 }, view) }
            }
            for code in ["", "0", "-1", "1000001", "x"] { #expect(await problems("template", code) == ["template"]) }
            for name in [" ", String(repeating: "x", count: 101)] { #expect(await problems("name", name) == ["name"]) }
            #expect(await problems("text.en", " ") == ["text.en"])
            #expect(await OperatorForm.problems { _ = try Self.add([:], view) } == ["template", "name", "text.en"])
            #expect(
                await OperatorForm.problems {
                    let taken = try Self.add(good.merging(["template": "7"]) { $1 }, view)
                    _ = try await caller.run(ReadPreview(of: taken))
                } == ["template"])
        }
    }

    @Test("A new template says what is read in a language without a text, and can be chosen then")
    func add() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let view = try await OperatorForm.context(of: caller)
            let add = try Self.add(
                ["template": "7", "name": "cheats", "text.ko": "정지", "text.en": "No cheats."], view)
            let preview = try await caller.run(ReadPreview(of: add))
            #expect(preview.title == Phrase("templates.create-title", ["name": .text("cheats")]))
            #expect(preview.consequences.last == Phrase("templates.fall-back", ["text": .text("No cheats.")]))
            #expect(preview.playerReads.map(\.language) == ["en", "ko"] && !preview.isDangerous)
            #expect(await code { try await core.operator(kim, as: .support).run(add) } == .userPermission)
            #expect(try await caller.run(.banTemplates).isEmpty)
            try await caller.run(add)
            let template = try #require(try await caller.run(.banTemplates).first)
            #expect(template.code == 7 && template.name == "cheats" && template.texts.texts["ko"] == "정지")
        }
    }

    @Test("A template's change begins with what it says, and shows what will be different and for how many")
    func change() async throws {
        try await TestCore.open { core in
            let caller = core.operator()
            let target = ActionTarget.banTemplate(7)
            let missing = await OperatorForm.impossible {
                _ = try await OperatorForm.fields(ChangeBanTemplate.self, on: target, by: caller)
            }
            #expect(missing?.isMissing == true)
            try await caller.run(AddBanTemplate(code: 7, name: "cheats", texts: ["en": "No cheats.", "fr": "Non."]))
            try await core.ban([try await core.player("alice").user], template: 7)
            let fields = try await OperatorForm.fields(ChangeBanTemplate.self, on: target, by: caller)
            #expect(fields.map(\.name) == ["name", "text.en", "text.ko", "text.fr"])
            #expect(fields.map(\.value) == ["cheats", "No cheats.", "", "Non."])

            let view = try await OperatorForm.context(of: caller)
            func change(_ texts: [String: String]) throws -> ChangeBanTemplate {
                try ChangeBanTemplate(on: target, OperatorForm.values(texts), view)
            }
            let same = try change(["name": "cheats", "text.en": "No cheats.", "text.fr": "Non."])
            #expect(await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: same)) } == ["name"])
            let good = try change(["name": "bots", "text.en": "No cheats.", "text.ko": "정지"])
            let preview = try await caller.run(ReadPreview(of: good))
            #expect(preview.consequences.first == Phrase("templates.readers", ["count": .count(1)]))
            let rows = preview.table?.rows.map { row in
                row.map { cell in if case .text(let phrase, _) = cell { phrase } else { Phrase("") } }
            }
            #expect(
                rows == [
                    ["templates.name", .verbatim("cheats"), .verbatim("bots")],
                    [.verbatim("fr"), .verbatim("Non."), .verbatim("–")],
                    [.verbatim("ko"), .verbatim("–"), .verbatim("정지")],
                ])
            let kim = try #require(try await core.person().live).person
            let record = try #require(try await OperatorForm.confirm(good, on: target, by: kim, at: core))
            let template = try #require(try await caller.run(.banTemplates).first)
            #expect(template.name == "bots" && template.texts.texts == ["en": "No cheats.", "ko": "정지"])
            let undo = try await OperatorForm.fields(
                ChangeBanTemplate.self, on: target, ["earlier": record], by: caller)
            #expect(undo.map(\.value) == ["cheats", "No cheats.", "", "Non."])
        }
    }

    @Test("A template goes into the archive once, where nobody chooses it, and comes back out of it once")
    func archive() async throws {
        try await TestCore.open { core in
            let caller = core.operator()
            let target = ActionTarget.banTemplate(7)
            func obstacle<A: OperatorAction>(_ action: A) async -> ImpossibleAction? {
                await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: action)) }
            }
            #expect(await obstacle(try ArchiveBanTemplate(on: target))?.isMissing == true)
            try await caller.run(AddBanTemplate(code: 7, name: "cheats", texts: ["en": "No cheats."]))
            let (archive, restore) = (try ArchiveBanTemplate(on: target), try RestoreBanTemplate(on: target))
            #expect(await obstacle(restore)?.phrase == "problem.no-change")
            let preview = try await caller.run(ReadPreview(of: archive))
            #expect(preview.title == Phrase("templates.archive-title", ["name": .text("cheats")]))
            #expect(preview.consequences.last == Phrase("templates.readers", ["count": .count(0)]))
            try await caller.run(archive)
            #expect(try await caller.run(.banTemplates).map(\.isArchived) == [true])
            let alice = try await core.player("alice").user
            #expect(await code { try await core.ban([alice], template: 7) } == .invalidParameter)
            func offered() async throws -> [String] {
                let fields = try await OperatorForm.fields(BanMember.self, on: .member(alice), by: caller)
                guard case .choice(let options) = fields.last?.kind else { return [] }
                return options.map(\.value)
            }
            #expect(try await offered() == [""])
            #expect(await obstacle(archive)?.phrase == "problem.no-change")
            #expect(
                try await caller.run(ReadPreview(of: restore)).title
                    == Phrase("templates.restore-title", ["name": .text("cheats")]))
            try await caller.run(restore)
            #expect(try await caller.run(.banTemplates).map(\.isArchived) == [false])
            #expect(try await offered() == ["", "7"])
            #expect(await code { _ = try RestoreBanTemplate(on: .app) } == .invalidParameter)
        }
    }
}
