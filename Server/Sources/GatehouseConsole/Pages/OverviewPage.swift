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
        pages.app("") { visit in try await visit.overview() }
        pages.app("/numbers/:chart") { visit in
            try await visit.segment("chart").ends(with: ".csv") ? visit.chartFile() : visit.chartPage()
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
        switch self {
        case .day: NumberRange(last: 24, .hour, until: moment, in: zone)
        case .week: NumberRange(last: 7, .day, until: moment, in: zone)
        case .month: NumberRange(last: 30, .day, until: moment, in: zone)
        case .quarter: NumberRange(last: 90, .day, until: moment, in: zone)
        case .year: NumberRange(last: 57 * 7, .day, until: moment, in: zone)
        }
    }

    /// How many hours or days a bar has on a chart's own page, in its table and in its file.
    var group: Int { self == .year ? 7 : 1 }

    /// The same where many charts stand on a page: fewer bars are easier to read there, and ten charts of ninety days are heavy.
    var overviewGroup: Int {
        switch self {
        case .day, .week, .month: 1
        case .quarter: 7
        case .year: 28
        }
    }
}

extension Visit {
    var chartRange: ChartRange { query["range"].flatMap { ChartRange(rawValue: $0) } ?? .week }

    func numberRange(_ range: ChartRange) throws -> NumberRange {
        range.numbers(until: moment, in: try app().zone)
    }

    var comparesCharts: Bool { query["compare"] == "1" }

    // MARK: Pages

    fileprivate func overview() async throws -> Response {
        let standing = try await run(ReadStanding())
        let latest = try await run(ReadNumbers(range: try numberRange(.day)))
        var page = Page(words("nav.overview"), section: "overview")
        page.result = try await resultLine()
        let verdicts = try Verdicts(self, standing, latest).all
        guard latest.since != nil else {
            let start = standing.hasMembers ? nil : try firstLines()
            return show(page) {
                if let start { self.start(start) }
                list(verdicts)
            }
        }
        let ranges = try ranges(bars: "overview.bars.\(chartRange.rawValue)")
        let marks = try await marks(in: try numberRange(chartRange))
        let sheet = ChartSheet(
            try await charts(marks, latest: latest, isDetailed: false).map { $0.limited(to: $0.isWide ? 5 : 3) })
        return show(page) {
            list(verdicts)
            ranges
            sheet
            div(.class("charts")) { for chart in sheet.charts { chart } }
            list(marks)
        }
    }

    private func list(_ verdicts: [Verdicts.Verdict]) -> HTML {
        section(.class("card"), .ariaLabel(words("overview.verdicts"))) {
            ul(.class("verdicts")) {
                for verdict in verdicts {
                    li {
                        Cell(words("verdict.\(verdict.state.rawValue)"), badge: verdict.state.badge)
                        " "
                        span { verdict.text }
                        if let link = verdict.link { link }
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

    // MARK: The first player

    private func start(_ lines: String) -> HTML {
        card("overview.start") {
            p { words("overview.start-what") }
            pre(.tabindex(0)) { code(Attribute("data-copy", words("provider.copy"))) { lines } }
            p(.class("small")) { words("overview.start-next") }
        }
    }

    /// What a game's code needs for its first login.
    private func firstLines() throws -> String {
        """
        let gatehouse = GatehouseClient(
            .init(appID: "\(try app().id)", serverURL: URL(string: "\(serverAddress)")!))
        try await gatehouse.start()
        try await gatehouse.logIn(with: .guest)
        """
    }

    private var serverAddress: String {
        switch console.settings.origins {
        case .only(let origins): origins.sorted().first ?? ""
        case .loopback: "http://\(request.head.authority ?? "127.0.0.1")"
        }
    }
}
