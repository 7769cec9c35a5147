import GatehouseCore
import GatehousePlatform
import GatehouseSecurity

// How the numbers of an app become the buckets, series and sentences of its charts.
extension OverviewCharts {
    /// - Parameters:
    ///   - values: of the sentence.
    ///   - metrics: those whose sum is compared with the period before.
    func chart(
        _ name: String, says values: [String: Int64], _ series: [Chart.Series], former metrics: [Metric]?,
        today: [Metric]
    ) -> Chart {
        var texts = values.mapValues(Chart.grouped)
        texts["range"] = words("overview.range.\(range.rawValue)")
        var sentence = words("chart.\(name).says", texts)
        var chart = Chart(
            name: name, title: words("chart.\(name)"), sentence: "", shape: .bars,
            buckets: buckets(numbers, group: group), series: series, unit: words(unit), words: words)
        if let metrics {
            if let change = change(metrics) { sentence += " \(change)" }
            if compares, hasFormer {
                chart.former = Chart.Series(
                    name: words("chart.before"), style: 7,
                    amounts: amounts(former, metrics, label: nil))
            }
        }
        chart.sentence = sentence
        chart.today = self.today(today)
        chart.marks = placed(numbers, group: group)
        link(&chart)
        return chart
    }

    private var unit: String {
        switch range {
        case .day: "chart.hour"
        case .year: "chart.week"
        default: "chart.day"
        }
    }

    func link(_ chart: inout Chart) {
        let query = "?range=\(range.rawValue)"
        chart.isDetailed = isDetailed
        chart.csv = page.address("numbers/\(chart.name).csv\(query)")
        chart.address = page.address("numbers/\(chart.name)\(query)\(compares ? "&compare=1" : "")")
    }

    /// Whether the server has counted through the whole period before.
    private var hasFormer: Bool { former.since.map { $0 <= former.range.begin } ?? false }

    /// The last hour or day is not over, so the sentence leaves it out, and that of the period before with it.
    private func change(_ metrics: [Metric]) -> String? {
        func sum(_ numbers: Numbers) -> Int64 {
            metrics.reduce(0) { $0 &+ numbers.sums($1).dropLast().reduce(0, &+) }
        }
        let (now, before) = (sum(numbers), sum(former))
        guard hasFormer, before > 0 else { return nil }
        let percent = Int(max(-100, min(99_999, ((Double(now) / Double(before) - 1) * 100).rounded())))
        let change = now == before ? "same" : percent == 0 ? "about" : percent > 0 ? "more" : "fewer"
        return words(
            "chart.\(change)",
            [
                "without": words("chart.without.\(numbers.range.unit == .hour ? "hour" : "day")"),
                "percent": Words.number(abs(percent)),
            ])
    }

    /// Today's sum of some metrics, and that of yesterday until the same time. An hour that is not over is compared with as much of the
    /// same hour of yesterday.
    func today(_ metrics: [Metric]) -> ChartToday {
        func sum(_ numbers: Numbers, _ indices: Range<Int>) -> Int64 {
            metrics.reduce(0) { $0 &+ numbers.sums($1)[indices].reduce(0, &+) }
        }
        let amount = sum(days, days.range.count - 1..<days.range.count)
        let day = 24
        let last = hours.range.count - 1
        let zone = hours.range.zone
        let first = (0...last).first { zone.day(of: hours.range.bucket($0)) == zone.day(of: page.moment) } ?? last
        guard last >= day, first >= day, let since = hours.since, since <= hours.range.bucket(first - day) else {
            return ChartToday(amount, before: nil, words: words)
        }
        let part = Double(page.moment.milliseconds - hours.range.bucket(last).milliseconds) / 3_600_000
        let before =
            Double(sum(hours, first - day..<last - day))
            + Double(sum(hours, last - day..<last - day + 1)) * max(0, min(1, part))
        return ChartToday(amount, before: before, words: words)
    }

