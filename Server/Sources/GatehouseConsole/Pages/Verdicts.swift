import GatehouseCore
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire

/// What an operator needs to know first: sentences with a state and a link.
struct Verdicts {
    let visit: Visit
    let app: App
    let standing: ReadStanding.Outcome
    /// The last 24 hours.
    let latest: Numbers

    private var words: Words { visit.words }

    init(_ visit: Visit, _ standing: ReadStanding.Outcome, _ latest: Numbers) throws {
        self.visit = visit
        app = try visit.app()
        self.standing = standing
        self.latest = latest
    }

    enum State: String {
        case good, warn, bad
        /// Nothing is wrong, and something is left to do before it can be right.
        case todo

        /// The style of its badge.
        var badge: String { self == .todo ? "plain" : rawValue }
    }

    struct Verdict {
        let state: State
        let text: String
        let link: Link?
    }

    var all: [Verdict] { [playersGetIn] + providersAnswer + [nothingWaits, keys] + [accountsAtRisk].compactMap { $0 } }

    private func verdict(_ state: State, _ key: String, _ values: [String: String] = [:], _ link: (String, String)?)
        -> Verdict
    {
        Verdict(
            state: state, text: words("verdict.\(key)", values),
            link: link.map { Link(words($0.0 == "refusals" ? "chart.refusals" : "nav.\($0.0)"), $0.1) })
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

    // MARK: Verdicts

    private var playersGetIn: Verdict {
        let status = ["status": visit.statusCell(app.status).text]
        let link = ("launching", visit.address("launching"))
        if !app.status.isPlayable { return verdict(.warn, "closed", status, link) }
        if let window = app.maintenance, window.begin <= visit.moment, visit.moment < window.end {
            return verdict(.warn, "maintenance", ["end": visit.local.absolute(window.end)], link)
        }
        let (now, usual) = (tries(isNow: true), tries(isNow: false))
        guard now.all > 0 else { return verdict(.good, "quiet", [:], nil) }
        let share = Double(now.refused) / Double(now.all)
        let usualShare = usual.all > 0 ? Double(usual.refused) / Double(usual.all) : 0
        let state: State =
            if now.refused > 20, share >= max(0.05, 5 * usualShare) {
                .bad
            } else if now.refused > 5,
                share >= max(0.05, 2 * usualShare)
            {
                .warn
            } else { .good }
        return verdict(
            state, "refused",
            [
                "percent": OverviewCharts.percent(now.refused, of: now.all), "tries": Chart.grouped(now.all),
                "usual": OverviewCharts.percent(usual.refused, of: usual.all),
            ], state == .good ? nil : ("refusals", "\(visit.address(""))?range=24h#refusals"))
    }

    /// One for each provider that has failed, or one for all.
    private var providersAnswer: [Verdict] {
        let failed = latest.series[.providerFailed, default: [:]].mapValues { sum($0, isNow: true) }
            .filter { $0.value > 0 }
        guard !failed.isEmpty else {
            let isOne = app.providers.values.contains(where: \.isEnabled)
            return [
                isOne
                    ? verdict(.good, "providers", [:], nil)
                    : verdict(.todo, "no-providers", [:], ("providers", visit.address("providers")))
            ]
        }
        return failed.sorted { $0.key < $1.key }.map { provider, failures in
            let done = [Metric.newMember, .returningLogin].reduce(0) { sum, metric in
                sum &+ self.sum(latest.series[metric]?[provider] ?? [], isNow: true)
            }
            let isDown = failures >= done
            let isOften = failures &* 20 > done
            return verdict(
                isDown ? .bad : isOften ? .warn : .good, "provider-fails",
                [
                    "idp": visit.providerLabel(provider),
                    "percent": OverviewCharts.percent(failures, of: failures &+ done),
                    "tries": Chart.grouped(failures &+ done),
                ], ("providers", visit.address("providers")))
        }
    }

    private var nothingWaits: Verdict {
        guard standing.deadJobs > 0 else { return verdict(.good, "nothing-waits", [:], nil) }
        let link = visit.person.serverRole.map { _ in ("jobs", "\(Console.prefix)/jobs") }
        return verdict(.bad, "dead-jobs", ["count": String(standing.deadJobs)], link)
    }

    private static let overlapSeconds: Int64 = 30 * 86_400

    private var keys: Verdict {
        guard standing.signsSince != nil else {
            // An owner alone may open the page.
            let link = visit.may(.owner) ? ("signing-keys", visit.address("signing-keys")) : nil
            return verdict(.bad, "no-key", [:], link)
        }
        if standing.secrets.count > 1, let newest = standing.secrets.last,
            newest.adding(seconds: Self.overlapSeconds) < visit.moment
        {
            return verdict(
                .warn, "old-secrets", ["count": String(standing.secrets.count)],
                visit.may(.owner) ? ("secrets", visit.address("secrets")) : nil)
        }
        return verdict(.good, "keys", [:], nil)
    }

    /// A member with only a guest identity loses the account with the device.
    private var accountsAtRisk: Verdict? {
        let active = latest.series[.activeMember]?["guest"]?.reduce(0, &+) ?? 0
        // A guest that got a provider within this time was counted as a guest before.
        let guests = max(0, active &- latest.total(.guestLinked))
        let all = latest.total(.activeMember)
        guard all > 0 else { return nil }
        let isMost = guests &* 2 > all
        return verdict(
            isMost ? .warn : .good, isMost ? "at-risk" : "safe",
            ["percent": OverviewCharts.percent(guests, of: all), "players": Chart.grouped(all)],
            ("transfer", visit.address("transfer")))
    }
}
