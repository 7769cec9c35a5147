import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// The numbers of an app.
extension Console {
    static func addOverview(to pages: Pages) {
        pages.app("") { visit in try await visit.overview() }
        pages.app("/numbers/:chart") { visit in try await visit.chartFile() }
    }

    static let overviewTemplates: [Template] =
        Chart.templates + [
            Template(
                "overview",
                """
                {{<layout}}{{$content}}
                {{#start}}<section class="card"><h2>{{t.overview.start}}</h2><p>{{t.overview.start-what}}</p><pre><code>{{code}}</code></pre><p class="small">{{t.overview.start-next}}</p></section>{{/start}}
                <section class="card" aria-label="{{t.overview.verdicts}}"><ul class="verdicts">{{#verdicts}}<li><span class="badge {{style}}">{{state}}</span> <span>{{text}}</span>{{#link}}<a href="{{address}}">{{text}}</a>{{/link}}</li>{{/verdicts}}</ul></section>
                {{#hasNumbers}}<nav class="ranges" aria-label="{{t.overview.range}}"><ul>{{#ranges}}<li><a href="{{address}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}>{{text}}</a></li>{{/ranges}}</ul>{{#compare}}<a class="compare" href="{{address}}">{{text}}</a>{{/compare}}<span class="small">{{daysBegin}}</span></nav>
                {{> chart-patterns}}
                <div class="charts">{{#charts}}
                {{> chart}}
                {{/charts}}</div>
                {{#hasMarks}}<section class="card" id="marks"><h2>{{t.overview.marks}}</h2><ul>{{#marks}}<li><a href="{{address}}">{{text}}</a></li>{{/marks}}</ul></section>{{/hasMarks}}{{/hasNumbers}}
                {{/content}}{{/layout}}
                """)
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

    /// How many days a bar has.
    var group: Int { self == .year ? 7 : 1 }
}

extension Visit {
    private var chartRange: ChartRange { query["range"].flatMap { ChartRange(rawValue: $0) } ?? .week }
    private func numberRange(_ range: ChartRange) throws -> NumberRange {
        range.numbers(until: moment, in: try app().zone)
    }

    private var compares: Bool { query["compare"] == "1" }

    // MARK: Pages

    fileprivate func overview() async throws -> Response {
        let standing = try await run(ReadStanding())
        let latest = try await run(ReadNumbers(range: try numberRange(.day)))
        var page = Page(words("nav.overview"), section: "overview")
        page.result = try await resultLine()
        page.values["verdicts"] = try Verdicts(self, standing, latest).all
        page.values["hasNumbers"] = latest.since != nil
        page.values["daysBegin"] = words("overview.zone", ["zone": try app().zone.name ?? "UTC"])
        page.values["patterns"] = ChartPatterns.all
        page.values["ranges"] = ChartRange.allCases.map { range in
            Link(
                words("overview.range.\(range.rawValue)"), address(with: "range", range.rawValue),
                isCurrent: range == chartRange)
        }
        page.values["compare"] = Link(
            words(compares ? "overview.compare-off" : "overview.compare"),
            address(with: "compare", compares ? nil : "1"))
        if latest.since == nil {
            if !standing.hasMembers { page.values["start"] = ["code": try firstLines()] }
            return try await show(page, "overview")
        }
        let marks = try await marks(in: try numberRange(chartRange))
        page.values["charts"] = try await charts(marks, latest: latest)
        page.values["marks"] = marks.map { Link("\(local.absolute($0.moment)) · \($0.text)", $0.address) }
        page.values["hasMarks"] = !marks.isEmpty
        return try await show(page, "overview")
    }

    /// The table of one chart as a file.
    fileprivate func chartFile() async throws -> Response {
        let file = segment("chart")
        guard file.hasSuffix(".csv"),
            let chart = try await charts([], latest: nil).first(where: { $0.name == file.dropLast(4) })
        else { throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404) }
        let name = "\(try app().id)-\(chart.name)-\(chartRange.rawValue).csv"
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8", .contentDisposition: "attachment; filename=\"\(name)\"",
            ], body: .init(byteBuffer: ByteBuffer(string: chart.csvText)))
    }

    /// - Parameter latest: the numbers of the last 24 hours, if they were read.
    private func charts(_ marks: [DoneMark], latest: Numbers?) async throws -> [Chart] {
        let range = try numberRange(chartRange)
        let known = latest.flatMap { $0.range == range ? $0 : nil }
        let numbers =
            if let known { known } else { try await run(ReadNumbers(range: range)) }
        let former = try await run(ReadNumbers(range: range.before))
        var days = numbers
        if range.unit == .hour {
            days = try await run(ReadNumbers(range: try numberRange(.week)))
        }
        let drawing = OverviewCharts(
            visit: self, range: chartRange, numbers: numbers, former: former, days: days, compares: compares,
            marks: marks)
        return drawing.all
    }

    // MARK: The first player

    /// What a game's code needs for its first login.
    private func firstLines() throws -> String {
        """
        let gatehouse = GatehouseClient(.init(appID: "\(try app().id)", serverURL: URL(string: "\(serverAddress)")!))
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

    // MARK: What was done

    /// Something that operators have done and that may be seen in the numbers.
    struct DoneMark: Sendable {
        let moment: Moment
        let text: String
        let address: String
    }

    private static let visible: Set<String> = [
        "maintenance.planned", "maintenance.changed", "maintenance.ended", "provider.disabled", "provider.enabled",
        "status.set", "key.rotated", "key.rotated-revoking", "kick-out.everyone",
    ]

    private func marks(in range: NumberRange) async throws -> [DoneMark] {
        try await run(ListDeeds(limit: 200))
            .filter { Self.visible.contains($0.action) && range.index(of: $0.date) != nil }
            .prefix(20).map { deed in
                DoneMark(
                    moment: deed.date, text: words.optional("deed.\(deed.action)") ?? deed.action,
                    address: address("audit?action=\(FormValues.encoded(deed.action))#d-\(FormValues.encoded(deed.id))")
                )
            }
    }
}
