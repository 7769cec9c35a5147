import GatehouseHTML
import GatehousePlatform

/// Where the parts of a chart stand in its picture. It is drawn with attributes and classes only, and each series as one path of whole
/// numbers, because its bytes are most of a page of charts.
struct ChartPicture {
    private let chart: Chart
    private let axis: ChartAxis
    /// The highest amount of the scale.
    private let ceiling: Double

    init(_ chart: Chart, axis: ChartAxis) {
        self.chart = chart
        self.axis = axis
        let indices = chart.buckets.indices
        let highest =
            switch chart.shape {
            case .bars: indices.compactMap { chart.sum($0) }.max() ?? 0
            case .lines: chart.series.flatMap { $0.amounts.compactMap { $0 } }.max() ?? 0
            }
        let former = chart.former?.amounts.compactMap { $0 }.max() ?? 0
        ceiling = Self.round(Double(max(highest, former)))
    }

    /// The next number with one digit, of which a quarter is whole.
    private static func round(_ number: Double) -> Double {
        guard number > 4 else { return 4 }
        var step = 1.0
        while step * 10 < number { step *= 10 }
        return step * ([1, 2, 4, 6, 8, 10].first { step * $0 >= number } ?? 10)
    }

    private func y(_ amount: Double) -> Double { axis.floor - axis.plotHeight * min(1, max(0, amount / ceiling)) }

    private static func short(_ number: Double) -> String {
        switch number {
        case 10_000_000...: "\(Int(number / 1_000_000))M"
        case 10_000...: "\(Int(number / 1_000))k"
        default: Chart.grouped(Int64(number))
        }
    }

    // MARK: Paths

    /// The bars of each series with those below it, as steps from left to right. The last series comes first, so that each one covers
    /// what is not its own.
    private var areas: [(style: Int, path: String)] {
        var heights = Array(repeating: 0.0, count: chart.buckets.count)
        let areas = chart.series.map { series in
            for (index, amount) in series.amounts.enumerated() { heights[index] += Double(max(0, amount ?? 0)) }
            return (style: series.style, path: steps(heights))
        }
        return zip(chart.series, areas).filter { series, _ in series.amounts.contains { ($0 ?? 0) > 0 } }.map(\.1)
            .reversed()
    }

    private func steps(_ heights: [Double]) -> String {
        let floor = Int(axis.floor)
        var (x, y) = (Int(axis.left), floor)
        var path = "M\(x) \(y)"
        for (index, height) in heights.enumerated() {
            // What is more than nothing is seen.
            let next = height > 0 ? min(floor - 1, Int(self.y(height).rounded())) : floor
            if next != y { path += Self.shorter("v\(next - y)", "V\(next)") }
            y = next
            if index + 1 < heights.count, heights[index + 1] == height { continue }
            let end = Int(axis.x(index + 1).rounded())
            path += "h\(end - x)"
            x = end
        }
        return y == floor ? path : path + "V\(floor)z"
    }

    private static func shorter(_ one: String, _ other: String) -> String {
        one.utf8.count <= other.utf8.count ? one : other
    }

    private var open: String? {
        let last = chart.buckets.count - 1
        guard chart.isOpen, let sum = chart.sum(last), sum > 0 else { return nil }
        let x = ChartAxis.text(axis.x(last))
        let (floor, top) = (Int(axis.floor), Int(y(Double(sum)).rounded()))
        return "M\(x) \(floor)V\(top)h\(ChartAxis.text(axis.slot))V\(floor)z"
    }

    private func line(_ amounts: [Int64?]) -> String {
        var path = ""
        var place: (x: Int, y: Int)?
        for (index, amount) in amounts.enumerated() {
            guard let amount else {
                place = nil
                continue
            }
            let next = (x: Int(axis.middle(index).rounded()), y: Int(y(Double(amount)).rounded()))
            if let place {
                let down = next.y - place.y
                path += down == 0 ? "h\(next.x - place.x)" : "l\(next.x - place.x)\(down < 0 ? "" : " ")\(down)"
            } else {
                // A point without neighbours is a dot, by the round ends of a line of no length.
                let isAlone = index + 1 == amounts.count || amounts[index + 1] == nil
                path += "M\(next.x) \(next.y)\(isAlone ? "h0" : "")"
            }
            place = next
        }
        return path
    }

