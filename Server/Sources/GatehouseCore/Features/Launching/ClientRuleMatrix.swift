import GatehouseWire

/// Which of an app's rules by client decides, by system and store on one side and versions on the other.
package struct ClientRuleMatrix: Sendable, Hashable {
    /// Clients of one system and one store; nil stands for all that no rule names.
    package struct Clients: Sendable, Hashable {
        package let osCode: String?
        package let storeCode: String?
    }

    /// Versions from one on and below another; nil for no bound.
    package struct Versions: Sendable, Hashable {
        package let from: String?
        package let below: String?
    }

    package let clients: [Clients]
    package let versions: [Versions]
    /// The index of the rule that decides, by client and then by version; nil where none does.
    package let rules: [[Int?]]
    /// Whether there are more clients or versions than it has.
    package let isCut: Bool

    /// The most rows and columns, so that it can be read.
    private static let (mostClients, mostVersions) = (8, 6)

    package init(of rules: [ClientRule]) {
        let bounds = Set(rules.flatMap { [$0.from, $0.below].compactMap(\.self) })
        var ends: [String] = []
        for (text, version) in Self.sorted(bounds) where ends.last.flatMap({ ClientVersion($0) }) != version {
            ends.append(text)
        }
        let versions = zip([nil] + ends.map(Optional.some), ends.map(Optional.some) + [nil]).map {
            Versions(from: $0, below: $1)
        }
        let systems = Set(rules.compactMap(\.osCode)).sorted().map(Optional.some) + [nil]
        let clients = systems.flatMap { system in
            let stores = Set(
                rules.filter { $0.osCode == nil || $0.osCode == system }.compactMap(\.storeCode)
            ).sorted()
            return (stores.map(Optional.some) + [nil]).map { Clients(osCode: system, storeCode: $0) }
        }
        self.clients = Array(clients.prefix(Self.mostClients))
        // The newest versions are those that players have.
        self.versions = versions.suffix(Self.mostVersions)
        isCut = clients.count > Self.mostClients || versions.count > Self.mostVersions
        self.rules = self.clients.map { [versions = self.versions] row in
            versions.map { column in
                var client = ClientInformation()
                (client.osCode, client.storeCode) = (row.osCode, row.storeCode)
                client.clientVersion = column.from ?? "0"
                return rules.firstIndex { $0.matches(client) }
            }
        }
    }

    private static func sorted(_ texts: Set<String>) -> [(text: String, version: ClientVersion)] {
        texts.sorted().compactMap { text in ClientVersion(text).map { (text, $0) } }.sorted { $0.1 < $1.1 }
            .map { (text: $0.0, version: $0.1) }
    }
}

/// Two rules by client for some of the same clients, of which the later one does not decide for all of its own.
package struct ClientRuleOverlap: Sendable, Hashable {
    /// The index of the rule that is looked at first.
    package let first: Int
    package let second: Int
    /// Whether the second never decides.
    package let isWhole: Bool
}

extension [ClientRule] {
    /// The rules that an earlier one keeps from deciding, where that makes a difference.
    package var overlaps: [ClientRuleOverlap] {
        indices.flatMap { second -> [ClientRuleOverlap] in
            if let first = self[..<second].firstIndex(where: { $0.covers(self[second]) }) {
                return [ClientRuleOverlap(first: first, second: second, isWhole: true)]
            }
            return self[..<second].indices.filter { first in
                self[first].status != self[second].status && self[first].overlaps(self[second])
            }.map { ClientRuleOverlap(first: $0, second: second, isWhole: false) }
        }
    }
}
