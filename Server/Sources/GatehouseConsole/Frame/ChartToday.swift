import GatehouseHTML

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
