import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import Hummingbird

extension PageRequest {
    /// Everything about one member: who it is and what can be done on one side, everything that happened on the other.
    func memberPage() async throws -> Response {
        let user = UserID(Self.plain(segment("user"), limit: 64))
        let report = try await run(.memberReport(of: user))
        let member = report.member
        var page = Page(user.rawValue, section: "members")
        page.help = "a-member"
        page.crumbs = [Link(words("nav.members"), address("members"))]
        page.result = try await resultLine()
        page.isLive = true
        page.others = try others(at: user)
        let isGone = [.withdrawn, .missing].contains(member.status)
        let outcome = try await run(ExplainLogin(user: user))
        let known = try await run(ReadMemberCard(of: user))
        let transfer = isGone ? nil : try await run(.transferReport(of: user))
        let sessions = isGone ? [] : try await sessions(of: user)
        let devices = isGone ? [] : try await run(.devices(of: user))
        let stream = try await stream(report)
        let replies = may(.support) ? try await replies(to: report, devices) : HTML()
        return show(page) {
            for move in known.moves { banner(move, on: user) }
            div(.class("desk")) {
                section(.class("card who"), .ariaLabel(words("member.who"))) {
                    p(.class("verdict")) {
                        outcome.stopsFineMember ? Cell(verdict(outcome), badge: "bad") : memberState(member.status)
                        " \(memberSentence(report, outcome))"
                    }
                    p(.class("to-copy")) {
                        code(Attribute("data-copy", words("provider.copy"))) { user.rawValue }
                    }
                    MemberActions(links: memberActions(report), more: words("member.more"))
                    check(outcome)
                    identities(member)
                    legacyList(known.legacy)
                    Facts(memberFacts(report, devices, tickets: known.tickets))
                    pinned(known.pinned, of: user)
                    sessionList(sessions, of: user)
                    deviceList(devices)
                    transferFacts(member, transfer)
                    banList(known.bans)
                    nothing(sessions.isEmpty, transfer == nil, known.bans.isEmpty, member)
                }
                div {
                    div(.id("notes")) {
                        if member.status != .withdrawn, may(.support) { noteForm(user) }
                        replies
                    }
                    card("timeline.title", id: "timeline") {
                        streamFilters(user)
                        stream
                    }
                }
            }
        }
    }

    /// What can be done, in the order of the page: first what the member's state asks for, and last what can't be undone.
    private func memberActions(_ report: MemberReport) -> [Link] {
        let user = report.member.userId
        let actor = Actor.operator(person, as: role)
        func links(_ emphasis: OperatorActionEmphasis) -> [Link] {
            OperatorActions.all.filter { $0.emphasis(on: report, for: actor) == emphasis }
                .compactMap { offer($0, ["user": user.rawValue], style: emphasis.style) }
        }
        let pages = [
            Link(words("compare.link"), comparisonLink(user)),
            may(.support) ? Link(words("member.as-text"), "\(memberLink(user))/text") : nil,
        ]
        return links(.primary) + links(.plain) + pages.compactMap { $0 } + links(.danger)
    }

    /// What an identity did that has lately moved between two members, and what undoes it.
    private func banner(_ move: IdentityMove, on user: UserID) -> HTML {
        let (isHere, other) = (move.holder == user, move.holder == user ? move.former : move.holder)
        let values = ["idp": providerLabel(move.provider.rawValue), "left": local.relative(move.date), "user": "\u{1}"]
        let parts = words(isHere ? "member.move.here" : "member.move.away", values).parts(
            at: "\u{1}", atMost: 2, withEmpty: true)
        var links = [Link(words("member.move.compare"), comparisonLink(user, with: other))]
        let back = words("member.move.back")
        // It can be changed before it is sent.
        let reason = words("member.move.reason")
        switch move.wayBack {
        case .restoration?:
            links.insert(
                contentsOf: [
                    offer(
                        RestoreMember.self, ["user": move.former.rawValue, "reason": reason], style: "primary",
                        text: back)
                ]
                .compactMap { $0 }, at: 0)
        case .move?:
            let fields = [
                "user": move.holder.rawValue, "idp": move.provider.rawValue, "to": move.former.rawValue,
                "reason": reason,
            ]
            links.insert(
                contentsOf: [offer(MoveMemberMapping.self, fields, style: "primary", text: back)].compactMap { $0 },
                at: 0)
        case nil: break
        }
        return div(.class("notice warn move")) {
            p {
                String(parts.first ?? "")
                Cell.code(other.rawValue, link: memberLink(other))
                String(parts.dropFirst().first ?? "")
            }
            Buttons(links)
        }
    }

