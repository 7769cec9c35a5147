import GatehouseCore
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

    static let overviewTemplates: [Template] =
        Chart.templates + [
            Template(
                "overview",
                """
                {{<layout}}{{$content}}
                {{#start}}<section class="card"><h2>{{t.overview.start}}</h2><p>{{t.overview.start-what}}</p><pre tabindex="0"><code data-copy="{{t.provider.copy}}">{{code}}</code></pre><p class="small">{{t.overview.start-next}}</p></section>{{/start}}
                <section class="card" aria-label="{{t.overview.verdicts}}"><ul class="verdicts">{{#verdicts}}<li><span class="badge {{style}}">{{state}}</span> <span>{{text}}</span>{{#link}}<a href="{{address}}">{{text}}</a>{{/link}}</li>{{/verdicts}}</ul></section>
                {{#hasNumbers}}{{> ranges}}
                {{> chart-parts}}
                <div class="charts">{{#charts}}
                {{> chart}}
                {{/charts}}</div>
                {{> marks}}{{/hasNumbers}}
                {{/content}}{{/layout}}
                """),
            chartPageTemplate,
            Template(
                "ranges",
                """
                <nav class="ranges" aria-label="{{t.overview.range}}"><ul>{{#ranges}}<li><a href="{{address}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}>{{text}}</a></li>{{/ranges}}</ul>{{#compare}}<a class="compare" href="{{address}}">{{text}}</a>{{/compare}}<span class="small">{{daysBegin}}{{#bars}} {{.}}{{/bars}}</span></nav>
                """),
            Template(
                "marks",
                """
                {{#hasMarks}}<section class="card" id="marks"><h2>{{t.overview.marks}}</h2><ul>{{#marks}}<li>{{#address}}<a href="{{.}}">{{/address}}{{text}}{{#address}}</a>{{/address}}</li>{{/marks}}</ul></section>{{/hasMarks}}
                """),
        ]
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
        page.values["verdicts"] = try Verdicts(self, standing, latest).all
        page.values["hasNumbers"] = latest.since != nil
        page.values.merge(try rangeValues(bars: "overview.bars.\(chartRange.rawValue)")) { $1 }
        if latest.since == nil {
            if !standing.hasMembers { page.values["start"] = ["code": try firstLines()] }
            return try await show(page, "overview")
        }
        let marks = try await marks(in: try numberRange(chartRange))
        let sheet = ChartSheet(
            try await charts(marks, latest: latest, isDetailed: false).map { $0.limited(to: $0.isWide ? 5 : 3) })
        page.values.merge(sheet.values) { $1 }
        page.values.merge(markValues(marks)) { $1 }
        return try await show(page, "overview")
    }

    // MARK: The first player

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
