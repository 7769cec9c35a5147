import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// One sentence about an app, or about the server, with a state: what an operator needs to know first. The console shows it, and alerts
/// tell it.
package struct AppVerdict: Sendable, Hashable {
    package enum State: String, Sendable, Hashable {
        case good, warn, bad
        /// Nothing is wrong, and something is left to do before it can be right.
        case todo
    }

    /// What it is about. The raw values are stored, and the ends of the words' keys.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case closed, maintenance, quiet, refused, providers
        case noProviders = "no-providers"
        case unknownProviders = "unknown-providers"
        case providerFails = "provider-fails"
        case providersFail = "providers-fail"
        case failures
        case nothingWaits = "nothing-waits"
        case deadJobs = "dead-jobs"
        case noKey = "no-key"
        case oldSecrets = "old-secrets"
        case keys
        case atRisk = "at-risk"
        case safe
        case importMismatch = "import-mismatch"

        case slowDatabase = "slow-database"
        case fullDisk = "full-disk"
        case lateDeadlines = "late-deadlines"
        case lateJobs = "late-jobs"
        /// Jobs of any app that have failed permanently.
        case serverDeadJobs = "server-dead-jobs"
        case wrongClock = "wrong-clock"
        case lostNodes = "lost-nodes"

        /// Whether it is about the server, of which only operators with a role on the server read.
        package var isOfServer: Bool {
            switch self {
            case .slowDatabase, .fullDisk, .lateDeadlines, .lateJobs, .serverDeadJobs, .wrongClock, .lostNodes: true
            default: false
            }
        }
    }

    package let state: State
    package let kind: Kind
    /// The provider that it is about, if it is about one.
    package let provider: Provider?
    let values: [String: Phrase.Value]
    package let phrase: Phrase

    /// - Parameter key: of the sentence; nil for the one that its kind always has.
    init(
        _ state: State, _ kind: Kind, says key: String? = nil, _ values: [String: Phrase.Value] = [:],
        of provider: Provider? = nil
    ) {
        self.state = state
        self.kind = kind
        self.values = values
        self.provider = provider
        phrase = Phrase(key ?? "verdict.\(kind.rawValue)", values)
    }
}

