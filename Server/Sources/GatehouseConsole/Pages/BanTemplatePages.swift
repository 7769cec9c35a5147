import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    func banTemplateList() async throws -> Response {
        let templates = try await run(ListBanTemplates())
        let found = try await run(CountBansOfTemplates())
        var page = Page(words("nav.ban-templates"), section: "ban-templates")
        page.result = try await resultLine()
        page.actions = links([("template.created", [:])], style: "primary")
        let table = Table(
            words("nav.ban-templates"),
            columns(["templates.code", "templates.name", "templates.reads", "templates.languages", "templates.used"]),
            templates.map { template in
                let count = found.counts[template.code] ?? 0
                let languages = template.texts.texts.keys.sorted().map(languageName).joined(separator: ", ")
                return TableRow(
                    [
                        .code(String(template.code)),
                        Cell(template.name, note: template.isArchived ? words("templates.archived") : nil),
                        Cell(shortened(text(of: template))),
                        Cell(languages),
                        Cell(Words.number(count), link: count == 0 ? nil : address("bans?template=\(template.code)")),
                    ],
                    actions: rowLinks(
                        [
                            ("template.edited", ["template": String(template.code)]),
                            (
                                template.isArchived ? "template.restored" : "template.archived",
                                ["template": String(template.code)]
                            ),
                        ]))
            }, empty: words("templates.empty"))
        let bound = ["bound": Words.number(CountBansOfTemplates.bound)]
        let part = found.isPart ? " \(words("templates.used-part", bound))" : ""
        return showList(page, sorted(table), intro: words("templates.intro") + part)
    }

    /// The text of a template in the person's language, or the one that a player with that language would read.
    private func text(of template: BanTemplate) -> String {
        template.texts.text(preferring: [words.language], fallback: place?.app.defaultLanguage ?? "en") ?? ""
    }

    private func shortened(_ text: String) -> String {
        text.count > 80 ? "\(text.prefix(80))…" : text
    }
}
