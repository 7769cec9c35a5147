import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

// What the forms about templates have in common.
extension Input {
    /// A template's name, which only operators see.
    static func templateName(_ path: any WritableKeyPath<A, String> & Sendable) -> Self {
        Input { action, _, _ in
            [
                InputField(
                    name: "name", label: "templates.name", kind: .text, value: action[keyPath: path],
                    help: "templates.name-help", isRequired: true, limit: 100)
            ]
        } read: { action, values, _ in
            guard let name = values.text("name"), name.utf8.count <= 100 else {
                throw InputProblems(["name": "problem.template-name"])
            }
            action[keyPath: path] = name
        }
    }

    /// What banned players read, by language.
    static func templateTexts(_ path: any WritableKeyPath<A, [String: String]> & Sendable) -> Self {
        let name = "text"
        let fields = texts(name, path, label: "templates.text", defaultHelp: nil).fields
        return Input(fields: fields) { action, values, _ in
            let texts = try values.localized(name, bytes: 4_000)
            guard (1...50).contains(texts.count) else {
                throw InputProblems(["\(name).en": "problem.template-text"])
            }
            action[keyPath: path] = texts
        }
    }
}

extension DeedTarget {
    /// The code of a template, which may be none of the app's.
    ///
    /// - Throws: 3 if it is no template.
    func requireBanTemplate() throws -> Int {
        guard case .banTemplate(let code) = self else {
            throw Refusal.parameter("template", "The action is about a ban template.")
        }
        return code
    }
}

extension OperatorView {
    /// - Throws: ``ImpossibleAction`` if the app has no such template.
    func banTemplate(_ code: Int, in tx: Reader) throws -> BanTemplate {
        guard let template = try HoldQueries.banTemplate(code, app: app, in: tx) else {
            throw ImpossibleAction(phrase: "error.no-page", parameter: "template", isMissing: true)
        }
        return template
    }

    /// - Throws: ``ImpossibleAction`` if the app has no such template, or if it is not in the archive, or else is.
    func banTemplate(_ code: Int, isArchived: Bool, in tx: Reader) throws -> BanTemplate {
        let template = try banTemplate(code, in: tx)
        guard template.isArchived == isArchived else {
            throw ImpossibleAction(phrase: "problem.no-change", parameter: "template")
        }
        return template
    }

    /// How many players read a template now.
    func readers(of template: BanTemplate, in tx: Reader) throws -> Phrase {
        let found = try CountBansOfTemplates.read(at: moment, app: app, in: tx)
        let count = Phrase.Value.count(found.counts[template.code] ?? 0)
        guard found.isPart else { return Phrase("templates.readers", ["count": count]) }
        return Phrase("templates.readers-part", ["count": count, "bound": .number(CountBansOfTemplates.bound)])
    }

    /// What a player reads whose language has no text.
    func fallBack(of texts: [String: String]) -> Phrase {
        let text = LocalizedText(texts).text(preferring: [], fallback: view.app.defaultLanguage)
        return Phrase("templates.fall-back", ["text": .text(text ?? "")])
    }
}
