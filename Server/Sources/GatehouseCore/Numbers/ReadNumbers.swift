import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reads an app's numbers.
package struct ReadNumbers: Report {
    let range: NumberRange

    package init(range: NumberRange) {
        self.range = range
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> Numbers {
        try Numbers(of: view.app.id, range, in: tx) { metrics in
            try CountQueries.counts(
                of: view.app.id, range.unit == .hour ? .hour : .day, metrics, from: range.begin, until: range.end,
                in: tx)
        }
    }
}

/// Reads an app's numbers of some days, and those of as many days before.
package struct CompareNumbers: Report {
    let range: NumberRange
    let period: Int

    /// - Parameter period: how many days are summed up by who asks, counted from the end of the range. It divides their number. The sum
    ///   of a period stands at its first day, and the last day of each range alone, because it may not be over. Active members are no sums,
    ///   and those of each day are read.
    package init(range: NumberRange, period: Int = 1) {
        self.range = range
        self.period = range.count.isMultiple(of: max(1, period)) ? max(1, period) : 1
    }

    package struct Outcome: Sendable {
        package let numbers: Numbers
        package let former: Numbers
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> Outcome {
        let app = view.app.id
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
        return Outcome(
            numbers: numbers.buckets(range.count..<both.count).used, former: numbers.buckets(0..<range.count).used)
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
