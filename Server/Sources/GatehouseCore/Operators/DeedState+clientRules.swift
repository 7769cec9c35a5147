import GatehousePlatform
import GatehouseWire

extension DeedState {
    /// The state of an app's rules by client: a name for each value of each rule.
    init(clientRules rules: [ClientRule]) {
        self.init()
        for (index, rule) in rules.enumerated() {
            var texts: [String: String?] = [
                "position": String(index + 1), "os": rule.osCode, "store": rule.storeCode, "from": rule.from,
                "below": rule.below, "status": String(rule.status.rawValue), "url": rule.updateURL,
            ]
            for (language, text) in rule.message.texts { texts["message.\(language)"] = text }
            for (name, text) in texts { values["\(rule.id).\(name)"] = text }
        }
    }

    /// The rules of such a state, in their order.
    package var clientRules: [ClientRule] {
        var rules: [String: (position: Int, rule: ClientRule)] = [:]
        for (name, text) in values {
            guard let dot = name.range(ofBytes: ".") else { continue }
            let id = String(name[..<dot.lowerBound])
            var (position, rule) = rules[id] ?? (0, ClientRule(id: id, status: .inService))
            switch name[dot.upperBound...] {
            case "position": position = Int(text) ?? 0
            case "os": rule.osCode = text
            case "store": rule.storeCode = text
            case "from": rule.from = text
            case "below": rule.below = text
            case "status": rule.status = Int(text).map { LaunchingStatus(rawValue: $0) } ?? .inService
            case "url": rule.updateURL = text
            case let other where other.begins(with: "message."): rule.message.texts[String(other.dropFirst(8))] = text
            default: break
            }
            rules[id] = (position, rule)
        }
        return rules.values.sorted { ($0.position, $0.rule.id) < ($1.position, $1.rule.id) }.map(\.rule)
    }
}
