package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reads every app with the few numbers that a page of all apps shows. The number of statements does not grow with that of the apps.
package struct ReadAppCards: ServerAction {
    package static let role: OperatorRole? = nil

    /// How many days of active members a card shows.
    package static let days = 7

    package init() {}

    package struct Card: Sendable {
        package let app: App
        /// Active members and refused logins of the last days.
        package let days: Numbers
        /// Logins, new, returning, refused and failed, of the last 24 hours.
        package let hours: Numbers
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [Card] {
        try await services.database.report { tx in try Self.read(at: moment, in: tx) }
    }

    static func read(at moment: Moment, in tx: Reader) throws -> [Card] {
        // A zone's day may have begun a day before that of UTC.
        let firstDay = Moment(day: moment.day - Int64(days) - 1)
        func sums(_ unit: Tally.Key.Unit, _ metrics: [Metric], from begin: Moment) throws
            -> [(metric: Metric, sums: [AppID: [CountQueries.Count]])]
        {
            try metrics.map { ($0, try CountQueries.sumsOfApps(unit, $0, from: begin, in: tx)) }
        }
        let byDay = try sums(.day, [.activeMember, .refusedLogin], from: firstDay)
        let byHour = try sums(
            .hour, [.newMember, .returningLogin, .refusedLogin, .providerFailed],
            from: moment.hourBegin.adding(seconds: -23 * 3_600))
        return try AppQueries.apps(in: tx).map { app in
            func numbers(_ range: NumberRange, _ all: [(metric: Metric, sums: [AppID: [CountQueries.Count]])])
                -> Numbers
            {
                var numbers = Numbers(range: range, since: nil)
                for (metric, sums) in all {
                    var amounts = Array(repeating: Int64(0), count: range.count)
                    for count in sums[app.id, default: []] {
                        if let index = range.index(ofBucket: count.bucket) { amounts[index] &+= count.amount }
                    }
                    numbers.series[metric] = ["": amounts]
                }
                return numbers
            }
            return Card(
                app: app, days: numbers(NumberRange(last: days, .day, until: moment, in: app.zone), byDay),
                hours: numbers(NumberRange(last: 24, .hour, until: moment, in: app.zone), byHour))
        }
    }
}
