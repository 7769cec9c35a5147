import GatehousePlatform
import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

extension Work {
    /// Sets a template with a text for each language. It replaces one with the same code, and existing bans show its new text.
    fileprivate func setBanTemplate(_ code: Int, name: String, texts: [String: String]) async throws {
        try await transact { change, tx in
            let isNew = try HoldQueries.banTemplate(code, app: change.app.id, in: tx) == nil
            try BanRules.setTemplate(code, name: name, texts: LocalizedText(texts), app: change.app.id, in: tx)
            try change.record(isNew ? .banTemplateAdded : .banTemplateChanged, in: tx)
        }
    }
}

/// Adds a template with a text for each language, or at the command replaces the one with the same code.
package struct AddBanTemplate: OperatorAction {
    package static let about = OperatorActionAbout(
        "template.created", role: .operator, step: .confirmed, section: "ban-templates", subject: .banTemplate,
        undo: ChangeBanTemplate.self)
    package static let inputs: [Input<Self>] = [.code, .templateName(\.name), .templateTexts(\.texts)]

    var code: Int
    var name = ""
    var texts: [String: String] = [:]

    package init(on target: ActionTarget) throws {
        code = try target.requireBanTemplate()
    }

    package init(code: Int, name: String, texts: [String: String]) {
        (self.code, self.name, self.texts) = (code, name, texts)
    }

    package var subject: ActionTarget { .banTemplate(code) }
    /// By the name of what happens.
    package var audited: AuditedRun? { AuditedRun(on: subject) }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        let last = try BanQueries.templates(of: context.app.id, in: tx).map(\.code).max() ?? 0
        code = min(last + 1, BanRules.templateCodes.upperBound)
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        guard try HoldQueries.banTemplate(code, app: context.app.id, in: tx) == nil else {
            throw InputProblems(["template": "problem.template-taken"])
        }
        var preview = Preview(
            Phrase("templates.create-title", ["name": .text(name)]),
            ["templates.create-what", context.fallBack(of: texts)], undo: "templates.undo")
        preview.playerReads = Preview.readings(texts)
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.setBanTemplate(code, name: name, texts: texts)
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

    package init(on target: ActionTarget) throws {
        code = try target.requireBanTemplate()
    }

    package var subject: ActionTarget { .banTemplate(code) }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        let template = try context.banTemplate(code, in: tx)
        let before = try context.earlier(earlier, in: tx)?.before
        name = before?.values["name"] ?? template.name
        texts = before?.texts("text.") ?? template.texts.texts
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let template = try context.banTemplate(code, in: tx)
        var preview = Preview(
            Phrase("templates.edit-title", ["name": .text(template.name)]),
            [try context.readers(of: template, in: tx), context.fallBack(of: texts)], undo: "templates.undo")
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
        try await work.setBanTemplate(code, name: name, texts: texts)
    }
}

/// Archives a template, so that no new ban can have it. Existing bans go on showing its text.
package struct ArchiveBanTemplate: OperatorAction {
    package static let about = OperatorActionAbout(
        "template.archived", role: .operator, step: .confirmed, section: "ban-templates", subject: .banTemplate,
        undo: RestoreBanTemplate.self)

    let code: Int

    package init(on target: ActionTarget) throws {
        code = try target.requireBanTemplate()
    }

    package var subject: ActionTarget { .banTemplate(code) }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let template = try context.banTemplate(code, isArchived: false, in: tx)
        return Preview(
            Phrase("templates.archive-title", ["name": .text(template.name)]),
            ["templates.archive-what", try context.readers(of: template, in: tx)], undo: "templates.archive-undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try BanRules.archiveTemplate(code, true, change, in: tx) }
    }
}

/// Takes a template out of the archive, so that new bans can have it again.
package struct RestoreBanTemplate: OperatorAction {
    package static let about = OperatorActionAbout(
        "template.restored", role: .operator, step: .confirmed, section: "ban-templates", subject: .banTemplate,
        undo: ArchiveBanTemplate.self)

    let code: Int

    package init(on target: ActionTarget) throws {
        code = try target.requireBanTemplate()
    }

    package var subject: ActionTarget { .banTemplate(code) }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let template = try context.banTemplate(code, isArchived: true, in: tx)
        return Preview(
            Phrase("templates.restore-title", ["name": .text(template.name)]), ["templates.restore-what"],
            undo: "templates.restore-undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try BanRules.archiveTemplate(code, false, change, in: tx) }
    }
}

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

extension ActionTarget {
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

extension OperatorContext {
    /// - Throws: ``ImpossibleAction`` if the app has no such template.
    func banTemplate(_ code: Int, in tx: Reader) throws -> BanTemplate {
        guard let template = try HoldQueries.banTemplate(code, app: app.id, in: tx) else {
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
        let found = try BansOfTemplates(of: app.id, at: moment, in: tx)
        let count = Phrase.Value.count(found.counts[template.code] ?? 0)
        guard found.isPart else { return Phrase("templates.readers", ["count": count]) }
        return Phrase("templates.readers-part", ["count": count, "bound": .number(BansOfTemplates.bound)])
    }

    /// What a player reads whose language has no text.
    func fallBack(of texts: [String: String]) -> Phrase {
        let text = LocalizedText(texts).text(preferring: [], fallback: app.defaultLanguage)
        return Phrase("templates.fall-back", ["text": .text(text ?? "")])
    }
}

extension UseCase where Self == Read<[BanTemplate]> {
    /// The texts for banned players, in the order of their codes.
    package static var banTemplates: Self {
        Read { context, tx in try BanQueries.templates(of: context.app.id, in: tx) }
    }
}

/// How many bans in force show each template, among the newest bans alone, so that it costs the same in every app.
package struct BansOfTemplates: Sendable, Hashable {
    /// How many bans are looked at.
    package static let bound = 1_000

    /// By the code of the template.
    package let counts: [Int: Int]
    /// Whether there may be more bans than were looked at.
    package let isPart: Bool

    init(of app: AppID, at moment: Moment, in tx: Reader) throws {
        let counts = try BanQueries.countsOfTemplates(at: moment, app: app, lookingAt: Self.bound, in: tx)
        var ofTemplates: [Int: Int] = [:]
        for case (let code?, let count) in counts { ofTemplates[code] = count }
        self.counts = ofTemplates
        isPart = counts.values.reduce(0, +) >= Self.bound
    }
}

extension UseCase where Self == Read<BansOfTemplates> {
    /// How many bans in force show each template.
    package static var bansOfTemplates: Self {
        Read { context, tx in try BansOfTemplates(of: context.app.id, at: context.moment, in: tx) }
    }
}
