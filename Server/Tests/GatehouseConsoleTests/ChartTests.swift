import GatehouseHTML
import GatehouseSecurity
import Testing

@testable import GatehouseConsole
@testable import GatehouseCore

@Suite struct ChartTests {
    private static let words = Words.of(["en"])

    private static func chart(
        _ shape: Chart.Shape = .bars, _ series: [(name: String, amounts: [Int64?])], address: String? = nil
    ) -> Chart {
        let count = series.first?.amounts.count ?? 0
        return Chart(
            name: "logins", title: "Logins", sentence: "Some.", shape: shape,
            buckets: (0..<count).map {
                Chart.Bucket(name: "2026-11-\(10 + $0)", short: "\(10 + $0)", address: address)
            },
            series: series.enumerated().map { Chart.Series(name: $1.name, style: $0, amounts: $1.amounts) },
            unit: "Day", words: words)
    }

    private static func html(_ chart: Chart) -> String { String(decoding: chart.html.bytes, as: UTF8.self) }

    @Test("Where one points, all series of the bucket are told, with their sum and the period before")
    func values() {
        var chart = Self.chart(.bars, [("Guest", [1, nil]), ("Google", [2_000, 5])], address: "/list")
        chart.former = Chart.Series(name: "Before", style: 7, amounts: [7, 8])
        let values = ChartValues.all(of: chart)
        #expect(
            values == [
                ChartValues(
                    text: "2026-11-10\nGoogle: 2,000\nGuest: 1\nTotal: 2,001\nBefore: 7", address: "/list"),
                ChartValues(text: "2026-11-11\nGoogle: 5\nGuest: –\nTotal: 5\nBefore: 8", address: "/list"),
            ])
        let lines = ChartValues.all(of: Self.chart(.lines, [("Begun", [1]), ("Ended", [2])]))
        #expect(lines == [ChartValues(text: "2026-11-10\nBegun: 1\nEnded: 2", address: nil)])
    }

    @Test("Each series is named at its end, in its colour, and there is no legend")
    func labels() {
        let html = Self.html(Self.chart(.bars, [("Guest", [1, 2]), ("Google", [3, 4])]))
        #expect(!html.contains("legend"))
        for (style, name) in ["Guest", "Google"].enumerated() {
            #expect(html.contains("<text class=\"s\(style)\""))
            #expect(html.contains(">\(name)</text>"))
        }
    }

    @Test("Names at the ends of series lie in the picture and not on each other", arguments: [1, 3, 16])
    func spread(count: Int) {
        for (shape, amounts) in [(Chart.Shape.lines, [Int64(0)]), (.lines, [90]), (.bars, [0]), (.bars, [5])] {
            var chart = Self.chart(shape, (0..<count).map { ("Long name \($0)", amounts) })
            // Only on a chart's own page are there more than five.
            (chart.isWide, chart.isDetailed) = (count > 3, count > 3)
            let axis = ChartAxis(chart)
            let labels = ChartLabels(chart, axis: axis) { axis.floor - $0 }.labels.sorted { $0.y < $1.y }
            let line = axis.letter + 1
            #expect(labels.count == count)
            for (one, other) in zip(labels, labels.dropFirst()) {
                #expect(other.y - one.y >= Double(one.lines.count + other.lines.count) * line / 2 - 0.01)
            }
            #expect((labels.first?.y ?? 0) > 0 && (labels.last?.y ?? 0) < axis.height)
        }
    }

    @Test("A long name takes two lines, and what does not fit is cut with a sign")
    func names() {
        #expect(ChartLabels.lines(of: "Google", room: 7, most: 2) == ["Google"])
        #expect(ChartLabels.lines(of: "Account deletion", room: 6, most: 2) == ["Account", "deletion"])
        #expect(ChartLabels.lines(of: "ログイン変更", room: 4, most: 2) == ["ログイン", "変更"])
        #expect(ChartLabels.lines(of: "", room: 4, most: 2).isEmpty)
        for name in [String(repeating: "abcdefghij", count: 6), String(repeating: "e\u{301}", count: 10_000), "한"] {
            for room in [0, 1, 7.0] {
                let lines = ChartLabels.lines(of: name, room: room, most: 2)
                #expect(lines.count <= 2)
                #expect(room < 7 || name == "한" || lines.last?.unicodeScalars.last == "…")
            }
        }
    }

    @Test("The time before anything is known is left out, up to a week")
    func trimmed() {
        let chart = Self.chart(.bars, [("Guest", Array(repeating: nil, count: 23) + [4])])
        #expect(chart.trimmed.buckets.count == 7 && chart.trimmed.series[0].amounts.last == 4)
        let full = Self.chart(.bars, [("Guest", Array(repeating: 1, count: 24))])
        #expect(full.trimmed.buckets.count == 24)
        #expect(Self.chart(.bars, [("Guest", [nil, 1])]).trimmed.buckets.count == 2)
    }

    @Test(
        "Today is compared with yesterday, unless there is nothing to compare it with",
        arguments: [
            (54, 50.0, 8), (54, 54.2, 0), (0, 10, -100), (54, 0.4, nil), (.max, 1, 99_999),
            (.min, 1, -100), (54, nil, nil),
        ] as [(Int64, Double?, Int?)])
    func today(amount: Int64, before: Double?, percent: Int?) {
        let today = ChartToday(amount, before: before, words: Self.words)
        #expect(today.percent == percent)
        let html = String(decoding: today.html.bytes, as: UTF8.self)
        #expect(html.contains("<strong>\(Chart.grouped(amount))</strong>"))
        #expect(html.contains("▲") == ((percent ?? 0) > 0) && html.contains("▼") == ((percent ?? 0) < 0))
    }
}
