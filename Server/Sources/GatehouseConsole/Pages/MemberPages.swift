import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Console {
    static func addMembers(to pages: Pages) {
        pages.app("/members") { page in try await page.memberList() }
        pages.app("/members.csv", as: ExportMembers.role) { page in try await page.memberFile() }
        pages.app("/members/:user") { page in try await page.knowingPeople().memberPage() }
        pages.app("/members/:user/card") { page in try await page.memberCard() }
        pages.app("/members/:user/compare") { page in try await page.comparisonPage() }
        pages.app("/members/:user/text", as: .support) { page in try await page.memberText() }
        pages.app("/devices/:key", as: .support) { page in try await page.devicePage() }
        pages.app("/members/:user/undo-move", as: .operator) { page in try await page.undoMove() }
        pages.app("/refusals") { page in try await page.refusalList() }
        pages.app("/refusals/:refusal") { page in try await page.refusalPage() }
    }

    static let memberColumns = ChosenList<MemberRow>(
        name: "members",
        columns: [
            .init("members.id") { page, member in page.member(member.user) },
            .init("members.state") { page, member in page.memberState(member.status) },
            .init("members.providers") { page, member in
                Cell(member.providers.isEmpty ? "–" : page.providerLabels(member.providers))
            },
            .init("members.made") { page, member in .time(member.registeredAt, page.local) },
            .init("members.last-login") { page, member in .time(member.lastLoginAt, page.local) },
        ])
}

extension PageRequest {
    private static let statuses = ["Y", "B", "T", "P", "M", "D"]

    func memberLink(_ user: UserID) -> String { address("members/\(FormValues.encoded(user.rawValue))") }

    func memberState(_ status: MemberStatus) -> Cell {
        let style =
            switch status {
            case .normal: "good"
            case .banned, .withdrawn: "bad"
            default: "warn"
            }
        return Cell(words.optional("member.state.\(status.rawValue)") ?? status.rawValue, badge: style)
    }

    fileprivate func memberList() async throws -> Response {
        let (filter, problems) = try memberFilter()
        let order = memberOrder
        let cursor = MemberCursor(order, after: query["before"].map { Self.plain($0, limit: 64) })
        let members = try await run(.members(where: filter, from: cursor, limit: rows))
        var table = ordered(
            listed(
                Console.memberColumns, words(order == .newest ? "members.title" : "nav.members"), members.rows,
                empty: members.rows.isEmpty ? try await nothing(filter) : ""
            ) { member, row in
                row.value = member.user.rawValue
                row.place = MemberCursor(order).text(after: member)
            }, order)
        table.selection = memberSelection
        var page = Page(words("nav.members"), section: "members")
        let stops = members.lookedAt != nil && order.key == .registration
        let looked = members.lookedAt.map { lookedAt in
            words(
                stops ? "members.looked" : "members.sorted-part",
                ["count": Words.number(lookedAt.count), "date": local.absolute(lookedAt.until)])
        }
        table = paged(table, next: stops ? nil : members.next, field: "before")
        if stops, let next = members.next {
            page.goesOn = Link(
                words("members.go-on"), address(with: ["before": next, "from": nil]), style: "primary")
        }
        page.actions.append(Link(words("refusal.list"), address("refusals")))
        return showList(
            page, table, intro: looked, filters: try memberFields(problems), chips: memberChips(filter))
    }

    /// What can be done with the members that are selected; nil for a person who may do none of it.
    private var memberSelection: Selection? {
        let offered: [(action: any OperatorAction.Type, key: String, style: String?)] = [
            (BanListedMembers.self, "members.ban-selected", "danger"),
            (ReleaseListedBans.self, "members.release-selected", nil),
        ]
        var actions = offered.compactMap { offer($0.action, style: $0.style, text: words($0.key)) }
        if may(ExportMembers.role) { actions.append(Link(words("members.export-selected"), address("members.csv"))) }
        return actions.isEmpty ? nil : Selection(field: "users", all: words("members.select-all"), actions: actions)
    }

    /// What an empty list says: how the first member comes, or which filter leaves nothing over.
    private func nothing(_ filter: MemberFilter) async throws -> String {
        guard filter != MemberFilter() else { return words("members.empty") }
        for (name, text) in chips(of: filter) {
            let rest = filter.without(name)
            guard rest != MemberFilter(), try await run(.members(where: rest, limit: 1)).rows.isEmpty else {
                return words("members.nothing", ["filter": text])
            }
        }
        return words("frame.nothing-matches")
    }

    // MARK: Filters

    private func memberFilter() throws -> (filter: MemberFilter, problems: [String: String]) {
        var problems: [String: String] = [:]
        func moment(_ name: String) -> Moment? {
            guard let text = query[name] else { return nil }
            do throws(TimeProblem) {
                return try local.moment(from: text, second: false)
            } catch {
                problems[name] = words("problem.time.\(error.rawValue)")
                return nil
            }
        }
        let providers = try memberProviders()
        func provider(_ name: String) -> Provider? {
            query[name].flatMap { text in providers.first { $0.rawValue == text } }
        }
        let filter = MemberFilter(
            status: query["status"].flatMap { Self.statuses.contains($0) ? MemberStatus($0) : nil },
            has: provider("has"), lacks: provider("lacks"), since: moment("since"), until: moment("until"))
        return (filter, problems)
    }

