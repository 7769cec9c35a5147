import GatehouseCore
import GatehouseHTML
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
        let refusals = refusalTable(try await run(ListRefusals(of: user, limit: 5)), namesMember: false)
        let sessions = isGone ? nil : try await sessionTable(user)
        let devices = isGone ? nil : deviceTable(try await run(ListMemberDevices(of: user)))
        let bans = try await banTable(user)
        let notes = try await run(ListMemberNotes(user: user))
        let timeline = try await timeline(report)
        return show(page) {
            memberIndex
            section(.class("card")) {
                p(.class("verdict")) {
                    outcome.stopsFineMember ? Cell(verdict(outcome), badge: "bad") : memberState(member.status)
                    " \(memberSentence(report, outcome))"
                }
                Facts(memberFacts(report))
            }
            card("check.title", id: "can-log-in") {
                p(.class("verdict")) { Cell(verdict(outcome), badge: outcome.code == nil ? "good" : "bad") }
                checkTable(outcome)
            }
            card("refusal.last", id: "refusals") { refusals }
            card("identity.title", id: "identities") { identityTable(member) }
            card("session.title", id: "sessions") {
                if let sessions { self.sessions(sessions, of: user) } else { empty("session.none") }
                if let devices {
                    h2(.id("devices")) { words("devices.title") }
                    devices
                }
            }
            card("nav.transfer", id: "transfer") {
                if let transfer { Facts(transferFacts(transfer)) } else { empty("transfer.none") }
                Buttons(transferActions(member, transfer))
            }
            card("nav.bans", id: "bans") { bans }
            card("note.title", id: "notes") {
                for note in notes { self.note(note, of: user) }
                if notes.isEmpty { empty("note.none") }
                if member.status != .withdrawn, may(.support) { noteForm(user) }
            }
            card("timeline.title", id: "timeline") {
                choices(timelineFilters(user))
                filters(timelineRange, to: "\(request.uri.path)#timeline")
                timeline
            }
        }
    }

    private var memberIndex: HTML {
        let parts = ["can-log-in", "refusals", "identities", "sessions", "transfer", "bans", "notes", "timeline"]
        return nav(.class("index"), .ariaLabel(words("member.index.label"))) {
            ul {
                for part in parts { li { Link(words("member.index.\(part)"), "#\(part)") } }
            }
        }
    }

    @HTMLBuilder private func sessions(_ sessions: Table, of user: UserID) -> HTML {
        sessions
        if !sessions.rows.isEmpty, may(.support) {
            Buttons([Link(words("session.end-all"), deed("member.kicked-out", ["user": user.rawValue]))])
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

    private func checkTable(_ outcome: ExplainLogin.Outcome) -> Table {
        let rows = outcome.lines.map { line in
            var cells = [Cell(checkText(line)), Cell(words(line.code == nil ? "check.fine" : "check.stops"))]
            cells[1].badge = line.code == nil ? "good" : "bad"
            cells.append(Cell(line.code.map(named) ?? "–"))
            cells.append(line.until.map { .time($0, local) } ?? Cell("–"))
            cells.append(Cell(line.message ?? "–"))
            return TableRow(cells)
        }
        let columns = ["check.what", "check.finding", "check.code", "check.until", "check.reads"]
        return Table(words("check.title"), columns.map { words($0) }, rows, empty: "")
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
