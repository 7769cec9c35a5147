import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// The numbers of an app.
extension Console {
    static func addOverview(to pages: Pages) {
        pages.app("") { page in try await page.overview() }
        pages.app("/hand-over", as: .support) { page in try await page.knowingPeople().handOver() }
        pages.app("/numbers/:chart") { page in
            let name = page.segment("chart")
            if name.ends(with: ".csv") { return try await page.chartFile() }
            return try await name.ends(with: ".json") ? page.chartValues() : page.chartPage()
        }
    }
}

/// How far back the charts go.
enum ChartRange: String, CaseIterable {
    case day = "24h"
    case week = "7d"
    case month = "30d"
    case quarter = "90d"
    case year = "13m"

    func numbers(until moment: Moment, in zone: AppZone) -> NumberRange {
        NumberRange(last: count, self == .day ? .hour : .day, until: moment, in: zone)
    }

    /// How many hours or days it has.
    var count: Int {
        switch self {
        case .day: 24
        case .week: 7
        case .month: 30
        case .quarter: 90
        case .year: 57 * 7
        }
    }

    /// How many hours or days a bar has on a chart's own page, in its table and in its file.
    var group: Int { self == .year ? 7 : 1 }

    /// The same where many charts stand on a page: fewer bars are easier to read there, and ten charts of ninety days are heavy. It is a
    /// multiple of ``group``, because numbers may be read as sums of that many days.
    var overviewGroup: Int {
        switch self {
        case .day, .week, .month: 1
        case .quarter: 7
        case .year: 28
        }
    }
}

extension PageRequest {
    var chartRange: ChartRange { query["range"].flatMap { ChartRange(rawValue: $0) } ?? .week }

    func numberRange(_ range: ChartRange) throws -> NumberRange {
        range.numbers(until: moment, in: try app().zone)
    }

    var comparesCharts: Bool { query["compare"] == "1" }

    // MARK: Pages

    /// How long after the beginning of the first player's day a page may still wait for a player.
    private static let arrivalHours: Int64 = 48

    fileprivate func overview() async throws -> Response {
        let standing = try await run(.standing)
        let hours = try await lastHours()
        let latest = hours.buckets(hours.range.count - ChartRange.day.count..<hours.range.count)
        var page = Page(words("nav.overview"), section: "overview")
        page.result = try await resultLine()
        page.isLive = true
        let verdicts = AppVerdicts(try app(), standing, latest, at: moment).all
        guard let since = latest.since else {
            // A page that was opened before the first player is told of the player.
            let first = standing.hasMembers && !isLive ? nil : try await run(.firstHour)
            let start = try first.map(firstHour)
            page.refreshSeconds = start.map { _ in Self.arrivalSeconds }
            return show(page) {
                if let start { livePart("live-start") { start } }
                livePart("live-verdicts") { list(verdicts) }
            }
        }
        let ranges = try ranges(bars: "overview.bars.\(chartRange.rawValue)")
        let marks = try await marks(in: try numberRange(chartRange))
        // The charts stay as they are while somebody points at them.
        let charts = try await charts(marks, hours: hours, isDetailed: false)
        // The same where the player is counted already.
        let isNew = isLive && moment < since.adding(seconds: Self.arrivalHours * 3_600)
        let start = isNew ? try firstHour(try await run(.firstHour)) : nil
        let sheet = ChartSheet(charts.map { $0.limited(to: $0.isWide ? 5 : 3) })
        return show(page) {
            if let start { livePart("live-start") { start } }
            livePart("live-verdicts") { list(verdicts) }
            livePart("live-numbers") { keyNumbers(of: charts) }
            ranges
            sheet
            div(.class("charts")) { for chart in sheet.charts { chart } }
            list(marks)
        }
    }

    func list(_ verdicts: [AppVerdict]) -> HTML {
        section(.class("card"), .ariaLabel(words("overview.verdicts"))) {
            ul(.class("verdicts")) {
                for verdict in verdicts {
                    li {
                        Cell(words("verdict.\(verdict.state.rawValue)"), badge: verdict.state.badge)
                        " "
                        span { text(verdict.phrase) }
                        if let link = link(to: verdict) { link }
                    }
                }
            }
        }
    }

