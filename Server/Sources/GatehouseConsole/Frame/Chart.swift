import Mustache

/// A chart: series of amounts over hours, days or weeks, as a picture and as a table.
struct Chart: Sendable, MustacheParent {
    enum Shape: Sendable { case bars, lines }

    struct Series: Sendable {
        let name: String
        /// Which of ``ChartPatterns`` it has.
        let style: Int
        /// Nil where nothing is known.
        let amounts: [Int64?]
    }

    /// An hour, a day or a week.
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
    var csv = ""
    var words: Words

    /// The sum of a bucket; nil where nothing is known.
    func sum(_ index: Int) -> Int64? {
        let known = series.compactMap { $0.amounts[index] }
        return known.isEmpty ? nil : known.reduce(0, &+)
    }

    var hasNumbers: Bool { series.contains { $0.amounts.contains { ($0 ?? 0) != 0 } } }

    /// Sums make sense of parts only.
    private var columns: [String] {
        [unit] + series.map(\.name) + (shape == .bars && series.count > 1 ? [words("chart.sum")] : [])
    }

    var table: Table {
        let rows = buckets.indices.reversed().map { index in
            var cells = [Cell(buckets[index].name)]
            if isOpen, index == buckets.count - 1 { cells[0].note = words("chart.open") }
            cells += series.map { Cell($0.amounts[index].map(Self.grouped) ?? "–") }
            if columns.count > cells.count { cells.append(Cell(sum(index).map(Self.grouped) ?? "–")) }
            return TableRow(cells)
        }
        return Table(title, columns, rows, empty: "")
    }

    /// The table as CSV. No cell can be a formula: names that could begin one get an apostrophe.
    var csvText: String {
        func cell(_ text: String) -> String {
            let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
            return "\"\((isFormula ? "'" + text : text).replacing("\"", with: "\"\""))\""
        }
        let rows = buckets.indices.map { index in
            ([cell(buckets[index].name)] + series.map { $0.amounts[index].map { String($0) } ?? "" })
                .joined(separator: ",")
        }
        let head = ([unit] + series.map(\.name)).map(cell).joined(separator: ",")
        return "\u{feff}" + ([head] + rows).joined(separator: "\r\n") + "\r\n"
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

    func child(named name: String) -> Any? {
        switch name {
        case "name": self.name
        case "title": title
        case "sentence": sentence
        case "hasNumbers": hasNumbers
        case "isWide": isWide
        case "picture": ChartPicture(self)
        case "table": table
        case "csv": csv
        default: nil
        }
    }

    static let templates = [
        Template(
            "chart",
            """
            <figure class="card chart{{#isWide}} wide{{/isWide}}" id="{{name}}"><figcaption><h2>{{title}}</h2><p>{{sentence}}</p></figcaption>
            {{#hasNumbers}}<div class="scroll" tabindex="0" role="region" aria-label="{{title}}">{{#picture}}<svg role="img" aria-labelledby="{{name}}-t {{name}}-d" viewBox="0 0 {{width}} {{height}}"><title id="{{name}}-t">{{title}}</title><desc id="{{name}}-d">{{sentence}}</desc>
            {{#grid}}<path class="grid" d="{{d}}"/><text x="{{x}}" y="{{y}}" text-anchor="end">{{text}}</text>{{/grid}}
            {{#names}}<text x="{{x}}" y="{{y}}" text-anchor="middle">{{text}}</text>{{/names}}
            {{#bars}}<path d="{{d}}" fill="url(#s{{style}})"/>{{/bars}}{{#open}}<path d="{{.}}" fill="url(#s-open)"/>{{/open}}
            {{#former}}<path class="s7" d="{{d}}" fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="2 3"/>{{/former}}
            {{#lines}}<path class="s{{style}}" d="{{d}}" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" stroke-linecap="round" stroke-dasharray="{{dashes}}"/>{{/lines}}
            {{#points}}<rect x="{{x}}" y="{{y}}" width="{{width}}" height="{{height}}" fill="none" pointer-events="all"><title>{{text}}</title></rect>{{/points}}
            {{#marks}}<a href="{{address}}"><path class="mark" d="{{d}}"/><title>{{text}}</title></a>{{/marks}}</svg>
            </div>
            <ul class="legend">{{#legend}}<li><svg width="16" height="12" aria-hidden="true">{{#isLine}}<path class="s{{style}}" d="M0 6H16" stroke="currentColor" stroke-width="3" stroke-dasharray="{{dashes}}"/>{{/isLine}}{{^isLine}}<rect width="16" height="12" fill="url(#s{{style}})"/>{{/isLine}}</svg> {{text}}</li>{{/legend}}</ul>{{/picture}}
            <details><summary>{{t.chart.table}}</summary>{{#table}}{{> table}}{{/table}}<p><a href="{{csv}}">{{t.chart.csv}}</a></p></details>{{/hasNumbers}}
            </figure>
            """),
        Template(
            "chart-patterns",
            """
            <svg class="hidden" aria-hidden="true"><defs>{{#patterns}}<pattern id="s{{style}}" class="s{{color}}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" fill="currentColor"/><path class="over" d="{{d}}" fill="none"/></pattern>{{/patterns}}<pattern id="s-open" width="6" height="6" patternUnits="userSpaceOnUse"><path class="over" d="M-1 1L1 -1M0 6L6 0M5 7L7 5" stroke-width="2.5" fill="none"/></pattern></defs></svg>
            """),
    ]
}

/// Sixteen series that can be told apart by their pattern as well as by their colour.
enum ChartPatterns {
    static let count = 16
    private static let paths = [
        "", "M-2 2L2 -2M0 8L8 0M6 10L10 6", "M1 2H3M5 6H7", "M0 4H8", "M-2 6L2 10M0 0L8 8M6 -2L10 2", "M4 0V8",
        "M0 4H8M4 0V8", "M0 8L8 0M0 0L8 8",
    ]
    private static let dashes = ["none", "7 4", "2 4", "9 4 2 4"]

    static func dashes(of style: Int) -> String { dashes[style % dashes.count] }

    static let all: [ChartPicture.Part] = (0..<count).map { style in
        ChartPicture.Part([
            "style": String(style), "color": String(style % 8), "d": paths[(style + style / 8 * 3) % paths.count],
        ])
    }
}