    /// The labels of some metrics: guests first, then by name.
    func labels(_ metrics: [Metric]) -> [String] {
        Set(metrics.flatMap { numbers.series[$0, default: [:]].keys }).sorted {
            ($0 == "guest" ? "" : $0) < ($1 == "guest" ? "" : $1)
        }
    }

    func series(_ name: String, _ style: Int, _ metrics: [Metric], label: String? = nil) -> Chart.Series {
        Chart.Series(name: name, style: style, amounts: amounts(numbers, metrics, label: label))
    }

    /// The amounts of some metrics in each bucket of the chart, of one label or of all.
    func amounts(_ numbers: Numbers, _ metrics: [Metric], label: String? = nil) -> [Int64?] {
        var sums = Array(repeating: Int64(0), count: numbers.range.count)
        for metric in metrics {
            let amounts = label.map { numbers.series[metric]?[$0] ?? [] } ?? numbers.sums(metric)
            for (index, amount) in amounts.enumerated() { sums[index] &+= amount }
        }
        return grouped(numbers, sums, group: group) { $0.reduce(0, &+) }
    }

    /// One amount for each bucket of the chart; nil for the time before the first player, because a gap is no zero.
    func grouped(
        _ numbers: Numbers, _ amounts: [Int64], group: Int, _ join: (ArraySlice<Int64>) -> Int64
    ) -> [Int64?] {
        begins(numbers, group: group).map { begin in
            let end = begin + group
            guard let since = numbers.since, numbers.range.bucket(end) > since else { return nil }
            return join(amounts[begin..<end])
        }
    }

    func buckets(_ numbers: Numbers, group: Int) -> [Chart.Bucket] {
        let isHour = numbers.range.unit == .hour
        // The bucket of a day is the midnight in UTC of its date.
        let zone = LocalTime(zone: isHour ? numbers.range.zone.name : nil, now: page.moment, words: words)
        // `2026-11-22 14:00`
        let texts = begins(numbers, group: group).map {
            zone.input(numbers.range.bucket($0)).substituting("T", by: " ")
        }
        // Days of two years are told apart on the axis, too.
        let hasYear = Set(texts.map { $0.prefix(4) }).count > 1
        return texts.map { text in
            let day = text.prefix(10)
            let hour = text.dropFirst(11).prefix(5)
            return Chart.Bucket(
                name: isHour ? "\(day) \(hour)" : String(day),
                short: String(isHour ? hour : hasYear ? day : day.dropFirst(5)))
        }
    }

    /// The address of the refused calls of some buckets of the numbers, and of all of them without a place.
    ///
    /// - Parameters:
    ///   - place: of a bucket of the chart.
    ///   - filter: more fields of the list, such as the code.
    func refusals(at place: Int? = nil, where filter: [String: String] = [:]) -> String {
        let range = numbers.range
        let first = place.map { range.count % group + $0 * group } ?? 0
        let end = min(place == nil ? range.count : first + group, range.count)
        var fields = filter
        fields["since"] = page.local.input(range.moment(of: first))
        // The list goes up to now without an end.
        if end < range.count { fields["until"] = page.local.input(range.moment(of: end)) }
        return page.address("refusals?\(FormValues(fields).encoded)")
    }

    func placed(_ numbers: Numbers, group: Int) -> [Chart.Mark] {
        marks.compactMap { mark in
            numbers.range.index(of: mark.moment).flatMap { index in
                let place = index - numbers.range.count % group
                return place < 0
                    ? nil
                    : Chart.Mark(
                        index: place / group, text: "\(mark.text) · \(page.local.absolute(mark.moment))",
                        address: mark.address)
            }
        }
    }

    /// Where each bucket of the chart begins. The last one ends with the range; hours or days at its beginning that are fewer than a
    /// bucket are not drawn, because they would look like a drop.
    private func begins(_ numbers: Numbers, group: Int) -> StrideTo<Int> {
        stride(from: numbers.range.count % group, to: numbers.range.count, by: group)
    }
}