/// Says how an app is, from its settings and its numbers.
package struct AppVerdicts {
    let app: App
    /// Nil where it is not read, as on the page of all apps.
    private let standing: AppStanding?
    /// The last 24 hours.
    private let latest: Numbers
    private let moment: Moment

    package init(_ app: App, _ standing: AppStanding?, _ latest: Numbers, at moment: Moment) {
        self.app = app
        self.standing = standing
        self.latest = latest
        self.moment = moment
    }

    package var all: [AppVerdict] {
        [playersGetIn] + providersAnswer + importsMatch + [nothingWaits, keys] + [accountsAtRisk].compactMap { $0 }
    }

    /// What is wrong, by what the page of all apps knows of an app.
    package var ofCard: [AppVerdict] {
        let failures = sum(latest.sums(.providerFailed), isNow: true)
        var all = [playersGetIn].filter { $0.state != .good }
        if failures > 0 { all.append(AppVerdict(.warn, .failures, ["count": .number(Int(clamping: failures))])) }
        return all
    }

    /// The last two hours, of which the latter has begun only.
    private static let now = 2

    private func sum(_ amounts: [Int64], isNow: Bool) -> Int64 {
        (isNow ? amounts.suffix(Self.now) : amounts.dropLast(Self.now)).reduce(0, &+)
    }

    private func tries(isNow: Bool) -> (refused: Int64, all: Int64) {
        let refused = sum(latest.sums(.refusedLogin), isNow: isNow)
        let done = sum(latest.sums(.newMember), isNow: isNow) &+ sum(latest.sums(.returningLogin), isNow: isNow)
        return (refused, refused &+ done)
    }

    private static func percent(_ part: Int64, of whole: Int64) -> Phrase.Value {
        .text(Numbers.percent(part, of: whole))
    }

    // MARK: Verdicts

    private var playersGetIn: AppVerdict {
        if !app.status.isPlayable {
            let status = app.status.rawValue
            return AppVerdict(.warn, .closed, ["status": .word("status.\(status)", or: String(status))])
        }
        if let window = app.openMaintenance(at: moment) {
            return AppVerdict(.warn, .maintenance, ["end": .moment(window.end)])
        }
        let (now, usual) = (tries(isNow: true), tries(isNow: false))
        guard now.all > 0 else { return AppVerdict(.good, .quiet) }
        let share = Double(now.refused) / Double(now.all)
        let usualShare = usual.all > 0 ? Double(usual.refused) / Double(usual.all) : 0
        let state: AppVerdict.State =
            if now.refused > 20, share >= max(0.05, 5 * usualShare) {
                .bad
            } else if now.refused > 5, share >= max(0.05, 2 * usualShare) {
                .warn
            } else { .good }
        return AppVerdict(
            state, .refused,
            [
                "percent": Self.percent(now.refused, of: now.all), "tries": .number(Int(clamping: now.all)),
                "usual": Self.percent(usual.refused, of: usual.all),
            ])
    }

    /// One for each provider that has failed, or one for many that fail alike; one for those of which nothing is known; or one for all.
    private var providersAnswer: [AppVerdict] {
        let failed = latest.series[.providerFailed, default: [:]].mapValues { sum($0, isNow: true) }
            .filter { $0.value > 0 }
        let enabled = app.providers.filter { $0.value.isEnabled }.keys
        guard !failed.isEmpty || !enabled.isEmpty else { return [AppVerdict(.todo, .noProviders)] }
        // That nothing has failed says nothing of a provider that was never asked.
        let unknown = enabled.filter { failed[Tally.label(of: $0)] == nil && !hasAnswered($0) }
            .sorted { $0.rawValue < $1.rawValue }
        let unanswered = unknown.isEmpty ? [] : [verdict(onUnknown: unknown)]
        guard !failed.isEmpty else { return unanswered.isEmpty ? [AppVerdict(.good, .providers)] : unanswered }
        let failures = failed.sorted { $0.key < $1.key }.map { provider, failures in
            ProviderFailures(
                provider: Provider(provider), failures: failures,
                done: [Metric.newMember, .returningLogin].reduce(0) { sum, metric in
                    sum &+ self.sum(latest.series[metric]?[provider] ?? [], isNow: true)
                })
        }
        let failing: [AppVerdict] = [AppVerdict.State.bad, .warn, .good].flatMap { state in
            let alike = failures.filter { $0.state == state }
            return alike.count > Self.fewProviders ? [verdict(on: alike, state)] : alike.map { verdict(on: $0) }
        }
        return failing + unanswered
    }

    /// Whether somebody has logged in with a provider in the last 24 hours, or its present settings have passed their test.
    private func hasAnswered(_ provider: Provider) -> Bool {
        if standing?.tested.contains(provider) == true { return true }
        // Providers with names of the app's own are counted as one, which of several says nothing.
        let label = Tally.label(of: provider)
        guard app.providers.keys.count(where: { Tally.label(of: $0) == label }) == 1 else { return false }
        return [Metric.newMember, .returningLogin].contains { metric in
            latest.series[metric]?[label]?.contains { $0 > 0 } ?? false
        }
    }

    /// What fails at more providers than these has one cause, and is told once.
    private static let fewProviders = 3

    /// How the logins of a provider went.
    private struct ProviderFailures {
        let provider: Provider
        let failures: Int64
        let done: Int64

        var state: AppVerdict.State { failures >= done ? .bad : failures &* 20 > done ? .warn : .good }
    }

    private func verdict(on one: ProviderFailures) -> AppVerdict {
        AppVerdict(
            one.state, .providerFails,
            [
                "idp": .providers([one.provider]),
                "percent": Self.percent(one.failures, of: one.failures &+ one.done),
                "tries": .number(Int(clamping: one.failures &+ one.done)),
            ], of: one.provider)
    }

    private func verdict(on several: [ProviderFailures], _ state: AppVerdict.State) -> AppVerdict {
        let failures = several.reduce(0) { $0 &+ $1.failures }
        let all = several.reduce(failures) { $0 &+ $1.done }
        return AppVerdict(
            state, .providersFail,
            [
                "idps": .providers(several.map(\.provider)), "percent": Self.percent(failures, of: all),
                "tries": .number(Int(clamping: all)),
            ])
    }

    private func verdict(onUnknown providers: [Provider]) -> AppVerdict {
        AppVerdict(
            .todo, .unknownProviders, says: providers.count > Self.fewProviders ? "verdict.unknown-many" : nil,
            ["idps": .providers(providers), "count": .number(providers.count)])
    }

    /// Players whom an import has brought should come back, and not as new members.
    private var importsMatch: [AppVerdict] {
        (standing?.importMatches ?? []).filter(\.isSuspicious).map { match in
            AppVerdict(
                .warn, .importMismatch,
                [
                    "idp": .providers([match.provider]), "percent": Self.percent(match.new, of: match.all),
                    "tries": .number(Int(clamping: match.all)),
                ], of: match.provider)
        }
    }

    private var nothingWaits: AppVerdict {
        guard let standing, standing.deadJobs > 0 else { return AppVerdict(.good, .nothingWaits) }
        return AppVerdict(.bad, .deadJobs, ["count": .number(standing.deadJobs)])
    }

    private static let overlapSeconds: Int64 = 30 * 86_400

    private var keys: AppVerdict {
        guard let standing, standing.signsSince != nil else { return AppVerdict(.bad, .noKey) }
        if standing.secrets.count > 1, let newest = standing.secrets.last,
            newest.adding(seconds: Self.overlapSeconds) < moment
        {
            return AppVerdict(.warn, .oldSecrets, ["count": .number(standing.secrets.count)])
        }
        return AppVerdict(.good, .keys)
    }

    /// A member with only a guest identity loses the account with the device.
    private var accountsAtRisk: AppVerdict? {
        let active = latest.series[.activeMember]?["guest"]?.reduce(0, &+) ?? 0
        // A guest that got a provider within this time was counted as a guest before.
        let guests = max(0, active &- latest.total(.guestLinked))
        let all = latest.total(.activeMember)
        guard all > 0 else { return nil }
        let isMost = guests &* 2 > all
        return AppVerdict(
            isMost ? .warn : .good, isMost ? .atRisk : .safe,
            ["percent": Self.percent(guests, of: all), "players": .number(Int(clamping: all))])
    }
}

