import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// One chart with all its series, its table and its file.
extension PageRequest {
    func chartPage() async throws -> Response {
        let marks = try await marks(in: try numberRange(chartRange))
        let name = segment("chart")
        guard var chart = try await charts(marks, hours: nil, isDetailed: true).first(where: { $0.name == name })
        else { throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404) }
        chart.isWide = true
        var page = Page(chart.title, section: "overview")
        page.crumbs = [Link(words("nav.overview"), address("") + "?\(FormValues(chartFields).encoded)")]
        page.actions = [Link(words("chart.csv"), chart.csv)]
        if name == "refusals" { page.actions.insert(Link(words("nav.refusals"), refusals(["group": "code"])), at: 0) }
        let ranges = try ranges(bars: nil)
        let sheet = ChartSheet([chart.limited(to: ProviderColor.count)])
        let table = amounts(of: chart)
        return show(page) {
            ranges
            sheet
            div(.class("charts")) { for chart in sheet.charts { chart.alone } }
            card("chart.table") {
                table
            }
            list(marks)
        }
    }

    private var chartFields: [String: String] {
        ["range": chartRange.rawValue].merging(comparesCharts ? ["compare": "1"] : [:]) { $1 }
    }

    /// The newest amounts, or those before the one that the address names.
    private func amounts(of chart: Chart) -> AmountTable {
        let end = after.flatMap { name in chart.buckets.firstIndex { $0.name == name } } ?? chart.buckets.count
        // A month of days is on one page, beside the picture of more of them is room for fewer.
        let begin = max(0, end - max(rows > 25 ? rows : 0, chart.buckets.count < 32 ? 31 : 14))
        return AmountTable(
            chart: chart, indices: begin..<end,
            pager: pager(next: begin > 0 ? chart.buckets[begin].name : nil))
    }

    /// The table of one chart as a file.
    func chartFile() async throws -> Response {
        let file = segment("chart")
        guard file.ends(with: ".csv"),
            let chart = try await charts([], hours: nil, isDetailed: true).first(where: { $0.name == file.dropLast(4) })
        else { throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404) }
        let name = "\(try app().id)-\(chart.name)-\(chartRange.rawValue).csv"
        return Console.file(chart.file, named: name)
    }

    /// The amounts of one chart for the script, which shows them where somebody points: all of a bucket at once.
    func chartValues() async throws -> Response {
        let file = segment("chart")
        let isDetailed = query["of"] != "overview"
        guard file.ends(with: ".json"),
            let chart = try await charts([], hours: nil, isDetailed: isDetailed).first(where: {
                $0.name == file.dropLast(5)
            })
        else { throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404) }
        let body = try JSONEncoder().encode(ChartValues.all(of: chart))
        return Response(
            status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// The hours of today and of yesterday.
    func lastHours() async throws -> Numbers {
        try await run(.numbers(in: NumberRange(last: 50, .hour, until: moment, in: try app().zone)))
    }

    /// - Parameter hours: ``lastHours()``, if they were read.
    func charts(_ marks: [DoneMark], hours: Numbers?, isDetailed: Bool) async throws -> [Chart] {
        let range = try numberRange(chartRange)
        let known: Numbers
        if let hours { known = hours } else { known = try await lastHours() }
        let numbers: Numbers
        let former: Numbers
        let days: Numbers
        if range.unit == .hour {
            let last = known.range.count - range.count
            numbers = known.buckets(last..<known.range.count)
            former = known.buckets(last - range.count..<last)
            days = try await run(.numbers(in: try numberRange(.week)))
        } else {
            let both = try await run(.comparedNumbers(in: range, period: chartRange.group))
            (numbers, former, days) = (both.numbers, both.former, both.numbers)
        }
        let drawing = OverviewCharts(
            page: self, range: chartRange, numbers: numbers, former: former, days: days, hours: known,
            compares: comparesCharts, marks: marks, isDetailed: isDetailed)
        return drawing.all.map(\.trimmed)
    }

    // MARK: What was done

    /// Something that operators have done and that may be seen in the numbers.
    struct DoneMark: Sendable {
        let moment: Moment
        let text: String
        let address: String
    }

    private static let visible: [any OperatorAction.Type] = [
        PlanMaintenance.self, ChangeMaintenance.self, EndMaintenance.self, DisableIdentityProvider.self,
        EnableIdentityProvider.self, SetStatus.self, RotateSigningKey.self, ReplaceSigningKeys.self,
        KickOutEveryone.self,
    ]

    func marks(in range: NumberRange) async throws -> [DoneMark] {
        try await run(.operatorRecords(by: Self.visible.map { $0.about.name }, among: 200)).filter {
            range.index(of: $0.date) != nil
        }
        .prefix(20).map { record in
            let entry = "audit?action=\(FormValues.encoded(record.action))#d-\(FormValues.encoded(record.id))"
            // Support reads its own entries, and a viewer none.
            let isReadable = may(.operator) || may(.support) && record.personName == person.name
            return DoneMark(
                moment: record.date, text: words.optional("deed.\(record.action)") ?? record.action,
                address: isReadable ? address(entry) : "")
        }
    }
}
