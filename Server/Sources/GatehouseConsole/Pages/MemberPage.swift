import GatehouseCore
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Hummingbird

extension Visit {
    /// Everything about one member, on one page.
    func memberPage() async throws -> Response {
        let user = UserID(Self.plain(segment("user"), limit: 64))
        let report = try await run(ReadMemberReport(user: user))
        let member = report.member
        var page = Page(user.rawValue, section: "members")
        page.help = "a-member"
        page.crumbs = [Link(words("nav.members"), address("members"))]
        page.actions = memberActions(report)
        page.result = try await resultLine()
        let isGone = [.withdrawn, .missing].contains(member.status)
        let transfer = isGone ? nil : try await run(ReadTransferReport(user: user))
        let outcome = try await run(ExplainLogin(user: user))
        page.values = [
            "state": outcome.stopsFineMember ? Cell(verdict(outcome), badge: "bad") : memberState(member.status),
            "sentence": memberSentence(report, outcome), "facts": memberFacts(report),
            "index": memberIndex(), "checks": loginChecks(outcome),
            "refusals": refusalTable(try await run(ListRefusals(of: user, limit: 5)), namesMember: false),
            "identities": identityTable(member), "hasTransfer": transfer != nil, "transfer": transferFacts(transfer),
            "transferActions": transferActions(member, transfer),
            "hasTransferActions": !transferActions(member, transfer).isEmpty, "bans": try await banTable(user),
            "notes": try await noteList(user), "timeline": try await timeline(report),
            "timelineFilters": timelineFilters(user), "timelineRange": timelineRange, "by": query["by"] ?? false,
        ]
        if !isGone {
            page.values["sessions"] = try await sessionTable(user)
            page.values["devices"] = deviceTable(try await run(ListMemberDevices(of: user)))
        }
        if !isGone, may(.support) { page.values["endAll"] = deed("member.kicked-out", ["user": user.rawValue]) }
        if member.status != .withdrawn, may(.support) {
            page.values["noteForm"] =
                [
                    "action": address("do/member.noted"), "user": user.rawValue,
                    "once": Base64URL.encode(console.random.bytes(16)),
                    "field": Field(
                        "text", words("note.new"), .lines, help: words("note.help"), isRequired: true,
                        limit: MemberNote.maximumLength),
                ] as [String: Any]
        }
        return try await show(page, "member")
    }

    private func memberIndex() -> [Link] {
        ["can-log-in", "refusals", "identities", "sessions", "transfer", "bans", "notes", "timeline"].map {
            Link(words("member.index.\($0)"), "#\($0)")
        }
    }

    private func memberActions(_ report: MemberReport) -> [Link] {
        let user = report.member.userId.rawValue
        var names: [(String, String?)] =
            switch report.member.status {
            case .banned:
                report.ban.map(mayChange) == true ? [("ban.released", "primary"), ("ban.changed", nil)] : []
            case .missing: report.formerProviders.isEmpty ? [] : [("member.restored", "primary")]
            case .withdrawn: []
            case .pendingWithdrawal:
                [("withdrawal.cancelled", "primary"), ("member.banned", nil), ("member.kicked-out", nil)]
            default: [("member.banned", nil), ("member.kicked-out", nil)]
            }
        if report.member.status != .withdrawn { names.append(("member.withdrawn", "danger")) }
        let links = names.compactMap { name, style in offer(name, ["user": user], style: style) }
        let pages = [
            Link(words("compare.link"), comparisonLink(report.member.userId)),
            may(.support) ? Link(words("member.as-text"), "\(memberLink(report.member.userId))/text") : nil,
        ]
        return links + pages.compactMap { $0 }
    }

