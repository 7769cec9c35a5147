import GatehouseCore
import GatehouseSecurity
import GatehouseWire

extension Console {
    /// The texts that banned players read.
    static let banTextDeeds = [createTemplate, editTemplate, archiveTemplate, restoreTemplate]

    private static func code(_ values: FormValues) -> Int? {
        values["template"].flatMap { Int($0) }.flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    }

    private static func template(_ values: FormValues) throws -> DeedTarget { .banTemplate(code(values) ?? 0) }

    private static let createTemplate = DeedKind(
        name: "template.created", level: .confirmed, role: .operator, section: "ban-templates",
        undo: "template.edited", target: template,
        fields: { visit, _ in
            let next = (try await visit.run(ListBanTemplates()).map(\.code).max() ?? 0) + 1
            return [
                Field(
                    "template", visit.words("templates.code"), .number, value: String(min(next, 1_000_000)),
                    help: visit.words("templates.code-help"), isRequired: true, limit: 7)
            ] + templateFields(visit, nil)
        },
        preview: { visit, values in
            guard let code = code(values) else {
                throw FormProblems(["template": visit.words("problem.template-code")])
            }
            guard try await visit.run(ListBanTemplates()).allSatisfy({ $0.code != code }) else {
                throw FormProblems(["template": visit.words("problem.template-taken")])
            }
            let texts = try templateTexts(visit, values)
            var preview = DeedPreview(
                visit.words("templates.create-title", ["name": values["name"] ?? ""]),
                [visit.words("templates.create-what"), fallBack(visit, texts)],
                undo: visit.words("templates.undo"), button: visit.words("deed.template.created"),
                cancel: visit.address("ban-templates"))
            preview.playerReads = texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            return preview
        },
        perform: { visit, values, call in
            try await call.run(
                SetBanTemplate(
                    code: code(values) ?? 0, name: values["name"] ?? "", texts: try templateTexts(visit, values)))
            return DeedResult(visit.address("ban-templates"))
        })

    private static let editTemplate = DeedKind(
        name: "template.edited", level: .confirmed, role: .operator, section: "ban-templates", undo: "template.edited",
        target: template,
        fields: { visit, values in templateFields(visit, try await visit.banTemplate(code(values))) },
        preview: { visit, values in
            let template = try await visit.banTemplate(code(values))
            let texts = try templateTexts(visit, values)
            let count = try await visit.run(CountBansOfTemplates())[template.code] ?? 0
            var preview = DeedPreview(
                visit.words("templates.edit-title", ["name": template.name]),
                [visit.words("templates.readers", ["count": String(count)]), fallBack(visit, texts)],
                undo: visit.words("templates.undo"), button: visit.words("deed.template.edited"),
                cancel: visit.address("ban-templates"))
            preview.playerReads = texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            let languages = Set(template.texts.texts.keys).union(texts.keys).sorted()
            let changed = languages.filter { template.texts.texts[$0] != texts[$0] }
            let isRenamed = template.name != values["name"]
            guard isRenamed || !changed.isEmpty else {
                throw FormProblems(["name": visit.words("problem.nothing-changed")])
            }
            preview.table = Table(
                visit.words("templates.difference"),
                [visit.words("templates.what"), visit.words("templates.before"), visit.words("templates.after")],
                (isRenamed
                    ? [
                        TableRow([Cell(visit.words("templates.name")), Cell(template.name), Cell(values["name"] ?? "")])
                    ]
                    : [])
                    + changed.map { language in
                        TableRow([
                            Cell(language), Cell(template.texts.texts[language] ?? "–"), Cell(texts[language] ?? "–"),
                        ])
                    }, empty: "")
            return preview
        },
        perform: { visit, values, call in
            let template = try await visit.banTemplate(code(values))
            try await call.run(
                SetBanTemplate(
                    code: template.code, name: values["name"] ?? "", texts: try templateTexts(visit, values)))
            return DeedResult(visit.address("ban-templates"))
        })

    private static let archiveTemplate = archiving(true, "template.archived", undo: "template.restored")
    private static let restoreTemplate = archiving(false, "template.restored", undo: "template.archived")

    /// A text is archived and never deleted, because bans of before show it.
    private static func archiving(_ isArchived: Bool, _ name: String, undo: String) -> DeedKind {
        DeedKind(
            name: name, level: .confirmed, role: .operator, section: "ban-templates", undo: undo, target: template,
            preview: { visit, values in
                let template = try await visit.banTemplate(code(values))
                guard template.isArchived != isArchived else {
                    throw Refusal.parameter("template", visit.words("problem.no-change"))
                }
                let count = try await visit.run(CountBansOfTemplates())[template.code] ?? 0
                let sentences =
                    isArchived
                    ? [
                        visit.words("templates.archive-what"),
                        visit.words("templates.readers", ["count": String(count)]),
                    ] : [visit.words("templates.restore-what")]
                return DeedPreview(
                    visit.words(
                        isArchived ? "templates.archive-title" : "templates.restore-title", ["name": template.name]),
                    sentences, undo: visit.words(isArchived ? "templates.archive-undo" : "templates.restore-undo"),
                    button: visit.words("deed.\(name)"), cancel: visit.address("ban-templates"))
            },
            perform: { visit, values, call in
                let template = try await visit.banTemplate(code(values))
                try await call.run(ArchiveBanTemplate(code: template.code, isArchived: isArchived))
                return DeedResult(visit.address("ban-templates"))
            })
    }

    private static func templateFields(_ visit: Visit, _ template: BanTemplate?) -> [Field] {
        let known = template?.texts.texts ?? [:]
        let languages = Words.languages + known.keys.filter { !Words.languages.contains($0) }.sorted()
        return [
            Field(
                "name", visit.words("templates.name"), value: template?.name ?? "",
                help: visit.words("templates.name-help"), isRequired: true, limit: 100)
        ]
            + languages.map { language in
                let name = visit.words.optional("language.\(language)") ?? language
                return Field(
                    "text.\(language)", "\(visit.words("templates.text")) (\(name))", .lines,
                    value: known[language] ?? "", limit: 1_000)
            }
    }

    private static func templateTexts(_ visit: Visit, _ values: FormValues) throws -> [String: String] {
        let texts = values.texts("text").filter { (2...35).contains($0.key.utf8.count) && $0.value.utf8.count <= 4_000 }
        guard !texts.isEmpty, texts.count <= 50 else {
            throw FormProblems(["text.en": visit.words("problem.template-text")])
        }
        guard let name = values["name"], name.utf8.count <= 100 else {
            throw FormProblems(["name": visit.words("problem.template-name")])
        }
        return texts
    }

    /// What a player reads whose language has no text.
    private static func fallBack(_ visit: Visit, _ texts: [String: String]) -> String {
        let fallback = visit.place?.app.defaultLanguage ?? "en"
        let read = LocalizedText(texts).text(preferring: [], fallback: fallback) ?? ""
        return visit.words("templates.fall-back", ["text": read])
    }
}

extension Visit {
    fileprivate func banTemplate(_ code: Int?) async throws -> BanTemplate {
        guard let template = try await run(ListBanTemplates()).first(where: { $0.code == code }) else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        return template
    }
}
