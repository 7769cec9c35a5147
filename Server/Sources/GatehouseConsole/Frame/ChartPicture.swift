import Mustache

/// Where the parts of a chart stand in its picture. The template draws them with attributes and classes only.
struct ChartPicture: MustacheParent {
    /// The attributes of one part.
    struct Part: Sendable, MustacheParent {
        let values: [String: String]
        var isLine = false

        init(_ values: [String: String], isLine: Bool = false) {
            self.values = values
            self.isLine = isLine
        }

        func child(named name: String) -> Any? { name == "isLine" ? isLine : values[name] }
    }

    private let chart: Chart
    private let width: Double
    private let height: Double
    private let top: Double
    /// The highest amount of the scale.
    private let ceiling: Double

    private let left = 46.0
    private let right = 8.0
    private let bottom = 24.0

    init(_ chart: Chart) {
        self.chart = chart
        width = chart.isWide ? 1_040 : 420
        height = chart.isWide ? 240 : 210
        top = chart.marks.isEmpty ? 10 : 22
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

    private var plotHeight: Double { height - top - bottom }
    private var slot: Double { (width - left - right) / Double(max(1, chart.buckets.count)) }
    private func x(_ index: Int) -> Double { left + slot * Double(index) }
    private func middle(_ index: Int) -> Double { x(index) + slot / 2 }
    private func y(_ amount: Double) -> Double { top + plotHeight * (1 - min(1, max(0, amount / ceiling))) }

    /// A number with one decimal.
    private static func text(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(abs(tenths % 10))"
    }

    private static func short(_ number: Double) -> String {
        switch number {
        case 10_000_000...: "\(Int(number / 1_000_000))M"
        case 10_000...: "\(Int(number / 1_000))k"
        default: Chart.grouped(Int64(number))
        }
    }

    // MARK: Parts

    private var grid: [Part] {
        (0...4).map { quarter in
            let amount = ceiling * Double(quarter) / 4
            let y = y(amount)
            return Part([
                "d": "M\(Self.text(left)) \(Self.text(y))H\(Self.text(width - right))", "x": Self.text(left - 6),
                "y": Self.text(y + 4), "text": Self.short(amount),
            ])
        }
    }

    private var names: [Part] {
        let step = max(1, (chart.buckets.count * (chart.isWide ? 62 : 56)) / Int(width - left) + 1)
        return chart.buckets.indices.filter { $0 % step == step / 2 }.map { index in
            Part([
                "x": Self.text(middle(index)), "y": Self.text(height - 6), "text": chart.buckets[index].short,
            ])
        }
    }

    private var barWidth: Double { max(0.8, min(slot - 1, slot * 0.76, 64)) }

    private func bar(_ index: Int, from low: Double, to high: Double) -> String {
        let begin = middle(index) - barWidth / 2
        return "M\(Self.text(begin)) \(Self.text(y(low)))V\(Self.text(y(high)))h\(Self.text(barWidth))"
            + "V\(Self.text(y(low)))z"
    }

    /// One path for each series, with a bar in each bucket.
    private var bars: [Part] {
        guard chart.shape == .bars else { return [] }
        var heights = Array(repeating: 0.0, count: chart.buckets.count)
        return chart.series.map { series in
            let path = series.amounts.enumerated().compactMap { index, amount -> String? in
                guard let amount, amount > 0 else { return nil }
                let low = heights[index]
                heights[index] += Double(amount)
                return bar(index, from: low, to: heights[index])
            }.joined()
            return Part(["style": String(series.style), "d": path])
        }
    }

    private var open: String? {
        let last = chart.buckets.count - 1
        guard chart.isOpen, chart.shape == .bars, let sum = chart.sum(last), sum > 0 else { return nil }
        return bar(last, from: 0, to: Double(sum))
    }

    private func line(_ amounts: [Int64?]) -> String {
        var path = ""
        for (index, amount) in amounts.enumerated() {
            guard let amount else { continue }
            let isNext = index > 0 && amounts[index - 1] != nil
            path += "\(isNext ? "L" : "M")\(Self.text(middle(index))) \(Self.text(y(Double(amount))))"
            // A point without neighbours is a dot, by the round ends of a line of no length.
            if !isNext { path += "h0" }
        }
        return path
    }

    private var lines: [Part] {
        guard chart.shape == .lines else { return [] }
        return chart.series.map { series in
            Part([
                "style": String(series.style), "d": line(series.amounts),
                "dashes": ChartPatterns.dashes(of: series.style),
            ])
        }
    }

    /// What the pointer shows: all amounts of a bucket.
    private var points: [Part] {
        chart.buckets.indices.map { index in
            var text = chart.buckets[index].name
            for series in chart.series where (series.amounts[index] ?? 0) != 0 || chart.series.count < 4 {
                text += "\n\(series.name): \(series.amounts[index].map(Chart.grouped) ?? "–")"
            }
            if let former = chart.former, let amount = former.amounts[index] {
                text += "\n\(former.name): \(Chart.grouped(amount))"
            }
            return Part([
                "x": Self.text(x(index)), "y": Self.text(top), "width": Self.text(slot),
                "height": Self.text(plotHeight), "text": text,
            ])
        }
    }

    private var marks: [Part] {
        chart.marks.filter { chart.buckets.indices.contains($0.index) }.map { mark in
            let x = middle(mark.index)
            return Part([
                "d": "M\(Self.text(x - 5)) 4h10l-5 9zM\(Self.text(x)) 13V\(Self.text(height - bottom))",
                "text": mark.text, "address": mark.address,
            ])
        }
    }

    private var legend: [Part] {
        let isLine = chart.shape == .lines
        var parts = chart.series.map { series in
            Part(
                ["style": String(series.style), "dashes": ChartPatterns.dashes(of: series.style), "text": series.name],
                isLine: isLine)
        }
        if let former = chart.former {
            parts.append(Part(["style": "7", "dashes": "2 3", "text": former.name], isLine: true))
        }
        return parts
    }

    func child(named name: String) -> Any? {
        switch name {
        case "width": Self.text(width)
        case "height": Self.text(height)
        case "grid": grid
        case "names": names
        case "bars": bars
        case "open": open ?? false
        case "former": chart.former.map { [Part(["d": line($0.amounts)])] } ?? []
        case "lines": lines
        case "points": points
        case "marks": marks
        case "legend": legend
        default: nil
        }
    }
}
