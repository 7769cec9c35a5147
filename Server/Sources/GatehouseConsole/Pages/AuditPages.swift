import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

extension Visit {
    func auditList() async throws -> Response {
        let outcome = try await run(SearchDeeds(deedFilter, before: after, limit: deedRows))
        return audit(outcome, section: "audit", [], intro: may(.operator) ? nil : words("audit.own"))
    }

    /// What was done in all apps, and to the server.
    func serverAuditList() async throws -> Response {
        let outcome = try await run(SearchServerDeeds(deedScope, deedFilter, before: after, limit: deedRows))
        let apps = try await run(ListApps()).map { Field.Option($0.id.rawValue, $0.name) }
        let scope = Field(
            "app", words("audit.app"),
            .choice([Field.Option("", words("frame.all")), Field.Option("-", words("audit.server"))] + apps),
            value: query["app"] ?? "")
        return audit(outcome, section: "server-audit", [scope])
    }

    /// A deed with its difference takes the room of more than one row of other lists.
    private var deedRows: Int { rows * 3 / 5 }

    private static let auditFilters = ["app", "by", "action", "target", "since", "until"]

    private func audit(
        _ outcome: BoundedSearch<DeedRecord>, section: String, _ scope: [Field], intro: String? = nil
    ) -> Response {
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
        let chips = chips(Self.auditFilters.map { ($0, words("audit.\($0 == "by" ? "operator" : $0)")) })
        let stopped = outcome.stoppedAt.map { words("list.stopped", ["moment": local.absolute($0.date)]) }
        return show(page) {
            if let intro = stopped ?? intro { p { intro } }
            filters(scope + fields + rangeFields, to: request.uri.description)
            removable(chips)
            if !outcome.found.isEmpty { auditTable(outcome.found) }
            pager(next: outcome.next)
            if outcome.found.isEmpty { empty(chips.isEmpty ? "audit.empty" : "frame.nothing-matches") }
        }
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
}
