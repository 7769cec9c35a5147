import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension PageRequest {
    func graceBanList() async throws -> Response {
        let isOpen = query["state"] != "all"
        let list = try await run(.graceBans(isOpen: isOpen, after: after, limit: rows + 1))
        var page = Page(words("nav.grace-bans"), section: "grace-bans")
        page.result = try await resultLine()
        page.actions = links([(BeginGraceBan.self, [:])], style: "primary")
        let states = [Field.Option("", words("grace.open")), Field.Option("all", words("frame.all"))]
        let table = Table(
            words("nav.grace-bans"),
            columns([
                "members.id", "members.state", "grace.progress", "grace.deadline", "grace.reads", "bans.begun",
            ]),
            list.prefix(rows).map(row), empty: words(isOpen ? "grace.empty" : "grace.never"))
        return show(page, paged(table, next: list.count > rows ? list.dropLast().last?.id : nil)) { table in
            filters(
                [Field("state", words("members.state"), .choice(states), value: isOpen ? "" : "all")],
                to: request.uri.description)
            table
        }
    }

    private func row(of record: GraceBanRecord) -> TableRow {
        let user = ["user": record.user.rawValue]
        var row = TableRow(
            [
                member(record.user), state(of: record), progress(of: record),
                .time(Moment(milliseconds: record.graceBan.gracePeriodDate), local), Cell(record.graceBan.message),
                begun(record),
            ],
            actions: record.isOpen
                ? rowLinks([
                    (RecordPayment.self, user), (ReleaseGraceBan.self, user), (BanMember.self, user),
                ])
                : [])
        row.place = record.id
        return row
    }

    /// The time at which it began, with the operator who registered it.
    private func begun(_ record: GraceBanRecord) -> Cell {
        var cell = Cell.time(record.beginsAt, local)
        cell.note = record.registeredBy
        return cell
    }

    private func state(of record: GraceBanRecord) -> Cell {
        guard !record.isOpen else { return Cell(words("grace.open"), badge: "warn") }
        return Cell(
            words.optional("grace.outcome.\(record.outcome ?? "")") ?? words("grace.outcome.gone"),
            badge: record.outcome == "banned" ? "bad" : "plain",
            note: record.endedAt.map { local.absolute($0) })
    }

    /// How much of what is asked was paid.
    private func progress(of record: GraceBanRecord) -> Cell {
        let condition = record.graceBan.releaseRuleCondition
        let paid = record.graceBan.paymentStatus
        var parts: [(value: String, most: String, text: String)] = []
        if condition.count > 0 {
            parts.append(
                (
                    String(min(paid.count, condition.count)), String(condition.count),
                    "\(words("grace.payments")) \(Words.number(paid.count)) / \(Words.number(condition.count))"
                ))
        }
        if condition.amount > 0 {
            parts.append(
                (
                    String(min(paid.amount, condition.amount)), String(condition.amount),
                    "\(Self.amount(paid.amount)) / \(Self.amount(condition.amount)) \(condition.currency)"
                ))
        }
        return .content(parts.map(\.text).joined(separator: " · ")) {
            for part in parts {
                div(.class("progress")) {
                    meter(Attribute("min", "0"), Attribute("max", part.most), .value(part.value)) { part.text }
                    " \(part.text)"
                }
            }
            if parts.count > 1 { small { words("grace.rule.\(condition.conditionType.rawValue)") } }
        }
    }

    /// An amount without decimals that are zero, in groups of three digits.
    static func amount(_ amount: Double) -> String {
        guard amount.isFinite, (0..<1e15).contains(amount) else { return String(amount) }
        let digits = Array(String(Int64(amount)))
        let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[max(0, $0 - 3)..<$0]) }
        let decimals = String(amount).parts(at: ".").dropFirst().first ?? "0"
        return groups.reversed().joined(separator: ",")
            + (decimals == "0" || decimals.contains("e") ? "" : ".\(decimals)")
    }
}
