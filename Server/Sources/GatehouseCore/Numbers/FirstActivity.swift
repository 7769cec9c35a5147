import GatehouseSecurity
import GatehouseWire

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
