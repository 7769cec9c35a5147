import GatehousePlatform
package import GatehouseSecurity
import Synchronization

/// The time zone in which an app's days begin.
package struct AppZone: Sendable, Hashable {
    /// A name of the time zone database, such as `Asia/Seoul`; nil for UTC.
    package let name: String?

    package static let universal = AppZone(name: nil)

    /// Whether a text names a time zone that the system knows.
    package static func exists(_ name: String) -> Bool { Zone(named: name) != nil }

    /// The day of a moment, in days since 1970 of the zone's calendar.
    package func day(of moment: Moment) -> Int64 {
        Moment(milliseconds: moment.milliseconds &+ offsetSeconds(at: moment) &* 1_000).day
    }

    /// When a day begins: its midnight, or one o'clock where clocks that are set forward have no midnight, as in Cairo. The first second
    /// whose day it is, because ``day(of:)`` counts by it, and the offset of that second is not that of UTC's midnight.
    package func begin(ofDay day: Int64) -> Moment {
        let midnight = Moment(day: day)
        // No zone has ever been sixteen hours from UTC.
        var (first, last) = (-57_600 as Int64, 57_600 as Int64)
        while first < last {
            let middle = first + (last - first) / 2
            if self.day(of: midnight.adding(seconds: middle)) < day { first = middle + 1 } else { last = middle }
        }
        return midnight.adding(seconds: first)
    }

    /// The hour that clocks of the zone show, from 0 to 23.
    func hour(of moment: Moment) -> Int {
        let seconds = (moment.milliseconds / 1_000 &+ offsetSeconds(at: moment)) % 86_400
        return Int((seconds + 86_400) % 86_400 / 3_600)
    }

    // MARK: The offset

    /// Offsets change at full quarters of an hour, so each zone's is looked up once in a quarter: every login asks for it.
    private struct Known {
        let quarter: Int64
        let offset: Int64
    }

    private static let known = Mutex<[String: Known]>([:])

    private func offsetSeconds(at moment: Moment) -> Int64 {
        guard let name else { return 0 }
        let quarter = moment.quarterBegin.milliseconds
        if let known = Self.known.withLock({ $0[name] }), known.quarter == quarter { return known.offset }
        let offset = Zone(named: name)?.offsetSeconds(at: quarter / 1_000) ?? 0
        Self.known.withLock { $0[name] = Known(quarter: quarter, offset: offset) }
        return offset
    }
}

extension App {
    /// Where the app's days begin.
    package var zone: AppZone { AppZone(name: policy.timeZone) }
}
