package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// The hours or days of a chart.
package struct NumberRange: Sendable, Hashable {
    package enum Unit: Sendable, Hashable { case hour, day }

    package let unit: Unit
    /// The zone of the days.
    package let zone: AppZone
    /// The beginning of the first bucket: of a day, the midnight in UTC of the zone's date.
    package let begin: Moment
    package let count: Int

    /// The last hours or days until a moment, whose own is not over.
    package init(last count: Int, _ unit: Unit, until moment: Moment, in zone: AppZone) {
        self.unit = unit
        self.zone = zone
        self.count = max(1, min(count, 1_000))
        let last = unit == .hour ? moment.hourBegin : Moment(day: zone.day(of: moment))
        begin = last.adding(seconds: -Int64(self.count - 1) * Self.seconds(unit))
    }

    private init(unit: Unit, zone: AppZone, begin: Moment, count: Int) {
        self.unit = unit
        self.zone = zone
        self.begin = begin
        self.count = count
    }

    /// The same number of hours or days before.
    package var before: NumberRange {
        NumberRange(
            unit: unit, zone: zone, begin: begin.adding(seconds: -Int64(count) * Self.seconds(unit)), count: count)
    }

    package var end: Moment { begin.adding(seconds: Int64(count) * Self.seconds(unit)) }

    package func bucket(_ index: Int) -> Moment { begin.adding(seconds: Int64(index) * Self.seconds(unit)) }

    /// The index of the bucket to which a moment belongs; nil if it is not of the range.
    package func index(of moment: Moment) -> Int? {
        index(ofBucket: unit == .hour ? moment.hourBegin : Moment(day: zone.day(of: moment)))
    }

    /// The index of a bucket by its beginning; nil if it is not of the range.
    func index(ofBucket bucket: Moment) -> Int? {
        guard bucket >= begin, bucket < end else { return nil }
        return Int((bucket.milliseconds - begin.milliseconds) / 1_000 / Self.seconds(unit))
    }

    private static func seconds(_ unit: Unit) -> Int64 { unit == .hour ? 3_600 : 86_400 }
}

/// What has happened in an app, by hour or by day of the app's time zone.
package struct Numbers: Sendable {
    package let range: NumberRange
    /// The amounts of each bucket, by metric and label.
    package fileprivate(set) var series: [Metric: [String: [Int64]]] = [:]
    /// The number of members who were there within thirty days, at the end of each day. Empty for hours.
    package fileprivate(set) var activeMembers: [Int64] = []
    /// The beginning of the first player's day, of days as their buckets; nil if there was none since the server counts. There are no numbers of the time before.
    package let since: Moment?

    package func total(_ metric: Metric) -> Int64 {
        series[metric, default: [:]].values.reduce(0) { $0 &+ $1.reduce(0, &+) }
    }

    /// The amounts of a metric, all labels together.
    package func sums(_ metric: Metric) -> [Int64] {
        series[metric, default: [:]].values.reduce(into: Array(repeating: 0, count: range.count)) { sums, amounts in
            for (index, amount) in amounts.enumerated() { sums[index] &+= amount }
        }
    }
}

/// Reads an app's numbers.
package struct ReadNumbers: Report {
    let range: NumberRange

    package init(range: NumberRange) {
        self.range = range
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> Numbers {
        let app = view.app
        let first = try CountQueries.firstDay(of: app.id, .activeMember, in: tx)
        let unit = range.unit == .hour ? Tally.Key.Unit.hour : .day
        var numbers = Numbers(
            range: range, since: unit == .hour ? first.map { range.zone.begin(ofDay: $0.day) } : first)
        for metric in Metric.allCases where metric != .activeChange {
            for count in try CountQueries.counts(
                of: app.id, unit, metric, from: range.begin, until: range.end, in: tx)
            {
                guard let index = range.index(ofBucket: count.bucket) else { continue }
                numbers.series[metric, default: [:]][
                    count.label, default: Array(repeating: 0, count: range.count)][index] &+= count.amount
            }
        }
        if unit == .day { numbers.activeMembers = try Self.activeMembers(of: app.id, range, in: tx) }
        return numbers
    }

    private static func activeMembers(of app: AppID, _ range: NumberRange, in tx: Reader) throws -> [Int64] {
        var differences = Array(repeating: Int64(0), count: range.count)
        for count in try CountQueries.counts(
            of: app, .day, .activeChange, from: range.begin, until: range.end, in: tx)
        {
            if let index = range.index(ofBucket: count.bucket) { differences[index] &+= count.amount }
        }
        var sum = try CountQueries.sum(of: app, .activeChange, before: range.begin, in: tx)
        return differences.map { difference in
            sum &+= difference
            return sum
        }
    }
}
