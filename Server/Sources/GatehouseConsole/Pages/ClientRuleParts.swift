import GatehouseCore
import GatehouseSecurity
import GatehouseWire

// The rules by client on the page about launching.
extension Visit {
    func clientRuleSheet(_ app: App) -> Sheet {
        var sheet = Sheet(words("client-rules.title"), lines: [words("client-rules.intro")])
        sheet.table = table(of: app.clientRules, words("client-rules.title"), offers: true)
        sheet.actions = [offer("client-rule.added")].compactMap { $0 }
        return sheet
    }

    /// The rules in their order.
    ///
    /// - Parameter offers: whether each comes with what can be done with it.
    func table(of rules: [ClientRule], _ caption: String, offers: Bool) -> Table {
        Table(
            caption,
            [
                words("client-rules.order"), words("client-rules.clients"), words("launching.status"),
                words("client-rules.url"), words("deed.player-reads"),
            ],
            rules.enumerated().map { index, rule in
                let text = rule.message.text(
                    preferring: [words.language], fallback: place?.app.defaultLanguage ?? words.language)
                return TableRow(
                    [
                        Cell(String(index + 1)), Cell(clients(of: rule)), statusCell(rule.status),
                        Cell(rule.updateURL ?? "–"), Cell(text ?? "–"),
                    ], actions: offers ? changes(of: rule, at: index + 1, of: rules.count) : [])
            }, empty: words("client-rules.empty"))
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

    /// The clients that a rule is for, in words.
    func clients(of rule: ClientRule) -> String {
        let versions: String? =
            switch (rule.from, rule.below) {
            case (let from?, let below?): words("client-rules.versions", ["from": from, "below": below])
            case (let from?, nil): words("client-rules.versions-from", ["from": from])
            case (nil, let below?): words("client-rules.versions-below", ["below": below])
            case (nil, nil): nil
            }
        let store = rule.storeCode.map { words("client-rules.store-is", ["store": $0]) }
        return [rule.osCode, store, versions].compactMap { $0 }.joined(separator: ", ")
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
        return Cell(words("client-rules.wins", number), badge: "good", note: clients(of: rule))
    }
}
