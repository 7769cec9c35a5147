import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Console {
    static func addMembers(to pages: Pages) {
        pages.app("/members") { visit in try await visit.memberList() }
        pages.app("/find") { visit in try await visit.found() }
        pages.app("/members/:user") { visit in try await visit.memberPage() }
    }
}

extension Visit {
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

    // MARK: List

    fileprivate func memberList() async throws -> Response {
        let status = query["status"].flatMap { Self.statuses.contains($0) ? MemberStatus($0) : nil }
        let rows = person.preferences.rows
        let after = query["after"].map { UserID(String($0.prefix(32))) }
        let members = try await run(ListMembers(status: status, after: after, limit: rows + 1))
        var table = Table(
            words("members.title"),
            [
                words("members.id"), words("members.state"), words("members.made"),
                words("members.last-login"),
            ],
            members.prefix(rows).map { member in
                TableRow([
                    .code(member.userId.rawValue, link: memberLink(member.userId)), memberState(member.status),
                    .time(Moment(milliseconds: member.registrationDate), local),
                    .time(Moment(milliseconds: member.lastLoginDate), local),
                ])
            }, empty: words(query.all.isEmpty ? "members.empty" : "frame.nothing-matches"))
        if members.count > rows, let last = members.dropLast().last {
            table.older = address(with: "after", last.userId.rawValue)
        }
        if after != nil { table.newer = address(with: "after", nil) }
        var page = Page(words("nav.members"), section: "members")
        page.values = [
            "table": table,
            "filters": [
                "fields": [
                    Field(
                        "status", words("members.state"),
                        .choice(
                            [Field.Option("", words("frame.all"))]
                                + Self.statuses.map { Field.Option($0, words("member.state.\($0)")) }),
                        value: status?.rawValue ?? "")
                ]
            ],
        ]
        return try await show(page, "list")
    }

    // MARK: Find

    fileprivate func found() async throws -> Response {
        let text = String((query["q"] ?? "").prefix(400))
        let id = text.uppercased().filter { !$0.isWhitespace }
        let isID = id.utf8.count == UserID.length && id.allSatisfy { UserID.alphabet.contains($0) }
        let subject = text.split(separator: ":", maxSplits: 1).last.map(String.init) ?? text
        var members: [Member] = []
        if isID { members = try await run(SearchMembers(text: id)) }
        if members.isEmpty, !text.isEmpty { members = try await run(SearchMembers(text: subject)) }
        if members.count == 1, let member = members.first { return Console.redirect(to: memberLink(member.userId)) }
        var page = Page(words("find.title", ["text": text]), section: "members")
        let empty = text.contains("@") ? "find.mail" : "find.empty"
        page.values["table"] = Table(
            words("members.title"), [words("members.id"), words("members.state")],
            members.map { TableRow([.code($0.userId.rawValue, link: memberLink($0.userId)), memberState($0.status)]) },
            empty: words(empty))
        return try await show(page, "list")
    }

    // MARK: One member

    fileprivate func memberPage() async throws -> Response {
        let user = UserID(segment("user"))
        let report = try await run(ReadMemberReport(user: user))
        let member = report.member
        var page = Page(user.rawValue, section: "members")
        page.crumbs = [Link(words("nav.members"), address("members"))]
        page.actions = memberActions(report)
        page.result = try await resultLine()
        page.values = [
            "state": memberState(member.status), "facts": memberFacts(report),
            "checks": try await loginChecks(user), "identities": identityTable(member),
            "timeline": try await timeline(user),
            "transfer": try await transferFacts(user), "bans": try await banTable(user),
        ]
        return try await show(page, "member")
    }

    private func memberActions(_ report: MemberReport) -> [Link] {
        let user = report.member.userId.rawValue
        let names: [(String, String?)] =
            switch report.member.status {
            case .banned: [("ban.released", "primary")]
            case .missing: [("member.restored", "primary")]
            case .withdrawn: []
            default: [("member.banned", nil), ("member.kicked-out", nil), ("member.withdrawn", "danger")]
            }
        return names.compactMap { name, style in
            guard let kind = console.deeds[name], role >= kind.role else { return nil }
            return Link(words("deed.\(name)"), deed(name, ["user": user]), style: style)
        }
    }

    private func memberFacts(_ report: MemberReport) -> [Fact] {
        let member = report.member
        var facts = [
            Fact(words("members.id"), .code(member.userId.rawValue)),
            Fact(words("members.state"), memberState(member.status)),
            Fact(words("members.made"), .time(Moment(milliseconds: member.registrationDate), local)),
            Fact(words("members.last-login"), .time(Moment(milliseconds: member.lastLoginDate), local)),
        ]
        if let ban = report.ban {
            facts.append(
                Fact(words("bans.ends"), ban.endsAt.map { .time($0, local) } ?? Cell(words("bans.for-good"))))
            facts.append(Fact(words("bans.reason"), Cell(ban.reason)))
        }
        if let withdrawal = member.temporaryWithdrawal {
            facts.append(
                Fact(
                    words("members.withdraws"), .time(Moment(milliseconds: withdrawal.gracePeriodDate), local)))
        }
        if let date = report.restorableUntilDate {
            facts.append(Fact(words("members.restorable"), .time(Moment(milliseconds: date), local)))
        }
        return facts
    }