    private func memberProviders() throws -> [Provider] {
        [.guest] + (try app()).providers.keys.sorted { $0.rawValue < $1.rawValue }
    }

    private func memberFields(_ problems: [String: String]) throws -> [Field] {
        let all = Field.Option("", words("frame.all"))
        let providers = [all] + (try memberProviders()).map { Field.Option($0.rawValue, providerLabel($0.rawValue)) }
        let states = [all] + Self.statuses.map { Field.Option($0, words("member.state.\($0)")) }
        return [
            Field("status", words("members.state"), .choice(states)),
            Field("has", words("members.has"), .choice(providers)),
            Field("lacks", words("members.lacks"), .choice(providers)),
            Field("since", words("members.since"), .time), Field("until", words("members.until"), .time),
        ].map { field in
            var field = field
            field.value = query[field.name] ?? ""
            field.problem = problems[field.name]
            return field
        }
    }

    /// The active filters, each with the name of its field.
    private func chips(of filter: MemberFilter) -> [(name: String, text: String)] {
        let values: [(String, String?)] = [
            ("status", filter.status.map { memberState($0).text }), ("has", filter.has?.rawValue),
            ("lacks", filter.lacks?.rawValue), ("since", filter.since.map { local.absolute($0) }),
            ("until", filter.until.map { local.absolute($0) }),
        ]
        return values.compactMap { name, value in
            value.map { (name, "\(words(name == "status" ? "members.state" : "members.\(name)")): \($0)") }
        }
    }

    /// The active filters, each with the address without it.
    private func memberChips(_ filter: MemberFilter) -> [Link] {
        chips(of: filter).map { chip in
            var rest = query
            rest[chip.name] = nil
            rest["before"] = nil
            rest["from"] = nil
            let fields = rest.encoded
            return Link(chip.text, request.uri.path + (fields.isEmpty ? "" : "?\(fields)"))
        }
    }
}

extension MemberFilter {
    /// The same filter without the part that a field of the form has set.
    fileprivate func without(_ field: String) -> MemberFilter {
        var filter = self
        switch field {
        case "status": filter.status = nil
        case "has": filter.has = nil
        case "lacks": filter.lacks = nil
        case "since": filter.since = nil
        default: filter.until = nil
        }
        return filter
    }
}

/// The orders of the list of members, which the database sorts page by page.
extension PageRequest {
    private static let sortable: [(column: String, key: MemberOrder.Key)] = [
        ("members.made", .registration), ("members.last-login", .lastLogin),
    ]

    /// The order that the address names, as in the lists that ``sorted(_:)`` sorts: a column, with a minus before it for the latest first.
    var memberOrder: MemberOrder {
        for (column, key) in Self.sortable {
            if query["sort"] == column { return MemberOrder(key, isAscending: true) }
            if query["sort"] == "-\(column)" { return MemberOrder(key, isAscending: false) }
        }
        return .newest
    }

    /// Makes the headings by which the list can be sorted links. Each leads to the first page, and of a new column the latest comes first.
    func ordered(_ table: Table, _ order: MemberOrder) -> Table {
        var table = table
        for (name, key) in Self.sortable {
            guard let place = table.columns.firstIndex(where: { $0.name == name }) else { continue }
            let isChosen = key == order.key
            let next = MemberOrder(key, isAscending: isChosen && !order.isAscending)
            if isChosen { table.columns[place].order = order.isAscending ? .ascending : .descending }
            // The usual order has one address, without a word of it.
            let sort = next == .newest ? nil : next.isAscending ? name : "-\(name)"
            table.columns[place].sort = address(with: ["sort": sort, "before": nil, "from": nil])
        }
        return table
    }
}

extension PageRequest {
    /// The members that were selected in the list, as a file, in the columns and with the texts of the export of one member.
    func memberFile() async throws -> Response {
        guard let users = query["users"] else { return Console.redirect(to: address("members")) }
        let export = try await run(ExportMembers(listedIn: users))
        var file = CSV()
        file.append(export.columns.map(CSV.cell))
        for row in export.rows {
            file.append(zip(export.columns, row).map { CSV.cell(text(of: $1, in: $0)) })
        }
        return Console.file(file, named: "\(try app().id)-members.csv")
    }

    private func text(of value: JSONValue, in column: String) -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        case .integer(let number):
            switch ExportedNumber(number, in: column) {
            case .day(let day): String(local.machine(day).prefix(10))
            case .moment(let moment): local.machine(moment)
            case .other: String(number)
            }
        default: (try? JSONText.sorted(value)) ?? ""
        }
    }
}
