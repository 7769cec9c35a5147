import GatehouseHTML

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
