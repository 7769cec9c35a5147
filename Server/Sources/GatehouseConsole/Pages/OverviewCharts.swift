import GatehouseCore
import GatehouseSecurity
import GatehouseWire

/// The charts of an app, from its numbers.
struct OverviewCharts {
    let page: PageRequest
    let range: ChartRange
    let numbers: Numbers
    /// Those of the period before.
    let former: Numbers
    /// Those of days, for what is counted by days only.
    let days: Numbers
    /// Those of the last two days, by hour.
    let hours: Numbers
    let compares: Bool
    let marks: [PageRequest.DoneMark]
    /// Whether a chart has a page of its own, or is one of many.
    let isDetailed: Bool

    var words: Words { page.words }
    /// How many hours or days one bucket has.
    var group: Int { isDetailed ? range.group : range.overviewGroup }

    var all: [Chart] {
        [
            logins, newMembers, active, refusedLogins, conflicts, linked, lines("bans", Self.bans),
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
                series(page.providerLabel(provider), ProviderColor.style(of: provider), both, label: provider)
            }, former: both, today: both)
        chart.isWide = true
        return chart
    }

    private var newMembers: Chart {
        let providers = labels([.newMember]).filter { $0 != "guest" }
        let guest = series(
            page.providerLabel("guest"), ProviderColor.style(of: "guest"), [.newMember], label: "guest")
        let rest = providers.map { amounts(numbers, [.newMember], label: $0) }
        let linked = Chart.Series(
            name: words("chart.with-provider"), style: 3,
            amounts: rest.reduce(amounts(numbers, [], label: "")) { sums, amounts in
                zip(sums, amounts).map { one, other in one.flatMap { one in other.map { one &+ $0 } } }
            })
        return chart(
            "new", says: ["total": numbers.total(.newMember)], [guest, linked], former: [.newMember],
            today: [.newMember])
    }

    /// Members are counted by days, whatever the range.
    private var active: Chart {
        let group = range == .day ? 1 : group
        let today = days.sums(.activeMember).last ?? 0
        let month = days.activeMembers.last ?? 0
        var chart = Chart(
            name: "active", title: words("chart.active"),
            sentence: words(
                "chart.active.says",
                [
                    "today": Chart.grouped(today), "month": Chart.grouped(month),
                    "ratio": Numbers.percent(today, of: month),
                ]), shape: .lines, buckets: buckets(days, group: group),
            series: [
                Chart.Series(
                    name: words("chart.active.day"), style: 0,
                    amounts: grouped(days, days.sums(.activeMember), group: group) { $0.max() ?? 0 }),
                Chart.Series(
                    name: words("chart.active.month"), style: 1,
                    amounts: grouped(days, days.activeMembers, group: group) { $0.last ?? 0 }),
            ], unit: words(group > 1 ? "chart.week" : "chart.day"), words: words)
        chart.today = self.today([.activeMember])
        chart.marks = placed(days, group: group)
        link(&chart)
        return chart
    }

    private var refusedLogins: Chart {
        let codes = labels([.refusedLogin])
        var chart = chart(
            "refusals", says: ["total": numbers.total(.refusedLogin)],
            codes.enumerated().map { index, code in
                let name = Int(code).map { page.named(ErrorCode(rawValue: $0)) } ?? code
                var series = series(name, index % ProviderColor.count, [.refusedLogin], label: code)
                series.address = refusals(where: ["code": code])
                return series
            }, former: [.refusedLogin], today: [.refusedLogin])
        for index in chart.buckets.indices { chart.buckets[index].address = refusals(at: index) }
        return chart
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
            ], [forced, changed, open], former: [.mappingConflict], today: [.mappingConflict])
    }

    private var linked: Chart {
        chart(
            "linked", says: ["total": numbers.total(.guestLinked)],
            labels([.guestLinked]).map {
                series(page.providerLabel($0), ProviderColor.style(of: $0), [.guestLinked], label: $0)
            }, former: [.guestLinked], today: [.guestLinked])
    }

    private var failures: Chart {
        chart(
            "failures", says: ["total": numbers.total(.providerFailed)],
            labels([.providerFailed]).map {
                var series = series(
                    page.providerLabel($0), ProviderColor.style(of: $0), [.providerFailed], label: $0)
                series.address = refusals(where: ["idp": $0])
                return series
            }, former: [.providerFailed], today: [.providerFailed])
    }

    /// A line for each metric: they are no parts of a whole.
    private func lines(_ name: String, _ metrics: [Metric]) -> Chart {
        let words = self.words
        var values: [String: Int64] = [:]
        for (key, metric) in zip(["first", "second", "third"], metrics) { values[key] = numbers.total(metric) }
        var chart = chart(
            name, says: values,
            metrics.enumerated().map { series(words("metric.\($1.rawValue)"), $0, [$1]) }, former: nil,
            today: Array(metrics.prefix(1)))
        chart.shape = .lines
        return chart
    }
}

extension PageRequest {
    /// A code as people know it, with its number second.
    func named(_ code: ErrorCode) -> String { words.named(code) }

    /// Several providers as people know them.
    func providerLabels(_ providers: some Sequence<Provider>) -> String { words.providerLabels(providers) }

    /// A provider as people know it.
    func providerLabel(_ provider: String) -> String { words.providerLabel(provider) }
}
