package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

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

/// Counts what the console's navigation shows beside its pages. Each count ends at ``most``, so that it costs the same in every app.
package struct CountForNavigation: ServerAction {
    package static let role: OperatorRole? = nil
    /// The count that means "and perhaps more".
    package static let most = 100

    let app: AppID?

    /// - Parameter app: nil for the numbers of the server alone.
    package init(app: AppID?) {
        self.app = app
    }

    package struct Outcome: Sendable, Equatable {
        /// The bans in effect.
        package var bans = 0
        /// The members whose withdrawal is pending.
        package var withdrawals = 0
        /// The jobs that wait, of all apps.
        package var jobs = 0
        /// Whether players were ever imported into the app.
        package var hasImports = false

        package init() {}
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        try await services.database.read { [app] tx in
            var counts = Outcome()
            counts.jobs = try JobQueries.countWaiting(limit: Self.most, in: tx)
            guard let app else { return counts }
            counts.bans = try BanRules.countInForce(at: moment, app: app, limit: Self.most, in: tx)
            counts.withdrawals = try MemberQueries.withdrawing(from: app, limit: Self.most, in: tx).count
            counts.hasImports = try ImportRules.hasRuns(of: app, in: tx)
            return counts
        }
    }
}
