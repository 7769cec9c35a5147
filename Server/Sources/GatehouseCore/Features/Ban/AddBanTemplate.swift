package import GatehouseStorage
import GatehouseWire

/// Adds a template with a text for each language.
package struct AddBanTemplate: OperatorAction {
    package static let about = OperatorActionAbout(
        "template.created", role: .operator, step: .confirmed, section: "ban-templates", subject: .banTemplate,
        undo: ChangeBanTemplate.self)
    package static let inputs: [Input<Self>] = [.code, .templateName(\.name), .templateTexts(\.texts)]

    var code: Int
    var name = ""
    var texts: [String: String] = [:]

    package init(on target: DeedTarget) throws {
        code = try target.requireBanTemplate()
    }

    package var subject: DeedTarget { .banTemplate(code) }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        let last = try BanQueries.templates(of: view.app, in: tx).map(\.code).max() ?? 0
        code = min(last + 1, BanRules.templateCodes.upperBound)
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        guard try HoldQueries.banTemplate(code, app: view.app, in: tx) == nil else {
            throw InputProblems(["template": "problem.template-taken"])
        }
        var preview = Preview(
            Phrase("templates.create-title", ["name": .text(name)]),
            ["templates.create-what", view.fallBack(of: texts)], undo: "templates.undo")
        preview.playerReads = Preview.readings(texts)
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await SetBanTemplate(code: code, name: name, texts: texts).perform(work)
    }
}

extension Input<AddBanTemplate> {
    /// The template's code, which the target has.
    fileprivate static var code: Self {
        Input { action, _, _ in
            [
                InputField(
                    name: "template", label: "templates.code", kind: .number, value: String(action.code),
                    help: "templates.code-help", isRequired: true, limit: 7)
            ]
        } read: { action, _, _ in
            guard BanRules.templateCodes.contains(action.code) else {
                throw InputProblems(["template": "problem.template-code"])
            }
        }
    }
}
