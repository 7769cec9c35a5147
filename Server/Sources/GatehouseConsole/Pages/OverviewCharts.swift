import GatehouseCore
import GatehouseSecurity
import GatehouseWire

/// The charts of the overview, from an app's numbers.
struct OverviewCharts {
    let visit: Visit
    let range: ChartRange
    let numbers: Numbers
    /// Those of the period before.
    let former: Numbers
    /// Those of days, for what is counted by days only.
    let days: Numbers
    let compares: Bool
    let marks: [Visit.DoneMark]

    private var words: Words { visit.words }

    var all: [Chart] {
        [
            logins, newMembers, active, refusals, conflicts, linked, lines("bans", Self.bans),
            lines("withdrawals", Self.withdrawals), lines("transfers", Self.transfers),
        ] + (numbers.total(.providerFailed) > 0 ? [failures] : [])
    }

    private static let bans: [Metric] = [.banBegun, .banReleased, .banExpired]
    private static let withdrawals: [Metric] = [.withdrawalAsked, .withdrawalCancelled, .withdrawalDone]
    private static let transfers: [Metric] = [.transferIssued, .transferRedeemed, .transferBlocked]

    // MARK: Charts

    private var logins: Chart {
        let both: [Metric] = [.newMember, .returningLogin]
        let providers = labels(both)
        var chart = chart(
            "logins",
            says: ["total": both.reduce(0) { $0 &+ numbers.total($1) }, "refused": numbers.total(.refusedLogin)],
            providers.map { provider in
                series(visit.providerLabel(provider), style(of: provider), both, label: provider)
            }, former: both)
        chart.isWide = true
        return chart
    }

    private var newMembers: Chart {
        let providers = labels([.newMember]).filter { $0 != "guest" }
        let guest = series(visit.providerLabel("guest"), 0, [.newMember], label: "guest")
        let rest = providers.map { amounts(numbers, [.newMember], label: $0) }
        let linked = Chart.Series(
            name: words("chart.with-provider"), style: 1,
            amounts: rest.reduce(amounts(numbers, [], label: "")) { sums, amounts in
                zip(sums, amounts).map { one, other in one.flatMap { one in other.map { one &+ $0 } } }
            })
        return chart("new", says: ["total": numbers.total(.newMember)], [guest, linked], former: [.newMember])
    }

    /// Members are counted by days, whatever the range.
    private var active: Chart {
        let group = range == .day ? 1 : range.group
        let today = days.sums(.activeMember).last ?? 0
        let month = days.activeMembers.last ?? 0
        var chart = Chart(
            name: "active", title: words("chart.active"),
            sentence: words(
                "chart.active.says",
                [
                    "today": Chart.grouped(today), "month": Chart.grouped(month),
                    "ratio": Self.percent(today, of: month),
                ]), shape: .lines, buckets: buckets(days, group: group),
            series: [
                Chart.Series(
                    name: words("chart.active.day"), style: 0,
                    amounts: grouped(days, days.sums(.activeMember), group: group) { $0.max() ?? 0 }),
                Chart.Series(
                    name: words("chart.active.month"), style: 1,
                    amounts: grouped(days, days.activeMembers, group: group) { $0.last ?? 0 }),
            ], unit: words(group > 1 ? "chart.week" : "chart.day"), words: words)
        chart.marks = placed(days, group: group)
        chart.csv = csv(chart.name)
        return chart
    }

    private var refusals: Chart {
        let codes = labels([.refusedLogin])
        return chart(
            "refusals", says: ["total": numbers.total(.refusedLogin)],
            codes.enumerated().map { index, code in
                let name = Int(code).map { "\(code) \(ErrorCode(rawValue: $0).name)" } ?? code
                return series(name, index % ChartPatterns.count, [.refusedLogin], label: code)
            }, former: [.refusedLogin])
    }

    private var conflicts: Chart {
        let all = amounts(numbers, [.mappingConflict])
        let forced = series(words("chart.conflicts.forced"), 0, [.mappingForced])
        let changed = series(words("chart.conflicts.changed"), 1, [.loginChanged])
        // A conflict may end in the hour after it, so a difference may be negative.
        let open = Chart.Series(
            name: words("chart.conflicts.open"), style: 2,
            amounts: all.indices.map { index in
                all[index].map { max(0, $0 &- (forced.amounts[index] ?? 0) &- (changed.amounts[index] ?? 0)) }
            })
        return chart(
            "conflicts",
            says: [
                "total": numbers.total(.mappingConflict), "forced": numbers.total(.mappingForced),
                "changed": numbers.total(.loginChanged),
            ], [forced, changed, open], former: [.mappingConflict])
    }

    private var linked: Chart {
        chart(
            "linked", says: ["total": numbers.total(.guestLinked)],
            labels([.guestLinked]).map { series(visit.providerLabel($0), style(of: $0), [.guestLinked], label: $0) },
            former: [.guestLinked])
    }

    private var failures: Chart {
        chart(
            "failures", says: ["total": numbers.total(.providerFailed)],
            labels([.providerFailed]).map {
                series(visit.providerLabel($0), style(of: $0), [.providerFailed], label: $0)
            }, former: [.providerFailed])
    }

    /// A line for each metric: they are no parts of a whole.
    private func lines(_ name: String, _ metrics: [Metric]) -> Chart {
        let words = self.words
        var values: [String: Int64] = [:]
        for (key, metric) in zip(["first", "second", "third"], metrics) { values[key] = numbers.total(metric) }
        var chart = chart(
            name, says: values,
            metrics.enumerated().map { series(words("metric.\($1.rawValue)"), $0, [$1]) }, former: nil)
        chart.shape = .lines
        return chart
    }