    private func loginChecks(_ user: UserID) async throws -> [String: Any] {
        let outcome = try await run(ExplainLogin(user: user))
        let rows = outcome.lines.map { line in
            var cells = [Cell(checkText(line)), Cell(words(line.code == nil ? "check.fine" : "check.stops"))]
            cells[1].badge = line.code == nil ? "good" : "bad"
            cells.append(Cell(line.code.map { String($0.rawValue) } ?? "–"))
            cells.append(line.until.map { .time($0, local) } ?? Cell("–"))
            cells.append(Cell(line.message ?? "–"))
            return TableRow(cells)
        }
        let verdict =
            outcome.code.map { words("check.no", ["code": String($0.rawValue)]) } ?? words("check.yes")
        return [
            "verdict": Cell(verdict, badge: outcome.code == nil ? "good" : "bad"),
            "table": Table(
                words("check.title"),
                [
                    words("check.what"), words("check.finding"), words("check.code"), words("check.until"),
                    words("check.reads"),
                ],
                rows, empty: ""),
        ]
    }

    private func checkText(_ line: ExplainLogin.Line) -> String {
        switch line.subject {
        case .app(let status):
            words("check.app", ["status": words.optional("status.\(status.rawValue)") ?? "\(status.rawValue)"])
        case .member(let status): words("check.member", ["status": memberState(status).text])
        case .identity(let provider):
            words(line.until == nil ? "check.identity" : "check.identity-revoked", ["idp": provider.rawValue])
        case .noIdentity: words("check.no-identity")
        }
    }

    private func identityTable(_ member: Member) -> Table {
        Table(
            words("identity.title"), [words("identity.idp"), words("identity.subject"), words("identity.since")],
            member.mappings.map { mapping in
                TableRow([
                    Cell(mapping.provider.rawValue), .code(subject(mapping.subject)),
                    .time(Moment(milliseconds: mapping.registrationDate), local),
                ])
            }, empty: words("identity.empty"))
    }

    /// A subject as this person may see it.
    func subject(_ subject: String) -> String { seesSubjects ? subject : "\(subject.prefix(4))…" }

    private func transferFacts(_ user: UserID) async throws -> [Fact] {
        guard let report = try await run(ReadTransferReport(user: user)) else { return [] }
        return [
            Fact(words("transfer.id"), .code(seesSubjects ? report.account.id : "\(report.account.id.prefix(2))…")),
            Fact(words("transfer.failed"), Cell(String(report.failedAttempts))),
            Fact(words("transfer.blocked"), report.blockedUntil.map { .time($0, local) } ?? Cell("–")),
        ]
    }

    private func banTable(_ user: UserID) async throws -> Table {
        let bans = try await run(ListBansOfMember(user: user))
        return Table(
            words("nav.bans"),
            [words("bans.begun"), words("bans.ends"), words("bans.reason"), words("bans.by"), words("bans.released")],
            bans.map { ban in
                TableRow([
                    .time(ban.beginsAt, local), ban.endsAt.map { .time($0, local) } ?? Cell(words("bans.for-good")),
                    Cell(ban.reason), Cell(ban.registeredBy),
                    ban.release.map { .time($0.at, local) } ?? Cell("–"),
                ])
            }, empty: words("bans.none"))
    }

    private func timeline(_ user: UserID) async throws -> Table {
        let entries = try await run(ReadHistory(user: user)).reversed().prefix(200)
        return Table(
            words("timeline.title"),
            [words("timeline.when"), words("timeline.what"), words("timeline.who"), words("timeline.why")],
            entries.map { entry in
                TableRow(
                    [
                        .time(Moment(milliseconds: entry.date), local), Cell(sentence(of: entry)),
                        Cell(
                            words.optional("actor.\(entry.origin.actor.rawValue)") ?? entry.origin.actor.rawValue,
                            note: [entry.origin.name, words.optional("door.\(entry.origin.door.rawValue)")]
                                .compactMap { $0 }.joined(separator: " · ")),
                        Cell(entry.origin.reason ?? "–"),
                    ], actions: undoLinks(of: entry))
            }, empty: words("timeline.empty"))
    }

    private func sentence(of entry: LedgerEntry) -> String {
        var values = entry.details
        for (name, value) in entry.details where name.hasSuffix("Date") {
            if let date = Int64(value) { values[name] = local.absolute(Moment(milliseconds: date)) }
        }
        return words.optional("event.\(entry.event.rawValue)", values) ?? entry.event.rawValue
    }

    /// What one step back is for an entry. The deed's own page says whether it is still possible.
    private func undoLinks(of entry: LedgerEntry) -> [Link] {
        let name: String? =
            switch entry.event.rawValue {
            case "member.banned": "ban.released"
            case "member.frozen": "member.restored"
            default: nil
            }
        guard let name, let kind = console.deeds[name], role >= kind.role else { return [] }
        return [Link(words("deed.undo"), deed(name, ["user": entry.user.rawValue]))]
    }
}

extension Console {
    static let memberTemplate = Template(
        "member",
        """
        {{<layout}}{{$content}}
        <section class="card">{{> facts}}</section>
        {{#checks}}<section class="card" id="can-log-in"><h2>{{t.check.title}}</h2><p class="verdict">{{#verdict}}{{> cell}}{{/verdict}}</p>{{#table}}{{> table}}{{/table}}</section>{{/checks}}
        <section class="card" id="identities"><h2>{{t.identity.title}}</h2>{{#identities}}{{> table}}{{/identities}}</section>
        <section class="card" id="transfer"><h2>{{t.nav.transfer}}</h2><dl class="facts">{{#transfer}}<dt>{{label}}</dt><dd>{{#value}}{{> cell}}{{/value}}</dd>{{/transfer}}</dl>{{^transfer}}<p class="empty">{{t.transfer.none}}</p>{{/transfer}}</section>
        <section class="card" id="bans"><h2>{{t.nav.bans}}</h2>{{#bans}}{{> table}}{{/bans}}</section>
        <section class="card" id="timeline"><h2>{{t.timeline.title}}</h2>{{#timeline}}{{> table}}{{/timeline}}</section>
        {{/content}}{{/layout}}
        """)
}
