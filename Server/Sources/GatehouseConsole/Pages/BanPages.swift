import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// Bans, their texts, grace bans and withdrawals.
extension Console {
    static func addBans(to pages: Pages) {
        pages.app("/bans") { visit in try await visit.banList() }
        pages.app("/bans.csv", as: ExportBans.role) { visit in try await visit.banFile() }
        pages.app("/ban-templates") { visit in try await visit.banTemplateList() }
        pages.app("/replies") { visit in try await visit.replyList() }
        pages.app("/grace-bans") { visit in try await visit.graceBanList() }
        pages.app("/withdrawals") { visit in try await visit.withdrawalPage() }
    }
}

extension Visit {
    private static let everyState = "all"

    /// What the address chooses; without a state the bans in force.
    var banFilter: SearchBans.Filter {
        let state = query["state"] ?? BanRecord.State.inForce.rawValue
        return SearchBans.Filter(
            state: BanRecord.State(rawValue: state) ?? (state == Self.everyState ? nil : .inForce),
            template: query["template"].flatMap { Int($0) }, by: query["by"].map { String($0.prefix(128)) },
            reason: query["reason"].map { String($0.prefix(200)) })
    }

    fileprivate func banList() async throws -> Response {
        let filter = banFilter
        let outcome = try await run(SearchBans(filter, before: after, limit: rows))
        let templates = try await run(ListBanTemplates())
        let names = Dictionary(templates.map { ($0.code, $0.name) }) { first, _ in first }
        let isFiltered = ["template", "by", "reason"].contains { query.isSet($0) } || filter.state != .inForce
        let table = listed(
            .bans, words("bans.list.\(filter.state?.rawValue ?? Self.everyState)"),
            without: filter.state == .inForce ? ["members.state", "bans.released"] : [],
            outcome.found.map { banRow($0, names, isCurrent: filter.state == .inForce) },
            empty: words(isFiltered ? "frame.nothing-matches" : "bans.nobody"))
        var page = Page(words("nav.bans"), section: "bans")
        page.result = try await resultLine()
        page.actions = links([("members.banned", [:])], style: "primary") + links([("members.released", [:])])
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

    private func banFilters(_ filter: SearchBans.Filter, _ templates: [BanTemplate]) -> [Field] {
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

    private func banRow(_ ban: BanRecord, _ templates: [Int: String], isCurrent: Bool) -> TableRow {
        let state = ban.state(at: moment)
        var cells = [
            member(ban.user),
            .time(ban.beginsAt, local), ban.endsAt.map { .time($0, local) } ?? Cell(words("bans.for-good")),
            Cell(ban.templateCode.map { templates[$0] ?? String($0) } ?? "–"), Cell(ban.reason),
            by(ban),
        ]
        if !isCurrent {
            cells.insert(Cell(words("bans.state.\(state.rawValue)"), badge: state == .inForce ? "bad" : "plain"), at: 1)
            var released = Cell.time(ban.release?.at, local)
            if let release = ban.release { released.note = "\(release.by): \(release.reason)" }
            cells.append(released)
        }
        var row = TableRow(cells)
        row.place = ban.id
        guard state == .inForce, mayChange(ban) else { return row }
        let user = ["user": ban.user.rawValue]
        row.actions = rowLinks([("ban.changed", user), ("ban.released", user)])
        return row
    }

    /// Who has banned. A name that is that of the caller, such as the terminal's, is not said twice.
    private func by(_ ban: BanRecord) -> Cell {
        let caller = words.optional("bans.caller.\(ban.caller)") ?? ban.caller
        return Cell(ban.registeredBy, note: ban.registeredBy == "operator" ? nil : caller)
    }

    func mayChange(_ ban: BanRecord) -> Bool { Actor.operator(person, as: role).mayChange(ban) }
}