    /// A line through the part of the plot above a bucket. It is as wide as the bucket.
    private func column(_ index: Int) -> String {
        "M\(Int(axis.middle(index).rounded())) \(Int(axis.top))V\(Int(axis.floor))"
    }

    /// What the pointer shows: the amounts of a bucket, or their sum where there are many, which the table has one by one. Of more than
    /// a month of days it leaves out the period before, whose line is drawn.
    private func amounts(_ index: Int) -> String {
        var text = chart.buckets[index].name
        if chart.series.count < 4 {
            for series in chart.series {
                text += "\n\(series.name): \(series.amounts[index].map(Chart.grouped) ?? "–")"
            }
        } else {
            text += "\n\(chart.sum(index).map(Chart.grouped) ?? "–")"
        }
        if chart.buckets.count < 32, let former = chart.former, let amount = former.amounts[index] {
            text += "\n\(former.name): \(Chart.grouped(amount))"
        }
        return text
    }
}

// MARK: Markup

extension ChartPicture: HTMLPart, Markup {
    @HTMLBuilder var html: HTML {
        if chart.isWide {
            div(.class("scroll"), .tabindex(0), .role("region"), .ariaLabelledby("\(chart.name)-c")) { picture }
        } else {
            picture
        }
    }

    private var picture: HTML {
        let box = "0 0 \(ChartAxis.text(axis.width)) \(ChartAxis.text(axis.height))"
        let place = "\(ChartAxis.text(axis.left)) \(ChartAxis.text(axis.slot))"
        return svg(
            .role("img"), .ariaLabelledby("\(chart.name)-c"), .viewBox(box), Attribute("data-at", place)
        ) {
            use(.href("#\(axis.id)"))
            g(Attribute("text-anchor", "end")) { labels }
            if chart.shape == .bars {
                g(Attribute("mask", "url(#\(axis.id)c)")) { bars }
            }
            if let former = chart.former { path(.class("former"), .d(line(former.amounts))) }
            if chart.shape == .lines {
                for series in chart.series { line(of: series.style, .d(line(series.amounts))) }
            }
            if chart.isDetailed { detail }
            ChartLabels(chart, axis: axis, height: y)
            path(.class("at"))
        }
    }

    /// The amounts beside the scale. The axis has the 0.
    @HTMLBuilder private var labels: HTML {
        for quarter in axis.isWide ? [1, 2, 3, 4] : [2, 4] {
            let amount = ceiling * Double(quarter) / 4
            axis.amount(Self.short(amount), at: y(amount))
        }
    }

    @HTMLBuilder private var bars: HTML {
        for area in areas { path(.class("s\(area.style)"), .d(area.path), .fill("url(#s\(area.style))")) }
        if let open { path(.d(open), .fill("url(#s-open)")) }
    }

    private func line(of style: Int, _ d: Attribute) -> HTML {
        path(.class("s\(style) line"), d)
    }

    /// What the pointer shows, and the marks as links, where the axis does not draw them.
    @HTMLBuilder private var detail: HTML {
        g(Attribute("stroke-width", ChartAxis.text(axis.slot)), Attribute("pointer-events", "stroke")) {
            for index in chart.buckets.indices {
                // The table has the links. Ninety of them here would weigh more than all else.
                band(index)
            }
        }
        for mark in chart.marks where chart.buckets.indices.contains(mark.index) {
            if mark.address.isEmpty {
                g { drawing(of: mark) }
            } else {
                a(.href(mark.address)) { drawing(of: mark) }
            }
        }
    }

    private func band(_ index: Int) -> HTML {
        HTML.element("path", .d(column(index))) {
            title { amounts(index) }
        }
    }

    @HTMLBuilder private func drawing(of mark: Chart.Mark) -> HTML {
        path(.class("mark"), .d(axis.mark(mark.index)))
        title { mark.text }
    }
}

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
