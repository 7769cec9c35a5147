import GatehouseCore
import GatehouseSecurity
import GatehouseWire

// The rules by client on the page about launching.
extension Visit {
    func clientRuleSheet(_ app: App) throws -> Sheet {
        let rules = app.clientRules
        var sheet = Sheet(words("client-rules.title"), lines: [words("client-rules.intro")])
        sheet.table = table(
            try operatorView().table(of: rules, "client-rules.title"), empty: words("client-rules.empty")
        ) { index in
            changes(of: rules[index], at: index + 1, of: rules.count)
        }
        sheet.actions = [offer("client-rule.added")].compactMap { $0 }
        return sheet
    }

    private func changes(of rule: ClientRule, at position: Int, of count: Int) -> [Link] {
        func move(to place: Int, _ text: String) -> Link? {
            guard (1...count).contains(place) else { return nil }
            return offer("client-rule.moved", ["rule": rule.id, "to": String(place)], text: words(text))
        }
        return [
            move(to: position - 1, "client-rules.up"), move(to: position + 1, "client-rules.down"),
            offer("client-rule.changed", ["rule": rule.id], text: words("client-rules.change")),
            offer("client-rule.removed", ["rule": rule.id], text: words("client-rules.remove")),
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
            Field("os", words("client-rules.os"), value: client?.osCode ?? "", limit: 32),
            Field("store", words("client-rules.store"), value: client?.storeCode ?? "", limit: 32),
            Field("version", words("client-rules.version"), value: client?.clientVersion ?? "", limit: 64),
        ]
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
    /// The rule that a deed was about: the one that has come or gone, whose values have changed, or that has moved furthest.
    static func clientRule(of record: DeedRecord) -> String? {
        let before = (record.before ?? DeedState()).clientRules
        let after = (record.after ?? DeedState()).clientRules
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
