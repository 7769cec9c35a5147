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

/// What is counted. The raw values are stored.
package enum Metric: String, Sendable, Hashable, CaseIterable {
    /// The first logins of identities, by identity provider, and guests whom the game's own server has brought. An import's members are
    /// none.
    case newMember = "login.new"
    case returningLogin = "login.returning"
    /// Logins that were refused, by error code.
    case refusedLogin = "login.refused"
    /// Logins that were refused because their identity provider could not be asked, by provider.
    case providerFailed = "provider.failed"

    /// Members who were there on a day: `guest` for those whom only a device's guest identity leads back, else `linked`.
    case activeMember = "member.active"
    /// By how much the number of members who were there within thirty days differs from that of the day before. Only by day.
    case activeChange = "member.active-30-change"

    /// Guests that got their first identity of a provider, by provider.
    case guestLinked = "guest.linked"
    case mappingConflict = "mapping.conflict"
    /// Conflicts that ended with a forced mapping, and with a login as the other member, by provider.
    case mappingForced = "mapping.forced"
    case loginChanged = "mapping.login-changed"

    case banBegun = "ban.begun"
    case banReleased = "ban.released"
    case banExpired = "ban.expired"
    case withdrawalAsked = "withdrawal.asked"
    case withdrawalCancelled = "withdrawal.cancelled"
    case withdrawalDone = "withdrawal.done"
    case transferIssued = "transfer.issued"
    case transferRedeemed = "transfer.redeemed"
    case transferBlocked = "transfer.blocked"
}

extension AccountEvent {
    /// What the event adds to, with the provider that it concerns.
    var metrics: [(metric: Metric, provider: Provider?)] {
        switch self {
        case .memberCreated(let provider, _): [(.newMember, provider)]
        case .loggedIn(let provider, _): [(.returningLogin, provider)]
        case .memberImported(_, let asNewGuest): asNewGuest ? [(.newMember, .guest)] : []
        case .mappingAdded(let provider, let endsGuest): endsGuest ? [(.guestLinked, provider)] : []
        case .mappingMovedHere(let provider, _, let endsGuest):
            [(.mappingForced, provider)] + (endsGuest ? [(.guestLinked, provider)] : [])
        case .mappingConflict(let provider): [(.mappingConflict, provider)]
        case .transferIssued: [(.transferIssued, nil)]
        case .transferRedeemed: [(.transferRedeemed, nil)]
        case .transferBlocked: [(.transferBlocked, nil)]
        case .withdrawalRequested: [(.withdrawalAsked, nil)]
        case .withdrawalCancelled: [(.withdrawalCancelled, nil)]
        case .withdrawn: [(.withdrawalDone, nil)]
        case .banned: [(.banBegun, nil)]
        case .banReleased: [(.banReleased, nil)]
        case .banExpired: [(.banExpired, nil)]
        case .loggedOut, .sessionEndedElsewhere, .otherSessionsEnded, .profileRead, .exported, .memberRestored,
            .memberFrozen, .restoreWindowClosed, .mappingRemoved, .mappingMovedAway, .transferRenewed,
            .transferUnblocked,
            .transferReissued, .transferVoided, .banChanged, .graceBanned, .graceBanReleased, .paymentReported,
            .kickedOut, .sessionKickedOut, .providerSignal, .tokensRevoked, .tokensNotRevoked,
            .legacyClaimed, .legacyReleased, .importUndone:
            []
        }
    }
}

/// The first activity of a member on a day.
struct FirstActivity: Sendable, Hashable {
    let app: AppID
    let moment: Moment
    /// The app's day (``AppZone``).
    let day: Int64
    /// The day of the activity before; nil if there was none.
    let formerDay: Int64?
    let isGuest: Bool

    init(of account: Account, on day: Int64, after formerDay: Int64?, at moment: Moment) {
        app = account.app
        self.moment = moment
        self.day = day
        self.formerDay = formerDay == 0 ? nil : formerDay
        isGuest = account.isPureGuest
    }

    /// The number of days for which a member counts among those who were there lately.
    static let days: Int64 = 30

    /// How the number of members of the last thirty days differs, day by day: one more from today, or from the end of the time that the
    /// activity before covers, and one less when today's is over. The sums of these differences are exact, and no member is kept in a
    /// set for them.
    var differences: [(day: Int64, difference: Int64)] {
        let end = day + Self.days
        let begin = max(day, (formerDay ?? day - Self.days) + Self.days)
        guard begin < end else { return [] }
        return [(day: begin, difference: Int64(1)), (day: end, difference: Int64(-1))]
    }
}