    /// The member's state as a sentence. What keeps a member out whose account is in order comes first.
    func memberSentence(_ report: MemberReport, _ outcome: ExplainLogin.Outcome) -> String {
        let member = report.member
        if outcome.stopsFineMember, let line = outcome.lines.first(where: { $0.code == outcome.code }) {
            return words("member.sentence.stopped", ["why": text(line.sentence)])
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

    private func memberFacts(_ report: MemberReport, _ devices: [MemberDevice], tickets: [String]) -> [Fact] {
        let member = report.member
        var facts = [
            Fact(words("members.made"), .time(Moment(milliseconds: member.registrationDate), local)),
            Fact(words("members.last-login"), .time(Moment(milliseconds: member.lastLoginDate), local)),
        ]
        if let country = devices.lazy.compactMap({ $0.client?.deviceCountryCode }).first {
            facts.append(Fact(words("member.country"), Cell(country)))
        }
        if !tickets.isEmpty { facts.append(Fact(words("member.tickets"), ticketLinks(tickets))) }
        return facts
    }

    // MARK: Can they log in?

    /// The answer, with what was looked at. If the answer is yes, that is folded.
    private func check(_ outcome: ExplainLogin.Outcome) -> HTML {
        div(.id("can-log-in")) {
            h2 { words("check.title") }
            p(.class("verdict")) { Cell(verdict(outcome), badge: outcome.code == nil ? "good" : "bad") }
            details(.open(if: outcome.code != nil)) {
                summary { words("check.what") }
                ul(.class("lines")) {
                    for line in outcome.lines { li { checked(line) } }
                }
            }
        }
    }

    @HTMLBuilder private func checked(_ line: ExplainLogin.Line) -> HTML {
        Cell(words(line.code == nil ? "check.fine" : "check.stops"), badge: line.code == nil ? "good" : "bad")
        " \(text(line.sentence))"
        if let code = line.code { p { "\(words("check.code")): \(named(code))" } }
        if let until = line.until {
            p {
                "\(words("check.until")) "
                Cell.time(until, local)
            }
        }
        if let message = line.message {
            p {
                "\(words("check.reads")): "
                bdi { message }
            }
        }
    }

    func verdict(_ outcome: ExplainLogin.Outcome) -> String {
        outcome.code.map { words("check.no", ["code": named($0)]) } ?? words("check.yes")
    }
}

extension ExplainLogin.Outcome {
    /// Whether the login fails although nothing is wrong with the member.
    fileprivate var stopsFineMember: Bool { code != nil && lines.contains { $0.subject == .member(.normal) } }
}

extension OperatorActionEmphasis {
    fileprivate var style: String? {
        switch self {
        case .primary: "primary"
        case .plain: nil
        case .danger: "danger"
        }
    }
}

/// What can be done with a member: the first action as a button, and the others in a menu that opens below it.
struct MemberActions: HTMLPart, Markup {
    let links: [Link]
    /// What the menu is called.
    let more: String

    @HTMLBuilder var html: HTML {
        if let first = links.first {
            div(.class("buttons")) { first.button }
            if links.count > 1 {
                details(.class("more")) {
                    summary { more }
                    ul {
                        for link in links.dropFirst() {
                            li { a(.class(link.style), .href(link.address)) { link.text } }
                        }
                    }
                }
            }
        }
    }
}

extension PageRequest {
    /// What a list shows of a member beside its link: labels with their values, as a card that the script lays over the list.
    func memberCard() async throws -> Response {
        let user = UserID(Self.plain(segment("user"), limit: 64))
        let member = try await run(.memberReport(of: user)).member
        let country = try await run(.devices(of: user)).lazy.compactMap(\.client?.deviceCountryCode).first
        let providers = member.mappings.map(\.provider)
        let login = Moment(milliseconds: member.lastLoginDate)
        let facts = [
            ("id", user.rawValue), ("state", memberState(member.status).text),
            ("providers", providers.isEmpty ? "–" : providerLabels(providers)),
            ("last-login", "\(local.relative(login)) · \(local.absolute(login))"), ("country", country ?? "–"),
        ]
        return Console.html(
            dl(.class("facts peek"), Attribute("popover", "manual")) {
                for (name, value) in facts {
                    dt { words("members.\(name)") }
                    dd { bdi { value } }
                }
            })
    }
}

extension PageRequest {
    /// What stands on a member's page as plain text, to be copied into a ticket. It has no subjects, no keys of devices and no notes.
    func memberText() async throws -> Response {
        let user = UserID(Self.plain(segment("user"), limit: 64))
        let report = try await run(.memberReport(of: user))
        let member = report.member
        let outcome = try await run(ExplainLogin(user: user))
        var lines = [
            "\(words("members.id")): \(user)", "\(words("members.state")): \(memberState(member.status).text)",
            memberSentence(report, outcome),
            "\(words("members.made")): \(local.absolute(Moment(milliseconds: member.registrationDate)))",
            "\(words("members.last-login")): \(local.absolute(Moment(milliseconds: member.lastLoginDate)))",
        ]
        lines += ["", "\(words("check.title")) \(verdict(outcome))"]
        lines += outcome.lines.map { line in
            let code = line.code.map { ": \(named($0))" } ?? ""
            return "- \(text(line.sentence)): \(words(line.code == nil ? "check.fine" : "check.stops"))\(code)"
        }
        lines += ["", words("identity.title")]
        lines += member.mappings.map { mapping in
            "- \(providerLabel(mapping.provider.rawValue)) · \(local.absolute(Moment(milliseconds: mapping.registrationDate)))"
        }
        if ![.withdrawn, .missing].contains(member.status) {
            let list = try await run(ListMemberSessions(request: MemberSessionsRequest(userId: user, after: nil)))
            lines += ["", words("session.title")]
            lines += list.sessions.map { session in
                let used = local.absolute(Moment(milliseconds: session.lastUsedDate))
                return
                    "- \(words.device(session)) · \(providerLabel(session.provider.rawValue)) · \(session.clientVersion ?? "–") · \(used)"
            }
        }
        lines += ["", words("nav.bans")]
        lines += try await run(.bans(of: user)).map { ban in
            let end = ban.endsAt.map { local.absolute($0) } ?? words("bans.for-good")
            return "- \(local.absolute(ban.beginsAt)) – \(end) · \(ban.reason)"
        }
        lines += ["", words("timeline.title")]
        lines += try await run(ReadMemberStream(of: user, limit: 50)).compactMap { entry in
            let time = local.absolute(entry.date)
            switch entry {
            case .event(let event):
                let reason = event.origin.reason.map { " · \($0)" } ?? ""
                return "- \(time) · \(what(event, report).text) · \(who(event).text)\(reason)"
            case .refusal(let refusal):
                return "- \(time) · \(named(refusal.code)) · \(call(of: refusal).text)"
            case .note: return nil
            }
        }
        return plainText(lines)
    }

    private func plainText(_ lines: [String]) -> Response {
        let text = lines.map { VisibleText.escaping($0) }.joined(separator: "\n") + "\n"
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