/// What may wait for an operator of an app: failed jobs, secret keys, signing keys, and providers that nobody has tested.
package struct AppStanding: Sendable, Hashable {
    /// Jobs of the app that were given up, among the newest of the server.
    package let deadJobs: Int
    /// When the app's own valid secret keys were made, the oldest first.
    package let secrets: [Moment]
    /// Since when the present signing key signs; nil if none does.
    package let signsSince: Moment?
    /// Whether the app has ever had a player.
    package let hasMembers: Bool
    /// How the logins have gone of providers whose identities imports of the last days have brought.
    package var importMatches: [ImportMatch] = []
    /// The identity providers whose present settings have passed their test.
    package var tested: Set<Provider> = []
}

extension AppStanding {
    /// The newest jobs of the server that are looked through.
    private static let jobs = 1_000

    init(_ context: CallContext, in tx: Reader) throws {
        let (app, moment) = (context.app.id, context.moment)
        let passed = try ProviderTestQueries.tests(of: app, in: tx).filter { provider, test in
            test.isPassed(by: context.app.providers[provider])
        }
        self.init(
            deadJobs: try JobQueries.countDead(of: app, among: Self.jobs, in: tx),
            secrets: try SecretQueries.secrets(of: app, in: tx).filter { $0.name == nil }.map(\.createdAt).sorted(),
            signsSince: try KeyQueries.keys(of: app, in: tx).map { Moment(milliseconds: $0.activeAt) }
                .filter { $0 <= moment }.max(),
            hasMembers: try !MemberQueries.list(of: app, status: nil, after: nil, limit: 1, in: tx).isEmpty,
            importMatches: try ImportMatch.all(of: context.app, at: moment, in: tx), tested: Set(passed.keys))
    }
}

extension UseCase where Self == Read<AppStanding> {
    /// What may wait for an operator of an app.
    package static var standing: Self { Read { context, tx in try AppStanding(context.call, in: tx) } }
}
