import GatehouseProviders
package import GatehouseSecurity
import GatehouseWire
import Synchronization

/// Counts in memory what happens, until a service writes it down (``Services/writeCounts()``). A login pays for it with a few entries of
/// a dictionary.
package final class Tally: Sendable {
    /// A row of the table.
    struct Key: Hashable, Sendable {
        enum Unit: String {
            /// A quarter of an hour is only counted in memory: in every time zone it belongs to one day.
            case quarter
            case hour, day
        }

        let app: AppID
        let unit: Unit
        let metric: Metric
        /// The beginning of the quarter or the hour. Of a day, the midnight in UTC of the app's date (``AppZone``).
        let bucket: Moment
        let label: String
    }

    private let counts = Mutex<[Key: Int64]>([:])

    /// Names from outside make no new rows.
    private static let providers = Set([.guest] + ProviderName.all.map(\.provider))

    /// The label under which a provider is counted. Those that an app has named itself have one together.
    static func label(of provider: Provider) -> String {
        providers.contains(provider) ? provider.rawValue : others
    }

    static let others = "other"

    func count(_ event: AccountEvent, of app: AppID, at moment: Moment) {
        for (metric, provider) in event.metrics { count(metric, provider, of: app, at: moment) }
    }

    func count(_ metric: Metric, _ provider: Provider?, of app: AppID, at moment: Moment) {
        let label = provider.map(Self.label) ?? ""
        add(1, Key(app: app, unit: .quarter, metric: metric, bucket: moment.quarterBegin, label: label))
    }

    /// Counts a login that was refused.
    func count(refused code: ErrorCode, of app: AppID, at moment: Moment) {
        let label = String(code.rawValue)
        add(1, Key(app: app, unit: .quarter, metric: .refusedLogin, bucket: moment.quarterBegin, label: label))
    }

    func count(_ activity: FirstActivity) {
        let label = activity.isGuest ? "guest" : "linked"
        add(
            1,
            Key(
                app: activity.app, unit: .quarter, metric: .activeMember, bucket: activity.moment.quarterBegin,
                label: label))
        for (day, difference) in activity.differences {
            add(
                difference,
                Key(
                    app: activity.app, unit: .day, metric: .activeChange, bucket: Moment(day: day), label: ""))
        }
    }

    private func add(_ amount: Int64, _ key: Key) {
        counts.withLock { $0[key, default: 0] &+= amount }
    }

    /// Whether a label of one of these metrics was counted and is not written yet.
    func hasCounted(_ metrics: [Metric], label: String, of app: AppID) -> Bool {
        counts.withLock { counts in
            counts.keys.contains { $0.label == label && $0.app == app && metrics.contains($0.metric) }
        }
    }

    /// Removes everything that was counted, for its rows.
    func take() -> [Key: Int64] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }

    /// Returns what could not be written.
    func putBack(_ rows: [Key: Int64]) {
        counts.withLock { $0.merge(rows) { $0 &+ $1 } }
    }
}

extension Moment {
    private static let dayMilliseconds: Int64 = 86_400_000
    private static let hourMilliseconds: Int64 = 3_600_000
    private static let quarterMilliseconds: Int64 = 900_000

    /// Days since 1970, UTC.
    package var day: Int64 { milliseconds / Self.dayMilliseconds }
    package var quarterBegin: Moment {
        Moment(milliseconds: milliseconds / Self.quarterMilliseconds * Self.quarterMilliseconds)
    }
    package var hourBegin: Moment {
        Moment(milliseconds: milliseconds / Self.hourMilliseconds * Self.hourMilliseconds)
    }

    package init(day: Int64) {
        self.init(milliseconds: day.multipliedReportingOverflow(by: Self.dayMilliseconds).partialValue)
    }
}

extension Work {
    /// Counts a login that was refused, by its code.
    func countRefusedLogin(_ provider: Provider?, _ error: any Error) {
        guard !(error is CancellationError) else { return }
        let refusal = error as? Refusal ?? DatabaseFailure(error)?.refusal
        let tally = services.reporter.tally
        tally.count(refused: refusal?.code ?? .serverInternalError, of: app.id, at: moment)
        if let provider, refusal?.reason == .providerUnavailable {
            tally.count(.providerFailed, provider, of: app.id, at: moment)
        }
    }
}
