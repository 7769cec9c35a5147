import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire
import Synchronization

/// Looks at whether the players whom imports have brought are recognized when they come back, and tells when that changes. What it has told
/// is in memory, so every node tells it once, and once more after it has started again.
package final class ImportWatcher: Sendable {
    package static let intervalSeconds: Int64 = 60

    /// What has changed since the last look.
    package struct News: Sendable, Hashable {
        package let app: AppID
        package let provider: Provider
        /// The logins that show that players are not recognized; nil if they don't show it any more.
        package let mismatch: ImportMatch?
    }

    package struct Outcome: Sendable {
        package let news: [News]
        /// In how many apps players are not recognized, by providers. One that imports have brought players of stays, with zero.
        package let apps: [Provider: Int]
    }

    private struct Subject: Sendable, Hashable {
        let app: AppID
        let provider: Provider
    }

    private struct State {
        private var told: Set<Subject> = []
        private var providers: Set<Provider> = []

        mutating func look(at matches: [Subject: ImportMatch]) -> Outcome {
            let mismatches = matches.filter(\.value.isSuspicious)
            let begun = mismatches.filter { !told.contains($0.key) }.map {
                News(app: $0.key.app, provider: $0.key.provider, mismatch: $0.value)
            }
            let ended = told.filter { mismatches[$0] == nil }.map {
                News(app: $0.app, provider: $0.provider, mismatch: nil)
            }
            told = Set(mismatches.keys)
            providers.formUnion(matches.keys.map(\.provider))
            let counts = Dictionary(grouping: told, by: \.provider).mapValues(\.count)
            return Outcome(
                news: (begun + ended).sorted {
                    ($0.app.rawValue, $0.provider.rawValue) < ($1.app.rawValue, $1.provider.rawValue)
                }, apps: Dictionary(uniqueKeysWithValues: providers.map { ($0, counts[$0] ?? 0) }))
        }
    }

    private let services: Services
    private let state = Mutex(State())

    package init(services: Services) {
        self.services = services
    }

    package func run() async throws -> Outcome {
        let moment = services.environment.now()
        let apps = try await services.database.report { tx in try AppQueries.apps(in: tx) }
        var matches: [Subject: ImportMatch] = [:]
        for app in apps {
            try Task.checkCancellation()
            // Each app is read by itself, because a report of all would keep a connection for long.
            let found = try await services.database.report { tx in
                try ImportMatch.all(of: app, at: moment, in: tx)
            }
            for match in found { matches[Subject(app: app.id, provider: match.provider)] = match }
        }
        return state.withLock { $0.look(at: matches) }
    }
}

/// How the latest logins have gone of a provider whose identities an import has brought. If most of them make new members, the provider's
/// subjects are probably those of another team, app or kind than the file's.
package struct ImportMatch: Sendable, Hashable {
    /// How many logins are looked at, or a few more of the same hour. Fewer say nothing.
    package static let logins: Int64 = 200
    /// How far back they are looked for. Hours are counted for eight days.
    private static let hours = 7 * 24

    package let provider: Provider
    /// How many identities of the provider imports have brought.
    package let imported: Int
    /// Logins that have made a new member.
    package let new: Int64
    package let all: Int64

    package var isSuspicious: Bool { all >= Self.logins && new > all / 2 }

    /// The matches of an app since its imports have begun. The latest logins are looked at, so that a warning ends when the settings are
    /// right.
    static func all(of app: App, at moment: Moment, in tx: Reader) throws -> [ImportMatch] {
        let imported = try ImportRules.importedIdentities(of: app.id, at: moment, in: tx)
        guard !imported.isEmpty else { return [] }
        let range = NumberRange(last: hours, .hour, until: moment, in: app.zone)
        let counts = try CountQueries.counts(
            of: app.id, .hour, [.newMember, .returningLogin], from: range.begin, until: range.end, in: tx)
        let byLabel = Dictionary(grouping: counts, by: \.label)
        return imported.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { provider, identities in
            let label = Tally.label(of: provider)
            // Providers that an app has named itself are counted together, so nothing is known of one of them.
            guard label != Tally.others else { return nil }
            let hours = Dictionary(grouping: byLabel[label] ?? [], by: \.bucket)
            var (new, all): (Int64, Int64) = (0, 0)
            // In the hour in which an import begins, some logins were before it.
            for (hour, counts) in hours.sorted(by: { $0.key > $1.key })
            where all < logins && hour > identities.since.hourBegin {
                for count in counts {
                    all &+= count.amount
                    if count.metric == .newMember { new &+= count.amount }
                }
            }
            return ImportMatch(provider: provider, imported: identities.count, new: new, all: all)
        }
    }
}

extension UseCase where Self == Read<[ImportMatch]> {
    /// How the latest logins have gone, of providers whose identities imports have brought.
    package static var importMatches: Self {
        Read { context, tx in try ImportMatch.all(of: context.app, at: context.moment, in: tx) }
    }
}
