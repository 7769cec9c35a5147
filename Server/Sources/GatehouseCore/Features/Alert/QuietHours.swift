import GatehouseSecurity

/// Hours of a day in which a receiver is told nothing. What still holds at their end is told then.
package struct QuietHours: Sendable, Hashable {
    /// From 0 to 23, in the app's zone. They may go over midnight.
    package let from: Int
    package let until: Int

    func contains(_ moment: Moment, in zone: AppZone) -> Bool {
        let hour = zone.hour(of: moment)
        return from <= until ? from <= hour && hour < until : from <= hour || hour < until
    }
}
