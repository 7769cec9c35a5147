import GatehouseCore
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
        let states = [
            Field.Option("", words("grace.open")), Field.Option("all", words("frame.all")),
        ]
        let table = Table("", [], [], empty: words(isOpen ? "grace.empty" : "grace.never"))
        let next = list.count > rows ? list.dropLast().last?.id : nil
        page.values = [
            "filters": [
                "fields": [Field("state", words("members.state"), .choice(states), value: isOpen ? "" : "all")]
            ],
            "bans": list.prefix(rows).map(graceBanCard), "isEmpty": list.isEmpty,
            "table": paged(table, next: next),
        ]
        return try await show(page, "grace-bans")
    }

    private func graceBanCard(_ record: GraceBanRecord) -> [String: Any] {
        let condition = record.graceBan.releaseRuleCondition
        let paid = record.graceBan.paymentStatus
        var meters: [[String: Any]] = []
        if condition.count > 0 {
            meters.append([
                "label": words("grace.payments"), "value": String(min(paid.count, condition.count)),
                "most": String(condition.count), "text": "\(paid.count) / \(condition.count)",
            ])
        }
        if condition.amount > 0 {
            meters.append([
                "label": words("grace.amount"), "value": String(min(paid.amount, condition.amount)),
                "most": String(condition.amount),
                "text": "\(Self.amount(paid.amount)) / \(Self.amount(condition.amount)) \(condition.currency)",
            ])
        }
        let rule = meters.count < 2 ? nil : words("grace.rule.\(condition.conditionType.rawValue)")
        let user = ["user": record.user.rawValue]
        let state =
            record.isOpen
            ? Cell(words("grace.open"), badge: "warn")
            : Cell(
                words.optional("grace.outcome.\(record.outcome ?? "")") ?? words("grace.outcome.gone"),
                badge: record.outcome == "banned" ? "bad" : "plain")
        return [
            "user": Cell.code(record.user.rawValue, link: memberLink(record.user)), "state": state,
            "facts": [
                Fact(
                    words("grace.deadline"),
                    .time(Moment(milliseconds: record.graceBan.gracePeriodDate), local)),
                Fact(words("grace.reads"), Cell(record.graceBan.message)),
                Fact(words("bans.begun"), Cell.time(record.beginsAt, local)),
                Fact(words("bans.by"), Cell(record.registeredBy)),
            ] + (record.endedAt.map { [Fact(words("grace.ended"), .time($0, local))] } ?? []),
            "meters": meters, "rule": rule ?? false,
            "actions": record.isOpen
                ? links([("grace-ban.payment-recorded", user), ("grace-ban.released", user), ("member.banned", user)])
                : [],
        ]
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

extension Console {
    static let graceBansTemplate = Template(
        "grace-bans",
        """
        {{<layout}}{{$content}}
        {{#filters}}<form class="filters" method="get" action="{{here}}">{{#fields}}
        {{> field}}
        {{/fields}}<button>{{t.frame.filter}}</button></form>{{/filters}}
        {{#bans}}<section class="card grace"><h2>{{#user}}{{> cell}}{{/user}} {{#state}}{{> cell}}{{/state}}</h2>
        {{#meters}}<p class="progress"><span>{{label}}</span> <meter min="0" max="{{most}}" value="{{value}}">{{text}}</meter> <strong>{{text}}</strong></p>{{/meters}}{{#rule}}<p class="small">{{.}}</p>{{/rule}}
        {{> facts}}
        <div class="buttons">{{#actions}}<a class="button" href="{{address}}">{{text}}</a> {{/actions}}</div></section>
        {{/bans}}
        {{#table}}{{#isEmpty}}<p class="empty">{{empty}}</p>{{/isEmpty}}{{> pages}}{{/table}}
        {{/content}}{{/layout}}
        """)
}
