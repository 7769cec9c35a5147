import GatehouseHTML

/// A chart: series of amounts over hours, days or weeks, as a picture, as a table and as a file.
struct Chart: Sendable {
    enum Shape: Sendable { case bars, lines }

    struct Series: Sendable {
        let name: String
        /// Which class of ``ProviderColor`` it has.
        let style: Int
        /// Nil where nothing is known.
        let amounts: [Int64?]
        /// The list of what it counts, if there is one.
        var address: String?
    }

    /// An hour, a day or some weeks.
    struct Bucket: Sendable {
        /// Such as `2026-11-22`.
        let name: String
        /// Such as `11-22`, for the axis.
        let short: String
        /// The list of what was counted in it, if there is one.
        var address: String?
    }

    /// Something that was done, at the bucket in which it was.
    struct Mark: Sendable {
        let index: Int
        let text: String
        /// Its entry in the audit, or empty for a person who may not read it.
        let address: String
    }

    /// The chart's name in addresses.
    let name: String
    var title: String
    /// The result in words.
    var sentence: String
    var shape: Shape
    var buckets: [Bucket]
    var series: [Series]
    var unit: String
    /// Whether the last bucket is not over.
    var isOpen = true
    /// Today's amount, which stands above the picture.
    var today: ChartToday?
    /// The sums of the period before.
    var former: Series?
    var marks: [Mark] = []
    var isWide = false
    /// Whether it stands on its own page: the pointer shows amounts, and marks are links.
    var isDetailed = false
    /// The axis that it shares with other charts of the page.
    var axis: ChartAxis?
    /// Its own page.
    var address = ""
    var csv = ""
    var words: Words

    /// The sum of a bucket; nil where nothing is known.
    func sum(_ index: Int) -> Int64? {
        let known = series.compactMap { $0.amounts[index] }
        return known.isEmpty ? nil : known.reduce(0, &+)
    }

    var hasNumbers: Bool { series.contains { $0.amounts.contains { ($0 ?? 0) != 0 } } }

    /// The chart with so many series at most: the smallest are added up to one.
    func limited(to limit: Int) -> Chart {
        guard series.count > limit else { return self }
        func total(_ series: Series) -> Int64 { series.amounts.reduce(0) { $0 &+ ($1 ?? 0) } }
        let largest = Set(series.sorted { total($0) > total($1) }.prefix(limit - 1).map(\.name))
        let rest = series.filter { !largest.contains($0.name) }
        var chart = self
        chart.series = series.filter { largest.contains($0.name) }
        chart.series.append(
            Series(
                name: words("chart.others", ["count": Words.number(rest.count)]), style: ProviderColor.others,
                amounts: buckets.indices.map { index in
                    let known = rest.compactMap { $0.amounts[index] }
                    return known.isEmpty ? nil : known.reduce(0, &+)
                }))
        return chart
    }

    /// A single bar would say nothing, so some buckets of which nothing is known stay.
    private static let fewest = 7

    /// The chart without the buckets before the first of which something is known.
    var trimmed: Chart {
        let known = buckets.indices.first { index in series.contains { $0.amounts[index] != nil } } ?? 0
        let first = min(known, buckets.count - Self.fewest)
        guard first > 0 else { return self }
        func rest(_ series: Series) -> Series {
            Series(
                name: series.name, style: series.style, amounts: Array(series.amounts[first...]),
                address: series.address)
        }
        var chart = self
        chart.buckets = Array(buckets[first...])
        chart.series = series.map(rest)
        chart.former = former.map(rest)
        chart.marks = marks.compactMap {
            $0.index < first ? nil : Mark(index: $0.index - first, text: $0.text, address: $0.address)
        }
        return chart
    }

    /// The table as a file.
    var file: CSV {
        var file = CSV()
        file.append(([unit] + series.map(\.name)).map(CSV.cell))
        for index in buckets.indices {
            file.append(
                [CSV.cell(buckets[index].name)] + series.map { $0.amounts[index].map { String($0) } ?? "" })
        }
        return file
    }

