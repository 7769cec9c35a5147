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

extension UseCase where Self == Read<[ImportMatch]> {
    /// How the logins of the last 24 hours have gone, of providers whose identities imports have brought.
    package static var importMatches: Self {
        Read { context, tx in try ImportMatch.all(of: context.app, at: context.moment, in: tx) }
    }
}

extension ImportMatch {
    fileprivate static func all(of app: App, at moment: Moment, in tx: Reader) throws -> [ImportMatch] {
        let imported = try ImportRules.importedIdentities(of: app.id, at: moment, in: tx)
        guard !imported.isEmpty else { return [] }
        let hours = NumberRange(last: 24, .hour, until: moment, in: app.zone)
        return all(imported, try Numbers(of: app.id, hours, in: tx))
    }
}