    /// Today in five numbers, each with the way to its chart.
    private func keyNumbers(of charts: [Chart]) -> HTML {
        section(.ariaLabel(words("overview.key-numbers"))) {
            ul(.class("key-numbers")) {
                for name in ["active", "new", "logins", "refusals", "bans"] {
                    if let chart = charts.first(where: { $0.name == name }), let today = chart.today {
                        li(.class("card")) {
                            Link(words("overview.key.\(name)"), chart.address)
                            today
                        }
                    }
                }
            }
        }
    }

    // MARK: Parts of the pages with charts

    /// The ranges from which one is chosen.
    ///
    /// - Parameter bars: the key of what a bar stands for, where that is not plain.
    func ranges(bars: String?) throws -> HTML {
        let zone = try app().zone.name ?? "UTC"
        return nav(.class("ranges"), .ariaLabel(words("overview.range"))) {
            ul {
                for range in ChartRange.allCases {
                    li {
                        Link(
                            words("overview.range.\(range.rawValue)"),
                            address(with: ["range": range.rawValue, "after": nil]), isCurrent: range == chartRange)
                    }
                }
            }
            a(.class("compare"), .href(address(with: "compare", comparesCharts ? nil : "1"))) {
                words(comparesCharts ? "overview.compare-off" : "overview.compare")
            }
            span(.class("small")) {
                words("overview.zone", ["zone": zone])
                if let bars = bars.flatMap({ words.optional($0) }) { " \(bars)" }
            }
        }
    }

    /// What operators have done in the range.
    @HTMLBuilder func list(_ marks: [DoneMark]) -> HTML {
        if !marks.isEmpty {
            card("overview.marks", id: "marks") {
                ul {
                    for mark in marks {
                        let text = "\(local.absolute(mark.moment)) · \(mark.text)"
                        li {
                            if mark.address.isEmpty { text } else { a(.href(mark.address)) { text } }
                        }
                    }
                }
            }
        }
    }
}

extension AppVerdict.State {
    /// The style of its badge.
    var badge: String { self == .todo ? "plain" : rawValue }
}

/// The page that shows what, or whom, a verdict concerns.
struct VerdictPage {
    /// Its name in the navigation.
    let section: String
    /// The address below the app's, or else below the console's.
    let path: String
    /// The least role of who may open it, in the app or on the server.
    var role = OperatorRole.viewer
    var isOfServer = false
}

extension AppVerdict {
    var page: VerdictPage? {
        switch kind {
        case .closed, .maintenance: VerdictPage(section: "launching", path: "launching")
        case .refused, .providerFails, .providersFail, .failures:
            VerdictPage(section: "refusals", path: "refusals?\(FormValues(refusals).encoded)")
        case .noProviders, .unknownProviders, .importMismatch: VerdictPage(section: "providers", path: "providers")
        case .slowDatabase, .fullDisk, .lateDeadlines, .lateJobs, .wrongClock, .lostNodes:
            VerdictPage(section: "health", path: "health", isOfServer: true)
        case .deadJobs, .serverDeadJobs: VerdictPage(section: "jobs", path: "jobs", isOfServer: true)
        case .noKey: VerdictPage(section: "signing-keys", path: "signing-keys", role: .owner)
        case .oldSecrets: VerdictPage(section: "secrets", path: "secrets", role: .owner)
        case .atRisk, .safe: VerdictPage(section: "transfer", path: "transfer")
        case .quiet, .providers, .nothingWaits, .keys: nil
        }
    }

    private var refusals: [String: String] {
        var fields = ["range": "2h", "group": kind == .providersFail ? "provider" : "code"]
        fields["idp"] = provider?.rawValue
        return fields
    }
}

extension PageRequest {
    /// A link to the page of a verdict; nil for a person who may not open it.
    func link(to verdict: AppVerdict) -> Link? {
        guard let page = verdict.page else { return nil }
        if page.isOfServer {
            return person.serverRole.map { _ in Link(words("nav.\(page.section)"), "\(Console.prefix)/\(page.path)") }
        }
        return may(page.role) ? Link(words("nav.\(page.section)"), address(page.path)) : nil
    }
}