    /// The member's state as a sentence. What keeps a member out whose account is in order comes first.
    func memberSentence(_ report: MemberReport, _ outcome: ExplainLogin.Outcome) -> String {
        let member = report.member
        if outcome.stopsFineMember, let line = outcome.lines.first(where: { $0.code == outcome.code }) {
            return words("member.sentence.stopped", ["why": checkText(line)])
        }
        func until(_ moment: Moment) -> [String: String] {
            ["end": local.absolute(moment), "left": local.relative(moment)]
        }
        if member.status == .banned, let ban = report.ban {
            guard let end = ban.endsAt else { return words("member.sentence.banned-for-good", ["reason": ban.reason]) }
            return words("member.sentence.banned", until(end).merging(["reason": ban.reason]) { $1 })
        }
        if let withdrawal = member.temporaryWithdrawal {
            return words("member.sentence.T", until(Moment(milliseconds: withdrawal.gracePeriodDate)))
        }
        if member.status == .missing, let date = report.restorableUntilDate {
            let moment = Moment(milliseconds: date)
            return words(self.moment < moment ? "member.sentence.M" : "member.sentence.M-over", until(moment))
        }
        return words.optional("member.sentence.\(member.status.rawValue)") ?? memberState(member.status).text
    }

    private func memberFacts(_ report: MemberReport) -> [Fact] {
        let member = report.member
        return [
            Fact(words("members.id"), .code(member.userId.rawValue)),
            Fact(words("members.made"), .time(Moment(milliseconds: member.registrationDate), local)),
            Fact(words("members.last-login"), .time(Moment(milliseconds: member.lastLoginDate), local)),
        ]
    }

    // MARK: Can they log in?

    private func loginChecks(_ outcome: ExplainLogin.Outcome) -> [String: Any] {
        let rows = outcome.lines.map { line in
            var cells = [Cell(checkText(line)), Cell(words(line.code == nil ? "check.fine" : "check.stops"))]
            cells[1].badge = line.code == nil ? "good" : "bad"
            cells.append(Cell(line.code.map(named) ?? "–"))
            cells.append(line.until.map { .time($0, local) } ?? Cell("–"))
            cells.append(Cell(line.message ?? "–"))
            return TableRow(cells)
        }
        return [
            "verdict": Cell(verdict(outcome), badge: outcome.code == nil ? "good" : "bad"),
            "table": Table(
                words("check.title"),
                [
                    words("check.what"), words("check.finding"), words("check.code"), words("check.until"),
                    words("check.reads"),
                ],
                rows, empty: ""),
        ]
    }

    func verdict(_ outcome: ExplainLogin.Outcome) -> String {
        outcome.code.map { words("check.no", ["code": named($0)]) } ?? words("check.yes")
    }

    func checkText(_ line: ExplainLogin.Line) -> String {
        switch line.subject {
        case .app(let status):
            words("check.app", ["status": words.optional("status.\(status.rawValue)") ?? "\(status.rawValue)"])
        case .member(let status): words("check.member", ["status": memberState(status).text])
        case .identity(let provider):
            words(
                line.code != nil
                    ? "check.identity-closed" : line.until == nil ? "check.identity" : "check.identity-revoked",
                ["idp": providerLabel(provider.rawValue)])
        case .noIdentity: words("check.no-identity")
        }
    }
}

extension ExplainLogin.Outcome {
    /// Whether the login fails although nothing is wrong with the member.
    fileprivate var stopsFineMember: Bool { code != nil && lines.contains { $0.subject == .member(.normal) } }
}

