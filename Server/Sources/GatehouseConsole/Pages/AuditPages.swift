import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    func auditList() async throws -> Response {
        let outcome = try await run(
            SearchDeeds(
                by: query["by"].map { String($0.prefix(64)) }, action: query["action"].map { String($0.prefix(64)) },
                target: query["target"].map { String($0.prefix(100)) }, before: after, limit: rows))
        let names = ["by", "action", "target"]
        let isFiltered = names.contains { query.isSet($0) }
        var page = Page(words("nav.audit"), section: "audit")
        let actions = console.deeds.values.filter { !$0.isOfServer }.map(\.name).sorted()
        page.values = [
            "filters": [
                "fields": [
                    Field("by", words("audit.operator"), value: query["by"] ?? "", limit: 64),
                    Field(
                        "action", words("audit.action"),
                        .choice(
                            [Field.Option("", words("frame.all"))]
                                + actions.map { Field.Option($0, words("deed.\($0)")) }), value: query["action"] ?? ""),
                    Field("target", words("audit.target"), value: query["target"] ?? "", limit: 100),
                ]
            ],
            "chips": chips(names.map { ($0, words("audit.\($0 == "by" ? "operator" : $0)")) }), "hasChips": isFiltered,
            "rows": outcome.found.map(auditRow), "hasRows": !outcome.found.isEmpty,
            "table": paged(
                Table("", [], [], empty: words(isFiltered ? "frame.nothing-matches" : "audit.empty")),
                next: outcome.next),
        ]
        if !may(.operator) { page.values["intro"] = words("audit.own") }
        if let last = outcome.stoppedAt {
            page.values["intro"] = words("list.stopped", ["moment": local.absolute(last.date)])
        }
        return try await show(page, "audit")
    }

    /// One deed, with the difference that it made.
    func auditRow(_ deed: DeedRecord) -> [String: Any] {
        let changes = deed.before.flatMap { before in deed.after.map { before.difference(to: $0) } } ?? []
        let isOfApp = deed.app != nil
        var by = Cell(deed.personName, note: words("role.\(deed.role.rawValue)"))
        if isOfApp { by.link = address(with: "by", deed.personName) }
        return [
            "id": deed.id, "time": Cell.time(deed.date, local), "by": by,
            "what": Cell(words.optional("deed.\(deed.action)") ?? deed.action), "target": target(of: deed),
            "reason": Cell(deed.reason.isEmpty ? "–" : deed.reason, note: deed.ticket),
            "transaction": deed.transactionID, "address": deed.address,
            "changes": changes.map { change in
                [
                    "name": name(of: change.name),
                    "before": value(change.before, of: change.name), "after": value(change.after, of: change.name),
                ]
            }, "hasChanges": !changes.isEmpty,
        ]
    }

    private func target(of deed: DeedRecord) -> Cell {
        let link: String? =
            switch DeedTarget(deed.target) {
            case .member(let user)?: memberLink(user)
            case .banTemplate?: address("ban-templates")
            case .provider?: address("providers")
            case .testDevice?: address("test-devices")
            case .signingKeys?: address("signing-keys")
            case .secrets?: address("secrets")
            default: nil
            }
        let parts = deed.target.split(separator: " ", maxSplits: 1).map(String.init)
        let kind = words.optional("target.\(parts.first ?? "")") ?? parts.first ?? ""
        return Cell(([kind] + parts.dropFirst()).joined(separator: " "), link: deed.app == nil ? nil : link)
    }

    /// The name of a value. Those of one of several members, or of one language, have several parts.
    private func name(of name: String) -> String {
        if let known = words.optional("state.\(name)") { return known }
        let parts = name.split(separator: ".").map { words.optional("state.\($0)") ?? String($0) }
        return parts.joined(separator: ": ")
    }

    /// A value of a state: moments and states of members are written out.
    private func value(_ text: String?, of name: String) -> String {
        guard let text, !text.isEmpty else { return "–" }
        if name.hasSuffix("At") || name.hasSuffix("Until") || name.hasSuffix(".begin") || name.hasSuffix(".end"),
            let date = Int64(text), date > 1_000_000_000_000
        {
            return local.absolute(Moment(milliseconds: date))
        }
        if name.hasSuffix("status"),
            let known = words.optional("member.state.\(text)") ?? words.optional("status.\(text)")
        {
            return known
        }
        return text.count > 300 ? "\(text.prefix(300))…" : text
    }
}

extension Console {
    static let auditTemplate = Template(
        "audit",
        """
        {{<layout}}{{$content}}
        {{#intro}}<p>{{.}}</p>{{/intro}}
        <form class="filters" method="get" action="{{here}}">{{#filters}}{{#fields}}
        {{> field}}
        {{/fields}}{{/filters}}<button>{{t.frame.filter}}</button></form>
        {{#hasChips}}<ul class="chips">{{#chips}}<li><a href="{{address}}">{{text}} <span aria-hidden="true">×</span></a></li>{{/chips}}</ul>{{/hasChips}}
        {{#hasRows}}{{> audit-rows}}{{/hasRows}}
        {{#table}}{{#hasPages}}<nav class="pages" aria-label="{{t.frame.pages}}">{{#newer}}<a class="button" rel="prev" href="{{.}}">{{t.frame.newer}}</a>{{/newer}} {{#older}}<a class="button" rel="next" href="{{.}}">{{t.frame.older}}</a>{{/older}}</nav>{{/hasPages}}{{/table}}
        {{^hasRows}}{{#table}}<p class="empty">{{empty}}</p>{{/table}}{{/hasRows}}
        {{/content}}{{/layout}}
        """)

    static let auditRowsTemplate = Template(
        "audit-rows",
        """
        <div class="scroll" tabindex="0" role="region" aria-label="{{t.nav.audit}}"><table class="audit"><thead><tr><th scope="col">{{t.timeline.when}}</th><th scope="col">{{t.audit.operator}}</th><th scope="col">{{t.audit.action}}</th><th scope="col">{{t.audit.target}}</th><th scope="col">{{t.audit.changes}}</th><th scope="col">{{t.deed.reason}}</th></tr></thead><tbody>
        {{#rows}}<tr id="d-{{id}}"><td>{{#time}}{{> cell}}{{/time}}</td><td>{{#by}}{{> cell}}{{/by}}</td><td>{{#what}}{{> cell}}{{/what}}</td><td>{{#target}}{{> cell}}{{/target}}</td><td>{{#hasChanges}}<ul class="changes">{{#changes}}<li><span class="small">{{name}}</span> <del>{{before}}</del> → <ins>{{after}}</ins></li>{{/changes}}</ul>{{/hasChanges}}{{^hasChanges}}–{{/hasChanges}}</td><td>{{#reason}}{{> cell}}{{/reason}}<details><summary class="small">{{t.audit.more}}</summary><p class="small">{{t.frame.transaction}} <code>{{transaction}}</code> · {{address}}</p></details></td></tr>
        {{/rows}}</tbody></table></div>
        """)
}
