package import GatehouseWire

/// How the first logins have gone of a provider whose identities an import has brought. If most of them make new members, the provider's
/// subjects are probably those of another team, app or kind than the file's.
package struct ImportMatch: Sendable, Hashable {
    /// How many logins are looked at. Fewer say nothing.
    package static let logins: Int64 = 200

    package let provider: Provider
    /// How many identities of the provider imports have brought.
    package let imported: Int
    /// Logins that have made a new member.
    package let new: Int64
    package let all: Int64

    package var isSuspicious: Bool { all >= Self.logins && new > all / 2 }

    /// The matches of these providers. Those that an app has named itself are counted together, so nothing is known of one of them.
    ///
    /// - Parameter numbers: of the last 24 hours, the first logins of which are looked at.
    package static func all(_ imported: [Provider: Int], _ numbers: Numbers) -> [ImportMatch] {
        imported.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { provider, count in
            let label = Tally.label(of: provider)
            guard label != Tally.others else { return nil }
            let made = numbers.series[.newMember]?[label] ?? []
            let returned = numbers.series[.returningLogin]?[label] ?? []
            var (new, all): (Int64, Int64) = (0, 0)
            for hour in 0..<max(made.count, returned.count) where all < logins {
                let first = hour < made.count ? made[hour] : 0
                new &+= first
                all &+= first &+ (hour < returned.count ? returned[hour] : 0)
            }
            return ImportMatch(provider: provider, imported: count, new: new, all: all)
        }
    }
}
