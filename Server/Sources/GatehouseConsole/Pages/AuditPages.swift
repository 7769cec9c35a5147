import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension PageRequest {
    func auditList() async throws -> Response {
        let outcome = try await run(.operatorRecords(where: recordFilter, before: after, limit: recordRows))
        // Support sees what it has done itself.
        let people = may(.operator) ? [peopleField(try await run(.recordedPeople))] : []
        return audit(outcome, section: "audit", people, intro: may(.operator) ? nil : words("audit.own"))
    }

    /// What was done in all apps, and to the server.
    func serverAuditList() async throws -> Response {
        let outcome = try await run(
            .operatorRecords(where: recordFilter, in: recordScope, before: after, limit: recordRows))
        let apps = try await run(ListApps()).map { Field.Option($0.id.rawValue, $0.name) }
        let scope = Field(
            "app", words("audit.app"),
            .choice([Field.Option("", words("frame.all")), Field.Option("-", words("audit.server"))] + apps),
            value: query["app"] ?? "")
        return audit(outcome, section: "server-audit", [scope, peopleField(try await run(.recordedPeople))])
    }

    /// A record with its difference takes the room of more than one row of other lists.
    var recordRows: Int { rows * 3 / 5 }

    private func audit(
        _ outcome: BoundedSearch<OperatorRecord>, section: String, _ scope: [Field], intro: String? = nil
    ) -> Response {
        var page = Page(words("nav.\(section)"), section: section)
        page.actions = [Link(words("chart.csv"), address("audit.csv") + "?\(query.encoded)")]
        let fields = [
            Field("action", words("audit.action"), .choice(actionOptions), value: query["action"] ?? ""),
            Field("target", words("audit.target"), value: query["target"] ?? "", limit: 100),
            Field("range", "", .hidden, value: quickRange?.rawValue ?? ""),
        ]
        let chips = auditChips
        let stopped = stopped(at: outcome.stoppedAt?.date)
        let list = recordList(outcome.found, empty: words(chips.isEmpty ? "audit.empty" : "frame.nothing-matches"))
        return show(page, paged(list, next: outcome.next)) { list in
            if let intro = stopped ?? intro { p { intro } }
            quickRanges
            filters(scope + fields + rangeFields, to: request.uri.path)
            removable(chips)
            list
        }
    }

    /// How much of a name is looked for. Game servers have longer ones than people.
    private static let nameLength = 128

    /// The people and game servers that have lately done something, and the one that the address names.
    private func peopleField(_ people: [String]) -> Field {
        // What names nobody would be the choice of all.
        let known = people.filter { !$0.isEmpty }
        let chosen = query["by"].map { text -> String in
            let name = String(text.prefix(Self.nameLength))
            // Case does not count for the filter, and a game server's name may have capital letters.
            return known.first { $0.folded == name.folded } ?? name
        }
        let names = known + (chosen.map { known.contains($0) ? [] : [$0] } ?? [])
        return Field(
            "by", words("audit.operator"),
            .choice([Field.Option("", words("frame.all"))] + names.map { Field.Option($0, $0) }), value: chosen ?? "")
    }

    /// The actions in the order of their words, under the part of the console to which they belong.
    private var actionOptions: [Field.Option] {
        var actions = OperatorActions.named.values.map { $0.about }.filter { place == nil || !$0.isOfServer }.map {
            about in
            Field.Option(about.name, words("deed.\(about.name)"), group: words("nav.\(about.section)"))
        }
        let ofCommand = OperatorActions.namesOfCommand
        actions += (ofCommand.app + (place == nil ? ofCommand.server : [])).map { name in
            Field.Option(name, words("deed.\(name)"), group: words("door.command"))
        }
        return [Field.Option("", words("frame.all"))]
            + actions.sorted { ($0.group ?? "", $0.text, $0.value) < ($1.group ?? "", $1.text, $1.value) }
    }

    /// The filters that are set, each with the link that removes it, and one that removes all.
    private var auditChips: [Link] {
        var chips = ["app", "by", "action", "target", "range", "since", "until"].compactMap { name -> Link? in
            guard let value = query[name] else { return nil }
            let text: String? =
                switch name {
                case "action": words.optional("deed.\(value)")
                case "app": value == "-" ? words("audit.server") : nil
                case "range": quickRange.map { words("range.\($0.rawValue)") } ?? ""
                default: nil
                }
            guard text != "" else { return nil }
            let label = words(name == "range" ? "range.title" : "audit.\(name == "by" ? "operator" : name)")
            return Link(
                "\(label): \(text ?? String(value.prefix(60)))", address(with: [name: nil, "after": nil, "from": nil]))
        }
        if chips.count > 1 { chips.append(Link(words("audit.clear"), request.uri.path)) }
        return chips
    }

    private var recordFilter: OperatorRecordFilter {
        func text(_ name: String, _ limit: Int) -> String? { query[name].map { String($0.prefix(limit)) } }
        let range = listRange
        return OperatorRecordFilter(
            by: text("by", Self.nameLength), action: text("action", 64), target: text("target", 100),
            since: range.since, until: range.until)
    }

    private var recordScope: OperatorRecordScope {
        switch query["app"] {
        case nil, "": .everything
        case "-": .server
        case let id?: .app(AppID(Self.plain(id, limit: 64)))
        }
    }

    /// The newest thousand records that the filters leave, as a file.
    func auditFile() async throws -> Response {
        let found = try await run(
            .operatorRecords(where: recordFilter, in: recordScope, before: nil, limit: 1_000)
        ).found
        var file = CSV()
        file.append(
            [
                "time", "app", "operator", "role", "action", "target", "reason", "ticket", "before", "after",
                "transaction", "address", "door",
            ].map(CSV.cell))
        for record in found {
            func state(_ state: TargetState?) -> String {
                (state?.values ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                    .joined(separator: "\n")
            }
            let cells = [
                local.machine(record.date), record.app?.rawValue ?? "", record.personName, record.role?.rawValue ?? "",
                record.action, record.target, record.reason, record.ticket ?? "", state(record.before),
                state(record.after),
                record.transactionID, record.address, record.door.rawValue,
            ]
            file.append(cells.map(CSV.cell))
        }
        return Console.file(file, named: "\(place?.app.id.rawValue ?? "gatehouse")-audit.csv")
    }
}
