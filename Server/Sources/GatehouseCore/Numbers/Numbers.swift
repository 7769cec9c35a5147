package import GatehouseSecurity

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
