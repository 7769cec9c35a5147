/// Where the parts of a chart stand in its picture. The template draws them with attributes and classes only, and each series as one
/// path of whole numbers, because its bytes are most of a page of charts.
struct ChartPicture: MustacheParent {
    /// The attributes of one part.
    struct Part: Sendable, MustacheParent {
        let values: [String: String]
        var isLine = false
        /// The dashes of a line; nil for a line without gaps.
        var dashes: String?

        init(_ values: [String: String], isLine: Bool = false, dashes: String? = nil) {
            self.values = values
            self.isLine = isLine
            self.dashes = dashes
        }

        func child(named name: String) -> Any? {
            switch name {
            case "isLine": isLine
            case "dashes": dashes ?? false
            case "address": values["address"].flatMap { $0.isEmpty ? nil : $0 } ?? false as Any
            default: values[name]
            }
        }
    }

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

    // MARK: Parts

    private var labels: [Part] {
        (axis.isWide ? [0, 1, 2, 3, 4] : [0, 2, 4]).map { quarter in
            let amount = ceiling * Double(quarter) / 4
            return Part([
                "x": ChartAxis.text(axis.left - (axis.isWide ? 6 : 4)),
                "y": ChartAxis.text(y(amount) + (axis.isWide ? 4 : 3)), "text": Self.short(amount),
            ])
        }
    }

    /// The bars of each series with those below it, as steps from left to right. The last series comes first, so that each one covers
    /// what is not its own.
    private var areas: [Part] {
        guard chart.shape == .bars else { return [] }
        var heights = Array(repeating: 0.0, count: chart.buckets.count)
        let areas = chart.series.map { series in
            for (index, amount) in series.amounts.enumerated() { heights[index] += Double(max(0, amount ?? 0)) }
            return Part(["style": String(series.style), "d": steps(heights)])
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
        guard chart.isOpen, chart.shape == .bars, let sum = chart.sum(last), sum > 0 else { return nil }
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
                path += "M\(next.x) \(next.y)h0"
            }
            place = next
        }
        return path
    }

    private var lines: [Part] {
        guard chart.shape == .lines else { return [] }
        return chart.series.map { series in
            Part(
                ["style": String(series.style), "d": line(series.amounts)],
                dashes: ChartPatterns.dashes(of: series.style))
        }
    }

    /// What the pointer shows: the amounts of a bucket, or their sum where there are many, which the table has one by one. Of more than
    /// a month of days it leaves out the period before, whose line is drawn.
    private var points: [Part] {
        guard chart.isDetailed else { return [] }
        return chart.buckets.indices.map { index in
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
            let (begin, end) = (Int(axis.x(index).rounded()), Int(axis.x(index + 1).rounded()))
            return Part(["d": "M\(begin) \(Int(axis.top))H\(end)V\(Int(axis.floor))H\(begin)z", "text": text])
        }
    }

    /// Links, where the axis does not draw the marks.
    private var marks: [Part] {
        guard chart.isDetailed else { return [] }
        return chart.marks.filter { chart.buckets.indices.contains($0.index) }.map { mark in
            Part(["d": axis.mark(mark.index), "text": mark.text, "address": mark.address])
        }
    }

    private var legend: [Part] {
        let isLine = chart.shape == .lines
        var parts = chart.series.map { series in
            Part(
                ["style": String(series.style), "text": series.name], isLine: isLine,
                dashes: ChartPatterns.dashes(of: series.style))
        }
        // A page of charts explains the line of the period before once.
        if let former = chart.former, chart.isWide {
            parts.append(Part(["style": "7", "text": former.name], isLine: true, dashes: "2 3"))
        }
        return parts
    }

    func child(named name: String) -> Any? {
        switch name {
        case "width": ChartAxis.text(axis.width)
        case "height": ChartAxis.text(axis.height)
        case "axis": axis.id
        case "labels": labels
        case "areas": areas
        case "open": open ?? false
        case "former": chart.former.map { [Part(["d": line($0.amounts)])] } ?? []
        case "lines": lines
        case "hasAreas": chart.shape == .bars
        case "points": points
        case "hasPoints": chart.isDetailed
        case "marks": marks
        case "legend": legend
        default: nil
        }
    }
}