    /// `12,480`.
    static func grouped(_ number: Int64) -> String {
        var digits = Array(String(number.magnitude))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return (number < 0 ? "−" : "") + String(digits)
    }
}

extension Chart: HTMLPart, Markup {
    /// The chart as one of many, with the way to its own page.
    var html: HTML {
        figure(.class("card chart", isWide ? "wide" : nil)) {
            figcaption(.id("\(name)-c")) {
                h2 { self.title }
                if let today { today.brief }
                p { sentence }
            }
            if hasNumbers {
                picture
                p(.class("more")) { a(.href(address)) { words("chart.more-of-it") } }
            }
        }
    }

    /// The chart on its own page.
    var alone: HTML {
        figure(.class("card chart wide")) {
            figcaption(.id("\(name)-c")) {
                h2(.class("hidden")) { self.title }
                if let today { today }
                p { sentence }
            }
            if hasNumbers { picture }
        }
    }

    private var picture: ChartPicture { ChartPicture(self, axis: axis ?? ChartAxis(self)) }
}

/// Today's amount, large, with the change against the same time yesterday.
struct ChartToday: Sendable, Equatable {
    let amount: Int64
    /// How much more it is in percent; nil where there is nothing to compare it with.
    let percent: Int?
    let words: Words

    /// - Parameter before: the amount of yesterday until the same time; nil if nobody counted it.
    init(_ amount: Int64, before: Double?, words: Words) {
        self.amount = amount
        self.words = words
        percent = before.flatMap { before in
            guard before >= 1 else { return nil }
            return Int(max(-100, min(99_999, ((Double(amount) / before - 1) * 100).rounded())))
        }
    }

    static func == (one: ChartToday, other: ChartToday) -> Bool {
        one.amount == other.amount && one.percent == other.percent
    }

    /// `▲ 9%`.
    private var change: String? {
        percent.map { "\($0 > 0 ? "▲" : $0 < 0 ? "▼" : "=") \(Chart.grouped(Int64($0.magnitude)))%" }
    }
}

extension ChartToday: HTMLPart, Markup {
    var html: HTML { line(against: " \(words("chart.against"))") }

    /// The same below others that say against what the change is.
    var brief: HTML { line(against: "") }

    private func line(against: String) -> HTML {
        p(.class("today")) {
            strong { Chart.grouped(amount) }
            " \(words("chart.today"))"
            if let change {
                " "
                small { change + against }
            }
        }
    }
}

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

/// The amounts of a chart, the newest first. Its cells hold nothing but numbers, so they need less markup than those of a ``Table``.
struct AmountTable: HTMLPart, Markup {
    let chart: Chart
    /// The buckets of this page of the table.
    let indices: Range<Int>
    let pager: Pager

    /// Sums make sense of parts only.
    private var hasSum: Bool { chart.shape == .bars && chart.series.count > 1 }

    private var columns: [String] {
        [chart.unit] + chart.series.map(\.name) + (hasSum ? [chart.words("chart.sum")] : [])
    }

    @HTMLBuilder var html: HTML {
        scroll(chart.title) {
            table(.class("amounts")) {
                caption { chart.title }
                thead {
                    tr {
                        for column in columns {
                            th(Attribute("scope", "col")) { bdi { column } }
                        }
                    }
                }
                tbody { for index in indices.reversed() { row(index) } }
            }
        }
        pager
    }

    private func row(_ index: Int) -> HTML {
        let amounts = chart.series.map(\.amounts[index]) + (hasSum ? [chart.sum(index)] : [])
        return tr {
            td {
                if let address = chart.buckets[index].address {
                    a(.href(address)) { chart.buckets[index].name }
                } else {
                    chart.buckets[index].name
                }
                if chart.isOpen, index == chart.buckets.count - 1 {
                    " "
                    small { chart.words("chart.open") }
                }
            }
            for amount in amounts { td { amount.map(Chart.grouped) ?? "–" } }
        }
    }
}
