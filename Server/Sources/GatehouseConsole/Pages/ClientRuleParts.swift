import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire

// The rules by client on the page about launching.
extension PageRequest {
    func clientRuleCard(_ app: App) -> SectionCard {
        let rules = app.clientRules
        var card = SectionCard(words("client-rules.title"), lines: [words("client-rules.intro")])
        card.table = table(
            operatorContext().table(of: rules, "client-rules.title"), empty: words("client-rules.empty")
        ) { index in
            changes(of: rules[index], at: index + 1, of: rules.count)
        }
        card.actions = [offer(AddClientRule.self)].compactMap { $0 }
        return card
    }

    /// Which rule decides for whom, with warnings of rules that an earlier one keeps from deciding; nil for fewer than two rules.
    func clientRuleMatrix(_ rules: [ClientRule]) -> HTML? {
        guard rules.count > 1 else { return nil }
        let matrix = ClientRuleMatrix(of: rules)
        let overlaps = rules.overlaps
        return card("client-rules.matrix", id: "matrix") {
            for overlap in overlaps.prefix(Self.shownOverlaps) {
                p(.class("notice warn")) { warning(of: overlap, rules) }
            }
            Table(
                words("client-rules.matrix"),
                [words("client-rules.clients")] + matrix.versions.map(name),
                zip(matrix.clients, matrix.rules).map { clients, decided in
                    TableRow([Cell(name(of: clients))] + decided.map { cell(of: $0, rules) })
                }, empty: ""
            ).wrapping
            p(.class("small")) { words("client-rules.matrix-help") }
            if matrix.isCut { p(.class("small")) { words("client-rules.matrix-cut") } }
        }
    }

    private static let shownOverlaps = 10

    private func warning(of overlap: ClientRuleOverlap, _ rules: [ClientRule]) -> String {
        words(
            overlap.isWhole ? "client-rules.never-decides" : "client-rules.overlaps",
            [
                "number": String(overlap.second + 1), "first": String(overlap.first + 1),
                "clients": text(rules[overlap.first].clients),
            ])
    }

    private func name(of versions: ClientRuleMatrix.Versions) -> String {
        ClientRule(from: versions.from, below: versions.below, status: .inService).versions.map { text($0) }
            ?? words("client-rules.every-version")
    }

    private func name(of clients: ClientRuleMatrix.Clients) -> String {
        let system = clients.osCode.map { text(ClientRule.system($0)) } ?? words("client-rules.other-os")
        guard let store = clients.storeCode else { return system }
        return words("client-rules.both", ["one": system, "other": text(ClientRule.store(store))])
    }

    /// The rule that decides, by the status that it gives.
    private func cell(of rule: Int?, _ rules: [ClientRule]) -> Cell {
        guard let rule, rules.indices.contains(rule) else { return Cell("–") }
        var cell = statusCell(rules[rule].status)
        cell.note = words("client-rules.number", ["number": String(rule + 1)])
        return cell
    }

    private func changes(of rule: ClientRule, at position: Int, of count: Int) -> [Link] {
        func move(to place: Int, _ text: String) -> Link? {
            guard (1...count).contains(place) else { return nil }
            return offer(MoveClientRule.self, ["rule": rule.id, "to": String(place)], text: words(text))
        }
        return [
            move(to: position - 1, "client-rules.up"), move(to: position + 1, "client-rules.down"),
            offer(ChangeClientRule.self, ["rule": rule.id], text: words("client-rules.change")),
            offer(RemoveClientRule.self, ["rule": rule.id], text: words("client-rules.remove")),
        ].compactMap { $0 }
    }

    // MARK: Which rule wins

    /// The client that the address asks for; nil if it says nothing of one.
    var askedClient: ClientInformation? {
        var client = ClientInformation()
        func text(_ name: String) -> String? { query[name].map { String($0.prefix(64)) } }
        (client.osCode, client.storeCode, client.clientVersion) = (text("os"), text("store"), text("version"))
        return client == ClientInformation() ? nil : client
    }

    var clientFields: [Field] {
        let client = askedClient
        return [
            code("os", ClientRule.systems, client?.osCode, ClientRule.system),
            code("store", ClientRule.stores, client?.storeCode, ClientRule.store),
            Field("version", words("client-rules.version"), value: client?.clientVersion ?? "", limit: 64),
        ]
    }

    /// The choice of a system or a store, with the one that the address names, and with those of the rules.
    private func code(_ name: String, _ known: [String], _ chosen: String?, _ label: (String) -> Phrase) -> Field {
        let rules = place?.app.clientRules ?? []
        let named = Set(
            (rules.map { name == "os" ? $0.osCode : $0.storeCode } + [chosen?.uppercased()]).compactMap { $0 })
        let codes = known + named.subtracting(known).sorted()
        return Field(
            name, words("client-rules.\(name)"),
            .choice(
                [Field.Option("", words("client-rules.any-\(name)"))]
                    + codes.map { Field.Option($0, text(label($0))) }), value: chosen?.uppercased() ?? "")
    }

    /// Which rule decides what a phone gets.
    func winner(_ outcome: PreviewLaunching.Outcome, _ app: App) -> Cell {
        guard let rule = outcome.rule, let index = app.clientRules.firstIndex(where: { $0.id == rule.id }) else {
            return Cell(words("client-rules.wins-none"), badge: "plain")
        }
        let number = ["number": String(index + 1)]
        guard outcome.ruleDecides else { return Cell(words("client-rules.wins-closed", number), badge: "warn") }
        return Cell(words("client-rules.wins", number), badge: "good", note: text(rule.clients))
    }
}

extension Console {
    /// The rule that an action was about: the one that has come or gone, whose values have changed, or that has moved furthest.
    static func clientRule(of record: OperatorRecord) -> String? {
        let before = (record.before ?? TargetState()).clientRules
        let after = (record.after ?? TargetState()).clientRules
        let (old, new) = (Set(before.map(\.id)), Set(after.map(\.id)))
        if let id = old.symmetricDifference(new).first { return id }
        if let changed = after.first(where: { !before.contains($0) }) { return changed.id }
        func distance(_ id: String) -> Int {
            let places = [before, after].map { rules in rules.firstIndex { $0.id == id } ?? 0 }
            return abs(places[0] - places[1])
        }
        return after.map(\.id).max { distance($0) < distance($1) }
    }
}
