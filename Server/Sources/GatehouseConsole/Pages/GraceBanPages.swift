import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    func graceBanList() async throws -> Response {
        let isOpen = query["state"] != "all"
        let list = try await run(ListGraceBans(user: nil, isOpen: isOpen, end: nil, after: after, limit: rows + 1))
        var page = Page(words("nav.grace-bans"), section: "grace-bans")
        page.result = try await resultLine()
        page.actions = links([("grace-ban.begun", [:])], style: "primary")
        let states = [Field.Option("", words("grace.open")), Field.Option("all", words("frame.all"))]
        return show(page) {
            filters(
                [Field("state", words("members.state"), .choice(states), value: isOpen ? "" : "all")],
                to: request.uri.description)
            for record in list.prefix(rows) { card(of: record) }
            if list.isEmpty { empty(isOpen ? "grace.empty" : "grace.never") }
            pager(next: list.count > rows ? list.dropLast().last?.id : nil)
        }
    }

    private func card(of record: GraceBanRecord) -> HTML {
        let user = ["user": record.user.rawValue]
        return section(.class("card grace")) {
            h2 {
                Cell.code(record.user.rawValue, link: memberLink(record.user))
                " "
                state(of: record)
            }
            progress(of: record)
            Facts(
                [
                    Fact(words("grace.deadline"), .time(Moment(milliseconds: record.graceBan.gracePeriodDate), local)),
                    Fact(words("grace.reads"), Cell(record.graceBan.message)),
                    Fact(words("bans.begun"), .time(record.beginsAt, local)),
                    Fact(words("bans.by"), Cell(record.registeredBy)),
                ] + (record.endedAt.map { [Fact(words("grace.ended"), .time($0, local))] } ?? []))
            if record.isOpen {
                Buttons(
                    links([("grace-ban.payment-recorded", user), ("grace-ban.released", user), ("member.banned", user)])
                )
            }
        }
    }

    private func state(of record: GraceBanRecord) -> Cell {
        guard !record.isOpen else { return Cell(words("grace.open"), badge: "warn") }
        return Cell(
            words.optional("grace.outcome.\(record.outcome ?? "")") ?? words("grace.outcome.gone"),
            badge: record.outcome == "banned" ? "bad" : "plain")
    }

    /// How much of what is asked was paid.
    @HTMLBuilder private func progress(of record: GraceBanRecord) -> HTML {
        let condition = record.graceBan.releaseRuleCondition
        let paid = record.graceBan.paymentStatus
        if condition.count > 0 {
            progress(
                words("grace.payments"), String(min(paid.count, condition.count)), of: String(condition.count),
                "\(paid.count) / \(condition.count)")
        }
        if condition.amount > 0 {
            progress(
                words("grace.amount"), String(min(paid.amount, condition.amount)), of: String(condition.amount),
                "\(Self.amount(paid.amount)) / \(Self.amount(condition.amount)) \(condition.currency)")
        }
        if condition.count > 0, condition.amount > 0 {
            p(.class("small")) { words("grace.rule.\(condition.conditionType.rawValue)") }
        }
    }

    private func progress(_ label: String, _ value: String, of most: String, _ text: String) -> HTML {
        p(.class("progress")) {
            span { label }
            " "
            meter(Attribute("min", "0"), Attribute("max", most), .value(value)) { text }
            " "
            strong { text }
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
