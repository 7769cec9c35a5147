import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// Bans, their texts, grace bans and withdrawals.
extension Console {
    static func addBans(to pages: Pages) {
        pages.app("/bans") { page in try await page.banList() }
        pages.app("/bans.csv", as: ExportBans.role) { page in try await page.banFile() }
        pages.app("/ban-templates") { page in try await page.banTemplateList() }
        pages.app("/replies") { page in try await page.replyList() }
        pages.app("/grace-bans") { page in try await page.graceBanList() }
        pages.app("/withdrawals") { page in try await page.withdrawalPage() }
    }

    /// A ban, and the name of its text or else its code.
    static let banColumns = ChosenList<(ban: BanRecord, text: String?)>(
        name: "bans",
        columns: [
            .init("members.id") { page, row in page.member(row.ban.user) },
            .init("members.state") { page, row in
                let state = row.ban.state(at: page.moment)
                return Cell(
                    page.words("bans.state.\(state.rawValue)"), badge: state == .inForce ? "bad" : "plain")
            },
            .init("bans.begun") { page, row in .time(row.ban.beginsAt, page.local) },
            .init("bans.ends") { page, row in
                row.ban.endsAt.map { .time($0, page.local) } ?? Cell(page.words("bans.for-good"))
            },
            .init("bans.template") { _, row in Cell(row.text ?? "–") },
            .init("bans.reason") { _, row in Cell(row.ban.reason) },
            .init("bans.by") { page, row in page.by(row.ban) },
            .init("bans.released") { page, row in
                var cell = Cell.time(row.ban.release?.at, page.local)
                if let release = row.ban.release { cell.note = "\(release.by): \(release.reason)" }
                return cell
            },
        ])
}

extension PageRequest {
    private static let everyState = "all"

    /// What the address chooses; without a state the bans in force.
    var banFilter: BanFilter {
        let state = query["state"] ?? BanRecord.State.inForce.rawValue
        return BanFilter(
            state: BanRecord.State(rawValue: state) ?? (state == Self.everyState ? nil : .inForce),
            template: query["template"].flatMap { Int($0) }, by: query["by"].map { String($0.prefix(128)) },
            reason: query["reason"].map { String($0.prefix(200)) })
    }

    fileprivate func banList() async throws -> Response {
        let filter = banFilter
        let outcome = try await run(.bans(where: filter, before: after, limit: rows))
        let templates = try await run(.banTemplates)
        let names = Dictionary(templates.map { ($0.code, $0.name) }) { first, _ in first }
        let isFiltered = ["template", "by", "reason"].contains { query.isSet($0) } || filter.state != .inForce
        let table = listed(
            Console.banColumns, words("bans.list.\(filter.state?.rawValue ?? Self.everyState)"),
            without: filter.state == .inForce ? ["members.state", "bans.released"] : [],
            outcome.found.map { ban in (ban, ban.templateCode.map { names[$0] ?? String($0) }) },
            empty: words(isFiltered ? "frame.nothing-matches" : "bans.nobody")
        ) { element, row in
            let ban = element.ban
            row.place = ban.id
            guard ban.state(at: moment) == .inForce, mayChange(ban) else { return }
            let user = ["user": ban.user.rawValue]
            row.actions = rowLinks([(ChangeBan.self, user), (ReleaseBan.self, user)])
        }
        var page = Page(words("nav.bans"), section: "bans")
        page.result = try await resultLine()
        page.actions = links([(BanListedMembers.self, [:])], style: "primary") + links([(ReleaseListedBans.self, [:])])
        if may(ExportBans.role), !outcome.found.isEmpty {
            page.actions.append(Link(words("chart.csv"), address("bans.csv") + "?\(query.encoded)"))
        }
        let stopped = stopped(at: outcome.stoppedAt?.beginsAt)
        return showList(
            page, paged(table, next: outcome.next), intro: stopped, filters: banFilters(filter, templates),
            chips: chips([
                ("template", words("bans.template")), ("by", words("bans.by")), ("reason", words("bans.reason")),
            ]))
    }

    private func banFilters(_ filter: BanFilter, _ templates: [BanTemplate]) -> [Field] {
        let states = BanRecord.State.allCases.map(\.rawValue) + [Self.everyState]
        return [
            Field(
                "state", words("members.state"),
                .choice(states.map { Field.Option($0, words("bans.state.\($0)")) }),
                value: filter.state?.rawValue ?? Self.everyState),
            Field(
                "template", words("bans.template"),
                .choice(
                    [Field.Option("", words("frame.all"))]
                        + templates.map { Field.Option(String($0.code), $0.name) }),
                value: filter.template.map { String($0) } ?? ""),
            Field("by", words("bans.by"), value: query["by"] ?? "", limit: 128),
            Field("reason", words("bans.reason"), value: query["reason"] ?? "", limit: 200),
        ]
    }

    /// Who has banned. A name that is that of the caller, such as the terminal's, is not said twice.
    fileprivate func by(_ ban: BanRecord) -> Cell {
        let caller = words.optional("bans.caller.\(ban.caller)") ?? ban.caller
        return Cell(ban.registeredBy, note: ban.registeredBy == "operator" ? nil : caller)
    }

    func mayChange(_ ban: BanRecord) -> Bool { Actor.operator(person, as: role).mayChange(ban) }
}

extension PageRequest {
    /// The newest bans that the list's filters leave, as a file.
    func banFile() async throws -> Response {
        let bans = try await run(ExportBans(banFilter))
        let templates = try await run(.banTemplates)
        let names = Dictionary(templates.map { ($0.code, $0.name) }) { first, _ in first }
        var file = CSV()
        file.append(
            [
                "ban_id", "user_id", "state", "begins_at", "ends_at", "text", "text_name", "reason", "flags", "caller",
                "banned_by", "released_at", "release_caller", "released_by", "release_reason",
            ].map(CSV.cell))
        for ban in bans {
            let cells: [String?] = [
                ban.id, ban.user.rawValue, ban.state(at: moment).rawValue, local.machine(ban.beginsAt),
                ban.endsAt.map { local.machine($0) }, ban.templateCode.map { String($0) },
                ban.templateCode.flatMap { names[$0] }, ban.reason, ban.flags, ban.caller, ban.registeredBy,
                ban.release.map { local.machine($0.at) }, ban.release?.caller, ban.release?.by, ban.release?.reason,
            ]
            file.append(cells.map { CSV.cell($0 ?? "") })
        }
        return Console.file(file, named: "\(try app().id)-bans.csv")
    }
}

extension PageRequest {
    func banTemplateList() async throws -> Response {
        let templates = try await run(.banTemplates)
        let found = try await run(.bansOfTemplates)
        var page = Page(words("nav.ban-templates"), section: "ban-templates")
        page.result = try await resultLine()
        page.actions = links([(AddBanTemplate.self, [:])], style: "primary")
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
                            (ChangeBanTemplate.self, ["template": String(template.code)]),
                            (
                                template.isArchived ? RestoreBanTemplate.self : ArchiveBanTemplate.self,
                                ["template": String(template.code)]
                            ),
                        ]))
            }, empty: words("templates.empty"))
        let bound = ["bound": Words.number(BansOfTemplates.bound)]
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
