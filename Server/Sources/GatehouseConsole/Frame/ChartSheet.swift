import GatehouseHTML

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
                axis.id = "a\(axes.count)"
                axes.append(axis)
            }
            self.charts[index].axis = axis
        }
    }

    /// The styles that the charts have.
    private var styles: [Int] {
        let used = Set(charts.filter(\.hasNumbers).flatMap { chart in chart.series.map(\.style) })
        return (0..<ProviderColor.count).filter(used.contains)
    }
}

extension ChartSheet: HTMLPart, Markup {
    /// What the charts refer to.
    var html: HTML {
        svg(.class("hidden"), .ariaHidden) {
            defs {
                pattern(.id("s"), .width("8"), .height("8"), Attribute("patternUnits", "userSpaceOnUse")) {}
                rect(.id("sr"), .width("8"), .height("8"), .fill("currentColor"))
                // Areas are solid; the style sheet takes the patterns for those who need more than colours.
                for style in styles {
                    pattern(.id("s\(style)"), .class("s\(style)"), .href("#s")) {
                        use(.href("#sr"))
                        if let lines = ChartPatterns.path(of: style) { path(.class("over"), .d(lines)) }
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

/// Where a chart's buckets stand, and what charts of the same buckets share: the grid, where its scale begins, the names below it, and the marks.
///
/// A page writes each axis once, and its charts refer to it, because a page may have ten charts.
struct ChartAxis: Sendable, Equatable {
    let isWide: Bool
    /// Whether it has the room of a chart on its own page, which names up to sixteen series.
    private let isTall: Bool
    /// The short names of the buckets.
    private let buckets: [String]
    /// The buckets in which something was done. It is empty where each mark is drawn as a link.
    private let marks: [Int]
    private let hasMarks: Bool
    /// Its name on the page.
    var id = ""

    init(_ chart: Chart) {
        isWide = chart.isWide
        isTall = chart.isWide && chart.isDetailed
        buckets = chart.buckets.map(\.short)
        hasMarks = !chart.marks.isEmpty
        marks = chart.isDetailed ? [] : Set(chart.marks.map(\.index)).sorted()
    }

    // A small picture has fewer units, so that its numbers have fewer digits. It is shown as large as others.
    var width: Double { isWide ? 800 : 300 }
    var height: Double { isTall ? 280 : isWide ? 200 : 150 }
    /// How high its letters are at most. The style sheet gives them fewer units where the picture is shown larger.
    var letter: Double { isWide ? 14.5 : 11.7 }
    var left: Double { isWide ? 48 : 36 }
    /// The room for the names of the series, beside the newest amounts.
    var labelRoom: Double { isWide ? 136 : 82 }
    var right: Double { width - labelRoom - (isWide ? 8 : 5) }
    var top: Double { hasMarks ? isWide ? 22 : 16 : 8 }
    var floor: Double { height - (isWide ? 24 : 18) }
    var plotHeight: Double { floor - top }
    var slot: Double { (right - left) / Double(max(1, buckets.count)) }
    func x(_ index: Int) -> Double { left + slot * Double(index) }
    func middle(_ index: Int) -> Double { x(index) + slot / 2 }

    /// A number with one decimal.
    static func text(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(abs(tenths % 10))"
    }

    /// One line for each quarter of the scale.
    private var grid: String {
        (0...4).map { quarter in
            let y = floor - plotHeight * Double(quarter) / 4
            return "M\(Self.text(left)) \(Self.text(y))H\(Self.text(right))"
        }.joined()
    }

    /// The buckets that are named: as many as there is room for.
    private var named: [Int] {
        let letters = buckets.last?.utf8.count ?? 0
        let room = isWide ? 24 + 9 * letters : 14 + 7 * letters
        let step = max(1, (buckets.count * room) / Int(right - left) + 1)
        return buckets.indices.filter { $0 % step == step / 2 }
    }

    /// The width of a bar.
    private var column: Double { max(0.8, min(slot - 1, slot * 0.76, 64)) }

    /// A line as thick as the plot is high. Its dashes are the columns of the bars, and what is drawn between them is masked.
    private var columns: String {
        let begin = Self.text(left + (slot - column) / 2)
        return "M\(begin) \(Self.text((top + floor) / 2))H\(Self.text(right))"
    }

    private var dashes: String {
        // Hundredths would add up to some units at the end of ninety columns.
        [column, slot - column].map { String(Int(($0 * 1_000).rounded())) }
            .map { digits in
                let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                return "\(padded.dropLast(3)).\(padded.suffix(3))"
            }.joined(separator: " ")
    }

    /// An amount beside the scale.
    func amount(_ text: String, at y: Double, _ attributes: Attribute...) -> HTML {
        let place: [Attribute] = [
            .x(Self.text(left - (isWide ? 6 : 4))), .y(Self.text(y + (isWide ? 5 : 4))),
        ]
        return .element("text", place + attributes, .text(text))
    }

    /// A triangle above the plot, and a line through it.
    func mark(_ index: Int) -> String {
        let x = middle(index)
        return "M\(Self.text(x - 5)) 4h10l-5 9zM\(Self.text(x)) 13V\(Self.text(floor))"
    }
}

extension ChartAxis: HTMLPart, Markup {
    @HTMLBuilder var html: HTML {
        g(.id(id), .class("axis")) {
            path(.class("grid"), .d(grid))
            // Every scale begins with it.
            amount("0", at: floor, Attribute("text-anchor", "end"))
            g(Attribute("text-anchor", "middle")) {
                for index in named {
                    HTML.element("text", .x(Self.text(middle(index))), .y(Self.text(height - (isWide ? 6 : 4)))) {
                        buckets[index]
                    }
                }
            }
            if !marks.isEmpty { path(.class("mark"), .d(marks.map(mark).joined())) }
        }
        mask(
            .id("\(id)c"), Attribute("maskUnits", "userSpaceOnUse"), .x("0"), .y("0"),
            .width(Self.text(width)), .height(Self.text(height))
        ) {
            path(
                .d(columns), Attribute("stroke", "#fff"), Attribute("stroke-width", Self.text(plotHeight)),
                Attribute("stroke-dasharray", dashes))
        }
    }
}

/// What tells areas apart besides their colour, where somebody needs that: lines in them. The style has the dashes of a line.
enum ChartPatterns {
    private static let paths = [
        nil, "M-2 2L2 -2M0 8L8 0M6 10L10 6", "M1 2H3M5 6H7", "M0 4H8", "M-2 6L2 10M0 0L8 8M6 -2L10 2", "M4 0V8",
        "M0 4H8M4 0V8", "M0 8L8 0M0 0L8 8",
    ]

    static func path(of style: Int) -> String? { paths[(style + style / 8 * 3) % paths.count] }
}
