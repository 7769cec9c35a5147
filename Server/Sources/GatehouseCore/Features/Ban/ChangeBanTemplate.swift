import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// Changes a template. Existing bans show its new text.
package struct ChangeBanTemplate: OperatorAction {
    package static let about = OperatorActionAbout(
        "template.edited", role: .operator, step: .confirmed, section: "ban-templates", subject: .banTemplate,
        undo: ChangeBanTemplate.self)
    package static let inputs: [Input<Self>] = [
        .earlier(\.earlier), .templateName(\.name), .templateTexts(\.texts),
    ]

    let code: Int
    /// The id of an earlier change, which this one takes back.
    var earlier: String?
    var name = ""
    var texts: [String: String] = [:]

    package init(on target: DeedTarget) throws {
        code = try target.requireBanTemplate()
    }

    package var subject: DeedTarget { .banTemplate(code) }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        let template = try view.banTemplate(code, in: tx)
        let before = try view.earlier(earlier, in: tx)?.before
        name = before?.values["name"] ?? template.name
        texts = before?.texts("text.") ?? template.texts.texts
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let template = try view.banTemplate(code, in: tx)
        var preview = Preview(
            Phrase("templates.edit-title", ["name": .text(template.name)]),
            [try view.readers(of: template, in: tx), view.fallBack(of: texts)], undo: "templates.undo")
        preview.playerReads = Preview.readings(texts)
        preview.table = try difference(from: template)
        return preview
    }

    /// - Throws: ``InputProblems`` if there is none.
    private func difference(from template: BanTemplate) throws -> Preview.Table {
        let before = template.texts.texts
        let changed = Set(before.keys).union(texts.keys).sorted().filter { before[$0] != texts[$0] }
        var rows = changed.map { language in
            [language, before[language] ?? "–", texts[language] ?? "–"].map { Preview.Cell.text(.verbatim($0)) }
        }
        if name != template.name {
            rows.insert(
                [.text("templates.name"), .text(.verbatim(template.name)), .text(.verbatim(name))], at: 0)
        }
        guard !rows.isEmpty else { throw InputProblems(["name": "problem.nothing-changed"]) }
        return Preview.Table(
            caption: "templates.difference", columns: ["templates.what", "templates.before", "templates.after"],
            rows: rows)
    }

    package func perform(_ work: Work) async throws {
        try await SetBanTemplate(code: code, name: name, texts: texts).perform(work)
    }
}