extension Console {
    static let memberTemplate = Template(
        "member",
        """
        {{<layout}}{{$content}}
        <nav class="index" aria-label="{{t.member.index.label}}"><ul>{{#index}}<li><a href="{{address}}">{{text}}</a></li>{{/index}}</ul></nav>
        <section class="card"><p class="verdict">{{#state}}{{> cell}}{{/state}} {{sentence}}</p>{{> facts}}</section>
        {{#checks}}<section class="card" id="can-log-in"><h2>{{t.check.title}}</h2><p class="verdict">{{#verdict}}{{> cell}}{{/verdict}}</p>{{#table}}{{> table}}{{/table}}</section>{{/checks}}
        <section class="card" id="refusals"><h2>{{t.refusal.last}}</h2>{{#refusals}}{{> table}}{{/refusals}}</section>
        <section class="card" id="identities"><h2>{{t.identity.title}}</h2>{{#identities}}{{> table}}{{/identities}}</section>
        <section class="card" id="sessions"><h2>{{t.session.title}}</h2>{{#sessions}}{{> table}}{{#hasRows}}{{#endAll}}<div class="buttons"><a class="button" href="{{.}}">{{t.session.end-all}}</a></div>{{/endAll}}{{/hasRows}}{{/sessions}}{{^sessions}}<p class="empty">{{t.session.none}}</p>{{/sessions}}{{#devices}}<h2 id="devices">{{t.devices.title}}</h2>{{> table}}{{/devices}}</section>
        <section class="card" id="transfer"><h2>{{t.nav.transfer}}</h2>{{^transfer}}<p class="empty">{{t.transfer.none}}</p>{{/transfer}}{{#hasTransfer}}<dl class="facts">{{#transfer}}<dt>{{label}}</dt><dd>{{#value}}{{> cell}}{{/value}}</dd>{{/transfer}}</dl>{{/hasTransfer}}{{#hasTransferActions}}<div class="buttons">{{#transferActions}}<a class="button{{#style}} {{.}}{{/style}}" href="{{address}}">{{text}}</a>{{/transferActions}}</div>{{/hasTransferActions}}</section>
        <section class="card" id="bans"><h2>{{t.nav.bans}}</h2>{{#bans}}{{> table}}{{/bans}}</section>
        <section class="card" id="notes"><h2>{{t.note.title}}</h2>{{#notes}}
        {{> note}}
        {{/notes}}{{^notes}}<p class="empty">{{t.note.none}}</p>{{/notes}}
        {{#noteForm}}<form method="post" action="{{action}}"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="user" value="{{user}}"><input type="hidden" name="once" value="{{once}}">
        {{#field}}
        {{> field}}
        {{/field}}
        <div class="buttons"><button>{{t.note.add}}</button></div></form>{{/noteForm}}</section>
        <section class="card" id="timeline"><h2>{{t.timeline.title}}</h2><ul class="chips">{{#timelineFilters}}<li><a href="{{address}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}>{{text}}</a></li>{{/timelineFilters}}</ul><form class="filters" method="get" action="{{path}}#timeline">{{#by}}<input type="hidden" name="by" value="{{.}}">{{/by}}{{#timelineRange}}
        {{> field}}
        {{/timelineRange}}<button>{{t.frame.filter}}</button></form>{{#timeline}}{{> table}}{{/timeline}}</section>
        {{/content}}{{/layout}}
        """)

    /// A note with its earlier texts, and with what support can do with it.
    static let noteTemplate = Template(
        "note",
        """
        <article class="note"><p class="small">{{#isPinned}}<span class="badge plain">{{t.note.pinned}}</span> {{/isPinned}}<bdi>{{author}}</bdi> · {{#time}}{{> cell}}{{/time}}{{#edited}} · {{t.note.edited}} <bdi>{{editor}}</bdi> {{#editedAt}}{{> cell}}{{/editedAt}}{{/edited}}</p>{{#lines}}<p><bdi>{{.}}</bdi></p>{{/lines}}
        {{#hasEarlier}}<details><summary>{{t.note.earlier}}</summary>{{#earlier}}<div class="earlier"><p class="small"><bdi>{{by}}</bdi> · {{#at}}{{> cell}}{{/at}}</p>{{#texts}}<p><bdi>{{.}}</bdi></p>{{/texts}}</div>{{/earlier}}</details>{{/hasEarlier}}
        {{#change}}<details><summary>{{t.note.change}}</summary><form method="post" action="{{action}}"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="user" value="{{user}}"><input type="hidden" name="note" value="{{note}}"><input type="hidden" name="once" value="{{once}}">
        {{#field}}
        {{> field}}
        {{/field}}
        <div class="buttons"><button>{{t.note.save}}</button></div></form></details>
        <form class="inline" method="post" action="{{pin}}"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="user" value="{{user}}"><input type="hidden" name="note" value="{{note}}"><input type="hidden" name="once" value="{{pinOnce}}"><input type="hidden" name="pinned" value="{{pinned}}"><button>{{pinText}}</button></form>{{/change}}</article>
        """)
}
