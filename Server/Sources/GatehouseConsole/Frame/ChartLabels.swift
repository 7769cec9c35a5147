import GatehouseHTML
import GatehousePlatform

/// The names of a chart's series, each beside its newest amount, so that nobody has to match colours with a legend.
struct ChartLabels {
    struct Label: Equatable {
        let style: Int?
        let lines: [String]
        let name: String
        let address: String?
        /// The middle of the label.
        var y: Double

        /// Whether its lines leave out a part of the name.
        var isCut: Bool { lines.joined().substituting(" ", by: "") != name.substituting(" ", by: "") }
    }

    private(set) var labels: [Label] = []
    private let axis: ChartAxis

    private static let mostLines = 2
    private var lineHeight: Double { axis.letter + 1 }

    /// - Parameter height: where an amount stands.
    init(_ chart: Chart, axis: ChartAxis, height: (Double) -> Double) {
        self.axis = axis
        // So many names have a line each.
        let most = chart.series.count > 7 ? 1 : Self.mostLines
        func label(_ series: Chart.Series, style: Int?, at y: Double) {
            labels.append(
                Label(
                    style: style, lines: Self.lines(of: series.name, room: axis.labelRoom / axis.letter, most: most),
                    name: series.name, address: series.address, y: y))
        }
        var sum = 0.0
        for series in chart.series {
            let amount = Double(max(0, (series.amounts.last ?? nil) ?? 0))
            switch chart.shape {
            case .bars:
                label(series, style: series.style, at: (height(sum) + height(sum + amount)) / 2)
                sum += amount
            case .lines: label(series, style: series.style, at: height(amount))
            }
        }
        if chart.shape == .bars { labels.reverse() }
        // A page of charts explains the line of the period before once.
        if let former = chart.former, chart.isWide {
            label(former, style: nil, at: height(Double(max(0, (former.amounts.last ?? nil) ?? 0))))
        }
        spread()
    }

    /// Moves labels that would lie on each other: down from the top, and up again from the end of the room.
    private mutating func spread() {
        let order = labels.indices.sorted { (labels[$0].y, $0) < (labels[$1].y, $1) }
        var end = 1.0
        for index in order {
            let half = Double(labels[index].lines.count) * lineHeight / 2
            labels[index].y = max(labels[index].y, end + half)
            end = labels[index].y + half
        }
        var begin = axis.height - 1
        for index in order.reversed() {
            let half = Double(labels[index].lines.count) * lineHeight / 2
            labels[index].y = min(labels[index].y, begin - half)
            begin = labels[index].y - half
        }
    }

    /// A name in lines.
    ///
    /// - Parameter room: the length of a line in heights of a letter.
    static func lines(of name: String, room: Double, most: Int) -> [String] {
        var lines: [String.UnicodeScalarView] = []
        var rest = name.unicodeScalars.prefix(100)
        while !rest.isEmpty, lines.count < most {
            var (width, end) = (0.0, rest.startIndex)
            var space: String.UnicodeScalarView.Index?
            while end < rest.endIndex {
                width += Self.width(of: rest[end])
                guard width <= room else { break }
                if rest[end] == " " { space = end }
                end = rest.index(after: end)
            }
            if end < rest.endIndex {
                let isLast = lines.count == most - 1
                if isLast {
                    // The whole name stands in the title.
                    var cut = rest[..<end]
                    if cut.count > 1 { cut = cut.dropLast() }
                    lines.append(String.UnicodeScalarView(cut) + "…".unicodeScalars)
                    return lines.map { String($0) }
                }
                if rest[end] == " " { space = end }
                end = max(space ?? end, rest.index(after: rest.startIndex))
            }
            lines.append(String.UnicodeScalarView(rest[..<end]))
            rest = rest[end...].drop { $0.value == 0x20 }
        }
        return lines.map { String($0) }
    }

    /// Letters of Chinese, Japanese and Korean are about as wide as they are high, and others little more than half of it.
    private static func width(of scalar: Unicode.Scalar) -> Double { scalar.value >= 0x1100 ? 1 : 0.58 }
}

extension ChartLabels: HTMLPart, Markup {
    @HTMLBuilder var html: HTML {
        g(.class("labels")) {
            for label in labels {
                if let address = label.address {
                    a(.href(address)) { text(label) }
                } else {
                    text(label)
                }
            }
        }
    }

    private func text(_ label: Label) -> HTML {
        let x = ChartAxis.text(axis.right + (axis.isWide ? 8 : 5))
        let first = label.y - (Double(label.lines.count) / 2 - 0.5) * lineHeight + axis.letter * 0.35
        return HTML.element("text", .class(label.style.map { "s\($0)" }), .x(x), .y(ChartAxis.text(first))) {
            if label.isCut { title { label.name } }
            for (index, line) in label.lines.enumerated() {
                if index == 0 {
                    line
                } else {
                    HTML.element("tspan", .x(x), Attribute("dy", ChartAxis.text(lineHeight))) { line }
                }
            }
        }
    }
}
