package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What has happened in an app, by hour or by day of the app's time zone.
package struct Numbers: Sendable {
    package let range: NumberRange
    /// The amounts of each bucket, by metric and label.
    package internal(set) var series: [Metric: [String: [Int64]]] = [:]
    /// The number of members who were there within thirty days, at the end of each day. Empty for hours.
    package internal(set) var activeMembers: [Int64] = []
    /// The beginning of the first player's day, of days as their buckets; nil if there was none since the server counts. There are no numbers of the time before.
    package let since: Moment?

    package func total(_ metric: Metric) -> Int64 {
        series[metric, default: [:]].values.reduce(0) { $0 &+ $1.reduce(0, &+) }
    }

    /// The numbers of some buckets.
    package func buckets(_ indices: Range<Int>) -> Numbers {
        let indices = indices.clamped(to: 0..<range.count)
        var numbers = Numbers(range: range.buckets(indices), since: since)
        numbers.series = series.mapValues { $0.mapValues { Array($0[indices]) } }
        if !activeMembers.isEmpty { numbers.activeMembers = Array(activeMembers[indices]) }
        return numbers
    }

    /// The numbers without the labels of which nothing was counted.
    var used: Numbers {
        var numbers = self
        numbers.series = series.mapValues { $0.filter { $0.value.contains { $0 != 0 } } }.filter { !$0.value.isEmpty }
        return numbers
    }

    /// The amounts of a metric, all labels together.
    package func sums(_ metric: Metric) -> [Int64] {
        series[metric, default: [:]].values.reduce(into: Array(repeating: 0, count: range.count)) { sums, amounts in
            for (index, amount) in amounts.enumerated() { sums[index] &+= amount }
        }
    }

    /// A share in percent, without a fraction.
    package static func percent(_ part: Int64, of whole: Int64) -> String {
        whole > 0 ? String(Int((Double(part) / Double(whole) * 100).rounded())) : "0"
    }
}

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

    /// The range with as many hours or days before it.
    package var withBefore: NumberRange {
        NumberRange(unit: unit, zone: zone, begin: before.begin, count: 2 * count)
    }

    /// Some buckets of the range; those that it does not have are left out.
    package func buckets(_ indices: Range<Int>) -> NumberRange {
        let indices = indices.clamped(to: 0..<count)
        return NumberRange(unit: unit, zone: zone, begin: bucket(indices.lowerBound), count: indices.count)
    }

    /// When a bucket begins in the world: a day at the midnight of its zone.
    package func moment(of index: Int) -> Moment {
        unit == .hour ? bucket(index) : zone.begin(ofDay: bucket(index).day)
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

extension UseCase where Self == Read<Numbers> {
    /// An app's numbers.
    package static func numbers(in range: NumberRange) -> Self {
        Read { context, tx in try Numbers(of: context.app.id, range, in: tx) }
    }
}

extension Numbers {
    init(of app: AppID, _ range: NumberRange, in tx: Reader) throws {
        try self.init(of: app, range, in: tx) { metrics in
            try CountQueries.counts(
                of: app, range.unit == .hour ? .hour : .day, metrics, from: range.begin, until: range.end, in: tx)
        }
    }
}

/// An app's numbers of some days, and those of as many days before.
package struct ComparedNumbers: Sendable {
    package let numbers: Numbers
    package let former: Numbers
}

extension UseCase where Self == Read<ComparedNumbers> {
    /// An app's numbers of some days, and those of as many days before.
    ///
    /// - Parameter period: how many days are summed up by who asks, counted from the end of the range. It divides their number. The sum
    ///   of a period stands at its first day, and the last day of each range alone, because it may not be over. Active members are no sums,
    ///   and those of each day are read.
    package static func comparedNumbers(in range: NumberRange, period: Int = 1) -> Self {
        let period = range.count.isMultiple(of: max(1, period)) ? max(1, period) : 1
        return Read { context, tx in
            let app = context.app.id
            let (former, both) = (range.before, range.withBefore)
            let (begin, end) = (both.begin, both.end)
            let numbers = try Numbers(of: app, both, in: tx) { metrics in
                guard period > 1 else {
                    return try CountQueries.counts(of: app, .day, metrics, from: begin, until: end, in: tx)
                }
                let daily: [Metric] = [.activeMember, .activeChange]
                let last = (former.bucket(former.count - 1), range.bucket(range.count - 1))
                return try CountQueries.counts(of: app, .day, daily, from: begin, until: end, in: tx)
                    + CountQueries.sums(
                        of: app, metrics.filter { !daily.contains($0) }, every: period, but: last, from: begin,
                        until: end, in: tx)
            }
            return ComparedNumbers(
                numbers: numbers.buckets(range.count..<both.count).used, former: numbers.buckets(0..<range.count).used)
        }
    }
}

extension Numbers {
    /// - Parameter counts: the rows of some metrics.
    fileprivate init(
        of app: AppID, _ range: NumberRange, in tx: Reader, _ counts: ([Metric]) throws -> [CountQueries.Count]
    ) throws {
        let first = try CountQueries.firstDay(of: app, .activeMember, in: tx)
        let isHours = range.unit == .hour
        self.init(range: range, since: isHours ? first.map { range.zone.begin(ofDay: $0.day) } : first)
        // Only days have the change.
        let metrics = Metric.allCases.filter { !isHours || $0 != .activeChange }
        var changes = Array(repeating: Int64(0), count: range.count)
        for count in try counts(metrics) {
            guard let index = range.index(ofBucket: count.bucket) else { continue }
            if count.metric == .activeChange {
                changes[index] &+= count.amount
            } else {
                series[count.metric, default: [:]][
                    count.label, default: Array(repeating: 0, count: range.count)][index] &+= count.amount
            }
        }
        if isHours { return }
        var members = try CountQueries.sum(of: app, .activeChange, before: range.begin, in: tx)
        activeMembers = changes.map { change in
            members &+= change
            return members
        }
    }
}