    // MARK: Parts

    /// - Parameters:
    ///   - values: of the sentence.
    ///   - metrics: those whose sum is compared with the period before.
    private func chart(
        _ name: String, says values: [String: Int64], _ series: [Chart.Series], former metrics: [Metric]?
    ) -> Chart {
        var texts = values.mapValues(Chart.grouped)
        texts["range"] = words("overview.range.\(range.rawValue)")
        if values["total"] == 1 { texts["count"] = "1" }
        var sentence = words("chart.\(name).says", texts)
        var chart = Chart(
            name: name, title: words("chart.\(name)"), sentence: "", shape: .bars,
            buckets: buckets(numbers, group: range.group), series: series, unit: words(unit), words: words)
        if let metrics {
            if let change = change(metrics) { sentence += " \(change)" }
            if compares, hasFormer {
                chart.former = Chart.Series(
                    name: words("chart.before"), style: 7,
                    amounts: amounts(former, metrics, label: nil))
            }
        }
        chart.sentence = sentence
        chart.marks = placed(numbers, group: range.group)
        chart.csv = csv(name)
        return chart
    }

    private var unit: String {
        switch range {
        case .day: "chart.hour"
        case .year: "chart.week"
        default: "chart.day"
        }
    }

    private func csv(_ name: String) -> String { visit.address("numbers/\(name).csv?range=\(range.rawValue)") }

    /// Whether the server has counted through the whole period before.
    private var hasFormer: Bool { former.since.map { $0 <= former.range.begin } ?? false }

    /// The last hour or day is not over, so it is left out, and that of the period before with it.
    private func change(_ metrics: [Metric]) -> String? {
        func sum(_ numbers: Numbers) -> Int64 {
            metrics.reduce(0) { $0 &+ numbers.sums($1).dropLast().reduce(0, &+) }
        }
        let (now, before) = (sum(numbers), sum(former))
        guard hasFormer, before > 0 else { return nil }
        let percent = Int((Double(now) / Double(before) - 1) * 100)
        if percent == 0 { return words("chart.same") }
        return words(percent > 0 ? "chart.more" : "chart.fewer", ["percent": String(abs(percent))])
    }

    static func percent(_ part: Int64, of whole: Int64) -> String {
        whole > 0 ? String(Int((Double(part) / Double(whole) * 100).rounded())) : "0"
    }

    /// The labels of some metrics: guests first, then by name.
    private func labels(_ metrics: [Metric]) -> [String] {
        Set(metrics.flatMap { numbers.series[$0, default: [:]].keys }).sorted {
            ($0 == "guest" ? "" : $0) < ($1 == "guest" ? "" : $1)
        }
    }

    /// A provider has one colour in all charts of the page.
    private func style(of provider: String) -> Int {
        let all = labels([.newMember, .returningLogin, .guestLinked, .providerFailed]).filter { $0 != "guest" }
        return provider == "guest" ? 0 : ((all.firstIndex(of: provider) ?? 0) + 1) % ChartPatterns.count
    }

    private func series(_ name: String, _ style: Int, _ metrics: [Metric], label: String? = nil) -> Chart.Series {
        Chart.Series(name: name, style: style, amounts: amounts(numbers, metrics, label: label))
    }

    /// The amounts of some metrics in each bucket of the chart, of one label or of all.
    private func amounts(_ numbers: Numbers, _ metrics: [Metric], label: String? = nil) -> [Int64?] {
        var sums = Array(repeating: Int64(0), count: numbers.range.count)
        for metric in metrics {
            let amounts = label.map { numbers.series[metric]?[$0] ?? [] } ?? numbers.sums(metric)
            for (index, amount) in amounts.enumerated() { sums[index] &+= amount }
        }
        return grouped(numbers, sums, group: range.group) { $0.reduce(0, &+) }
    }

    /// One amount for each bucket of the chart; nil for the time before the first player, because a gap is no zero.
    private func grouped(
        _ numbers: Numbers, _ amounts: [Int64], group: Int, _ join: (ArraySlice<Int64>) -> Int64
    ) -> [Int64?] {
        stride(from: 0, to: amounts.count, by: group).map { begin in
            let end = min(begin + group, amounts.count)
            guard let since = numbers.since, numbers.range.bucket(end) > since else { return nil }
            return join(amounts[begin..<end])
        }
    }

    private func buckets(_ numbers: Numbers, group: Int) -> [Chart.Bucket] {
        let isHour = numbers.range.unit == .hour
        // The bucket of a day is the midnight in UTC of its date.
        let zone = LocalTime(zone: isHour ? numbers.range.zone.name : nil, now: visit.moment, words: words)
        return stride(from: 0, to: numbers.range.count, by: group).map { index in
            // `2026-11-22 14:00`
            let text = zone.input(numbers.range.bucket(index)).replacing("T", with: " ")
            let day = text.prefix(10)
            let hour = text.dropFirst(11).prefix(5)
            return Chart.Bucket(
                name: isHour ? "\(day) \(hour)" : String(day), short: String(isHour ? hour : day.dropFirst(5)))
        }
    }

    private func placed(_ numbers: Numbers, group: Int) -> [Chart.Mark] {
        marks.compactMap { mark in
            numbers.range.index(of: mark.moment).map {
                Chart.Mark(
                    index: $0 / group, text: "\(mark.text) · \(visit.local.absolute(mark.moment))",
                    address: mark.address)
            }
        }
    }
}

extension Visit {
    /// A provider as people know it.
    func providerLabel(_ provider: String) -> String {
        words.optional("idp.\(provider)") ?? words.optional("provider.name.\(provider)") ?? provider
    }
}
