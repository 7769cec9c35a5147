import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

extension Visit {
    func auditList() async throws -> Response {
        let outcome = try await run(SearchDeeds(deedFilter, before: after, limit: deedRows))
        var page = auditPage(outcome, section: "audit", [])
        if page.values["intro"] == nil, !may(.operator) { page.values["intro"] = words("audit.own") }
        return try await show(page, "audit")
    }

    /// What was done in all apps, and to the server.
    func serverAuditList() async throws -> Response {
        let outcome = try await run(SearchServerDeeds(deedScope, deedFilter, before: after, limit: deedRows))
        let apps = try await run(ListApps()).map { Field.Option($0.id.rawValue, $0.name) }
        let scope = Field(
            "app", words("audit.app"),
            .choice([Field.Option("", words("frame.all")), Field.Option("-", words("audit.server"))] + apps),
            value: query["app"] ?? "")
        return try await show(auditPage(outcome, section: "server-audit", [scope]), "audit")
    }

    /// A deed with its difference takes the room of more than one row of other lists.
    private var deedRows: Int { rows * 3 / 5 }

    private static let auditFilters = ["app", "by", "action", "target", "since", "until"]

    private func auditPage(_ outcome: BoundedSearch<DeedRecord>, section: String, _ scope: [Field]) -> Page {
        let isFiltered = Self.auditFilters.contains { query.isSet($0) }
        var page = Page(words("nav.\(section)"), section: section)
        page.actions = [Link(words("chart.csv"), address("audit.csv") + "?\(query.encoded)")]
        let actions = console.deeds.values.filter { place == nil || !$0.isOfServer }.map(\.name).sorted()
        let fields = [
            Field("by", words("audit.operator"), value: query["by"] ?? "", limit: 64),
            Field(
                "action", words("audit.action"),
                .choice(
                    [Field.Option("", words("frame.all"))] + actions.map { Field.Option($0, words("deed.\($0)")) }),
                value: query["action"] ?? ""),
            Field("target", words("audit.target"), value: query["target"] ?? "", limit: 100),
        ]
        page.values = [
            "filters": ["fields": scope + fields + rangeFields],
            "chips": chips(Self.auditFilters.map { ($0, words("audit.\($0 == "by" ? "operator" : $0)")) }),
            "hasChips": isFiltered, "rows": outcome.found.map(auditRow), "hasRows": !outcome.found.isEmpty,
            "table": paged(
                Table("", [], [], empty: words(isFiltered ? "frame.nothing-matches" : "audit.empty")),
                next: outcome.next),
        ]
        if let last = outcome.stoppedAt {
            page.values["intro"] = words("list.stopped", ["moment": local.absolute(last.date)])
        }
        return page
    }

    private var deedFilter: DeedFilter {
        func text(_ name: String, _ limit: Int) -> String? { query[name].map { String($0.prefix(limit)) } }
        return DeedFilter(
            by: text("by", 64), action: text("action", 64), target: text("target", 100),
            since: rangeMoment("since").moment, until: rangeMoment("until").moment)
    }

    private var deedScope: SearchServerDeeds.Scope {
        switch query["app"] {
        case nil, "": .everything
        case "-": .server
        case let id?: .app(AppID(Self.plain(id, limit: 64)))
        }
    }

