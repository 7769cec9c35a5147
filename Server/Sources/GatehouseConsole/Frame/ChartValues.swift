/// The amounts of one bucket of a chart, as the script shows them where somebody points.
struct ChartValues: Encodable, Equatable {
    /// The bucket and the amount of each series, a line each.
    let text: String
    /// The list of what was counted, where there is one.
    let address: String?

    static func all(of chart: Chart) -> [ChartValues] {
        var series = chart.series
        // A pile of bars is read from above.
        if chart.shape == .bars {
            series.reverse()
            if series.count > 1 {
                let sums = chart.buckets.indices.map { chart.sum($0) }
                series.append(Chart.Series(name: chart.words("chart.sum"), style: 0, amounts: sums))
            }
        }
        series += [chart.former].compactMap { $0 }
        return chart.buckets.enumerated().map { index, bucket in
            let lines = series.map { "\($0.name): \($0.amounts[index].map(Chart.grouped) ?? "–")" }
            return ChartValues(text: ([bucket.name] + lines).joined(separator: "\n"), address: bucket.address)
        }
    }
}
