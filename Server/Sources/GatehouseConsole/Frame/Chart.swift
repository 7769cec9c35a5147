import GatehouseHTML

/// A chart: series of amounts over hours, days or weeks, as a picture, as a table and as a file.
struct Chart: Sendable {
    enum Shape: Sendable { case bars, lines }

    struct Series: Sendable {
        let name: String
        /// Which of ``ChartPatterns`` it has.
        let style: Int
        /// Nil where nothing is known.
        let amounts: [Int64?]
    }

    /// An hour, a day or some weeks.
    struct Bucket: Sendable {
        /// Such as `2026-11-22`.
        let name: String
        /// Such as `11-22`, for the axis.
        let short: String
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
                name: words("chart.others", ["count": String(rest.count)]), style: ChartPatterns.count - 1,
                amounts: buckets.indices.map { index in
                    let known = rest.compactMap { $0.amounts[index] }
                    return known.isEmpty ? nil : known.reduce(0, &+)
                }))
        return chart
    }

    /// The chart without the buckets before the first of which something is known.
    var trimmed: Chart {
        let first = buckets.indices.first { index in series.contains { $0.amounts[index] != nil } } ?? 0
        guard first > 0 else { return self }
        func rest(_ series: Series) -> Series {
            Series(name: series.name, style: series.style, amounts: Array(series.amounts[first...]))
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
    var csvText: String {
        var file = CSV()
        file.append(([unit] + series.map(\.name)).map(CSV.cell))
        for index in buckets.indices {
            file.append(
                [CSV.cell(buckets[index].name)] + series.map { $0.amounts[index].map { String($0) } ?? "" })
        }
        return file.text
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
                p { sentence }
            }
            if hasNumbers { picture }
        }
    }

    private var picture: ChartPicture { ChartPicture(self, axis: axis ?? ChartAxis(self)) }
}

/// The charts of one page, and what they share: patterns and axes, each written once.
struct ChartSheet {
    private(set) var charts: [Chart]
    private(set) var axes: [ChartAxis] = []

    init(_ charts: [Chart]) {
        self.charts = charts
        for index in charts.indices where charts[index].hasNumbers {
            var axis = ChartAxis(charts[index])
            let known = axes.first { other in
                axis.id = other.id
                return axis == other
            }
            if known == nil {
                axis.id = "axis\(axes.count)"
                axes.append(axis)
            }
            self.charts[index].axis = axis
        }
    }

    /// The styles that the charts have.
    private var styles: [Int] {
        let used = Set(charts.filter(\.hasNumbers).flatMap { chart in chart.series.map(\.style) })
        return (0..<ChartPatterns.count).filter(used.contains)
    }
}

extension ChartSheet: HTMLPart, Markup {
    /// What the charts refer to.
    var html: HTML {
        svg(.class("hidden"), .ariaHidden) {
            defs {
                pattern(.id("s"), .width("8"), .height("8"), Attribute("patternUnits", "userSpaceOnUse")) {}
                for style in styles {
                    pattern(.id("s\(style)"), .class("s\(style)"), .href("#s")) {
                        rect(.width("8"), .height("8"), .fill("currentColor"))
                        path(.class("over"), .d(ChartPatterns.path(of: style)))
                    }
                }
                pattern(.id("s-open"), .width("6"), .height("6"), Attribute("patternUnits", "userSpaceOnUse")) {
                    rect(.class("pale"), .width("6"), .height("6"))
                }
                for axis in axes { axis }
            }
        }
    }
}

/// Sixteen series that can be told apart by their pattern as well as by their colour.
enum ChartPatterns {
    static let count = 16
    private static let paths = [
        "", "M-2 2L2 -2M0 8L8 0M6 10L10 6", "M1 2H3M5 6H7", "M0 4H8", "M-2 6L2 10M0 0L8 8M6 -2L10 2", "M4 0V8",
        "M0 4H8M4 0V8", "M0 8L8 0M0 0L8 8",
    ]
    private static let dashes = [nil, "7 4", "2 4", "9 4 2 4"]

    static func dashes(of style: Int) -> String? { dashes[style % dashes.count] }

    static func path(of style: Int) -> String { paths[(style + style / 8 * 3) % paths.count] }
}