    /// The newest thousand deeds that the filters leave, as a file.
    func auditFile() async throws -> Response {
        let found =
            place == nil
            ? try await run(SearchServerDeeds(deedScope, deedFilter, before: nil, limit: 1_000)).found
            : try await run(SearchDeeds(deedFilter, before: nil, limit: 1_000)).found
        var file = CSV()
        file.append(
            [
                "time", "app", "operator", "role", "action", "target", "reason", "ticket", "before", "after",
                "transaction", "address",
            ].map(CSV.cell))
        for deed in found {
            func state(_ state: DeedState?) -> String {
                (state?.values ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                    .joined(separator: "\n")
            }
            let cells = [
                local.machine(deed.date), deed.app?.rawValue ?? "", deed.personName, deed.role.rawValue, deed.action,
                deed.target, deed.reason, deed.ticket ?? "", state(deed.before), state(deed.after),
                deed.transactionID, deed.address,
            ]
            file.append(cells.map(CSV.cell))
        }
        let name = "\(place?.app.id.rawValue ?? "gatehouse")-audit.csv"
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8", .contentDisposition: "attachment; filename=\"\(name)\"",
            ], body: .init(byteBuffer: ByteBuffer(string: file.text)))
    }

    /// One deed, with the difference that it made.
    func auditRow(_ deed: DeedRecord) -> [String: Any] {
        let changes = deed.before.flatMap { before in deed.after.map { before.difference(to: $0) } } ?? []
        var by = Cell(deed.personName, note: words("role.\(deed.role.rawValue)"))
        if request.uri.path.ends(with: "/audit") { by.link = address(with: "by", deed.personName) }
        return [
            "id": deed.id, "time": Cell.time(deed.date, local), "by": by,
            "what": Cell(words.optional("deed.\(deed.action)") ?? deed.action), "target": target(of: deed),
            // What takes no reason has its own name there.
            "reason": Cell(deed.reason.isEmpty || deed.reason == deed.action ? "–" : deed.reason, note: deed.ticket),
            "transaction": deed.transactionID, "address": deed.address,
            "summary": changes.count > Self.openChanges ? summary(of: changes) : false as Any,
            "left": changes.count > Self.foldedChanges
                ? words("audit.left", ["count": String(changes.count - Self.foldedChanges)]) : "",
            "changes": changes.prefix(Self.foldedChanges).map { change in
                [
                    "name": name(of: change.name),
                    "before": value(change.before, of: change.name), "after": value(change.after, of: change.name),
                    "isTime": moment(change.after ?? change.before, of: change.name) != nil,
                ] as [String: Any]
            }, "hasChanges": !changes.isEmpty,
        ]
    }

    /// A deed with more changes than this folds them, and one with more than the other shows the rest in the file alone.
    private static let (openChanges, foldedChanges) = (8, 20)

    /// `73 members · Normal → Banned`, or how many values have changed.
    private func summary(of changes: [(name: String, before: String?, after: String?)]) -> String {
        let states = changes.filter { $0.name.ends(with: ".status") }
        guard let first = states.first else { return words("audit.count", ["count": String(changes.count)]) }
        let members = words("audit.members", ["count": String(states.count)])
        guard states.allSatisfy({ $0.before == first.before && $0.after == first.after }) else { return members }
        return "\(members) · \(value(first.before, of: first.name)) → \(value(first.after, of: first.name))"
    }

    private func target(of deed: DeedRecord) -> Cell {
        let path: String? =
            switch DeedTarget(deed.target) {
            case .member(let user)?: "members/\(FormValues.encoded(user.rawValue))"
            case .banTemplate?: "ban-templates"
            case .provider?: "providers"
            case .testDevice?: "test-devices"
            case .signingKeys?: "signing-keys"
            case .secrets?: "secrets"
            default: nil
            }
        let parts = deed.target.parts(at: " ", atMost: 2).map(String.init)
        let kind = words.optional("target.\(parts.first ?? "")") ?? parts.first ?? ""
        var cell = Cell(([kind] + parts.dropFirst()).joined(separator: " "))
        guard let app = deed.app else { return cell }
        if let path { cell.link = "\(Console.prefix)/apps/\(FormValues.encoded(app.rawValue))/\(path)" }
        if place == nil { cell.note = app.rawValue }
        return cell
    }

    /// The name of a value. Those of one of several members, or of one language, have several parts.
    private func name(of name: String) -> String {
        func word(_ part: String) -> String? {
            ["state", "provider.set", "setting"].lazy.compactMap { words.optional("\($0).\(part)") }.first
        }
        if let known = word(name) { return known }
        return name.parts(at: ".").map { part in
            word(String(part)) ?? words.optional("language.\(part)") ?? String(part)
        }.joined(separator: ": ")
    }

    /// What a value that is a token of the program means; nil for a text.
    private func word(_ text: String, of name: String) -> String? {
        if name.begins(with: "grant.") { return words.optional("role.\(text)") }
        if name == "secrets" { return words("value.changed") }
        if let known = words.optional("value.\(text)") { return known }
        let lists =
            name == "identities" || name.ends(with: ".identities")
            ? text.parts(at: ",").map { String($0).trimmingSpaces() } : []
        if !lists.isEmpty { return lists.map(providerLabel).joined(separator: ", ") }
        // A secret key has its id for a name, and its scopes stand behind what it is called.
        guard name.utf8.count == 12, name.allSatisfy(\.isHexDigit) else { return nil }
        let parts = text.parts(at: ":", atMost: 2).map { String($0).trimmingSpaces() }
        let scopes = (parts.last ?? "").parts(at: " ").map { words.optional("scope.\($0)") }
        guard !scopes.isEmpty, !scopes.contains(where: { $0 == nil }) else { return nil }
        return (parts.dropLast() + [scopes.compactMap { $0 }.joined(separator: ", ")]).joined(separator: ": ")
    }

    private func moment(_ text: String?, of name: String) -> Moment? {
        guard
            name.ends(with: "At") || name.ends(with: "Until") || name.ends(with: ".begin") || name.ends(with: ".end"),
            let date = text.flatMap({ Int64($0) }), date > 1_000_000_000_000
        else { return nil }
        return Moment(milliseconds: date)
    }

    /// A value of a state: moments and states of members are written out.
    private func value(_ text: String?, of name: String) -> String {
        guard let text, !text.isEmpty else { return "–" }
        if let moment = moment(text, of: name) { return local.absolute(moment) }
        // Its id says nothing to a reader.
        if name == "graceBan" || name.ends(with: ".graceBan") { return words("value.grace-begun") }
        if name.ends(with: "status"),
            let known = words.optional("member.state.\(text)") ?? words.optional("status.\(text)")
        {
            return known
        }
        if let known = word(text, of: name) { return known }
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
        {{#table}}{{> pages}}{{/table}}
        {{^hasRows}}{{#table}}<p class="empty">{{empty}}</p>{{/table}}{{/hasRows}}
        {{/content}}{{/layout}}
        """)

    static let auditRowsTemplate = Template(
        "audit-rows",
        """
        <div class="scroll" tabindex="0" role="region" aria-label="{{t.nav.audit}}"><table class="audit"><thead><tr><th scope="col">{{t.timeline.when}}</th><th scope="col">{{t.audit.operator}}</th><th scope="col">{{t.audit.action}}</th><th scope="col">{{t.audit.target}}</th><th scope="col">{{t.audit.changes}}</th><th scope="col">{{t.deed.reason}}</th></tr></thead><tbody>
        {{#rows}}<tr id="d-{{id}}"><td>{{#time}}{{> cell}}{{/time}}</td><td>{{#by}}{{> cell}}{{/by}}</td><td>{{#what}}{{> cell}}{{/what}}</td><td>{{#target}}{{> cell}}{{/target}}</td><td>{{#hasChanges}}{{#summary}}<details><summary>{{.}}</summary>{{/summary}}<ul class="changes">{{#changes}}<li{{#isTime}} class="time"{{/isTime}}><span class="small">{{name}}</span> <del>{{before}}</del> → <ins>{{after}}</ins></li>{{/changes}}</ul>{{#left}}<p class="small">{{.}}</p>{{/left}}{{#summary}}</details>{{/summary}}{{/hasChanges}}{{^hasChanges}}–{{/hasChanges}}</td><td>{{#reason}}{{> cell}}{{/reason}}<details><summary class="small">{{t.audit.more}}</summary><p class="small">{{t.frame.transaction}} <code>{{transaction}}</code> · {{address}}</p></details></td></tr>
        {{/rows}}</tbody></table></div>
        """)
}
