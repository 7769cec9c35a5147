import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension PageRequest {
    func refusalLink(_ refusal: RefusedCall) -> String { address("refusals/\(FormValues.encoded(refusal.id))") }

    /// The refused calls of the last days: newest first, or counted by what they have in common.
    func refusalList() async throws -> Response {
        var page = Page(words("nav.refusals"), section: "refusals")
        page.isLive = true
        let provider = refusalFilter.provider.flatMap { try? app().providers[$0] == nil ? nil : $0 }
        if let provider {
            page.actions = [Link(providerLabel(provider.rawValue), providerAddress(provider))]
        }
        let table: Table
        let stopped: String?
        if let trait = refusalTrait {
            let outcome = try await run(GroupRefusals(refusalFilter, by: trait))
            table = refusalTable(outcome.groups, by: trait)
            stopped = self.stopped("refusal.stopped", at: outcome.stoppedAt)
        } else {
            let before = query["before"].map { Self.plain($0, limit: 64) }
            let outcome = try await run(SearchRefusals(refusalFilter, before: before, limit: rows))
            var list = refusalTable(outcome.found)
            if !refusalChips.isEmpty { list.empty = words("frame.nothing-matches") }
            table = paged(list, next: outcome.next, field: "before")
            stopped = self.stopped(at: outcome.stoppedAt?.date)
        }
        let fields = try refusalFields()
        return show(page, table) { table in
            p { stopped ?? words("refusal.intro") }
            quickRanges
            filters(fields, to: request.uri.path)
            removable(refusalChips)
            nav(.ariaLabel(words("refusal.groups"))) { choices(refusalViews) }
            table
        }
    }

    /// - Parameter namesMember: whether the table is not one member's own.
    func refusalTable(_ refusals: [RefusedCall], namesMember: Bool = true) -> Table {
        let columns = ["timeline.when", "refusal.code", "refusal.reason", "refusal.call", "identity.idp"]
        return Table(
            words("refusal.list"), (columns + (namesMember ? ["refusal.member"] : [])).map { words($0) },
            refusals.map { refusal in
                var cells: [Cell] = [
                    .time(refusal.date, local),
                    Cell(words.numbered(refusal.code), link: refusalLink(refusal)), reason(of: refusal),
                    call(of: refusal),
                    Cell(refusal.provider.map { providerLabel($0.rawValue) } ?? "–"),
                ]
                if namesMember {
                    cells.append(refusal.user.map { .code($0.rawValue, link: memberLink($0)) } ?? Cell("–"))
                }
                var row = TableRow(cells)
                row.place = refusal.id
                return row
            }, empty: words("refusal.none"))
    }

    /// What the table of errors says about a code. It is English; in another language the name of the code and what to do have to do.
    private func meaning(of refusal: RefusedCall) -> String? {
        guard let row = refusal.code.row else { return words("refusal.unknown-code") }
        return words.language == "en" ? row.meaning : nil
    }

    func reason(of refusal: RefusedCall) -> Cell {
        Cell(refusal.reason.map { words.optional("refusal.reason.\($0.rawValue)") ?? $0.rawValue } ?? "–")
    }

    func call(of refusal: RefusedCall) -> Cell { Cell(callName(Self.shortCall(refusal.call))) }

    /// Why one call was refused, and what to do.
    func refusalPage() async throws -> Response {
        guard let refusal = try await run(.refusal(Self.plain(segment("refusal"), limit: 64))) else {
            throw Refusal(.notSupported, words("refusal.over"), httpStatus: 404)
        }
        var page = Page(words("refusal.title", ["code": named(refusal.code)]), section: "refusals")
        page.crumbs = [Link(words("nav.refusals"), address("refusals"))]
        if let user = refusal.user {
            page.actions = [Link(words("refusal.open-member"), memberLink(user) + "#can-log-in", style: "primary")]
        }
        let subject = try await refusalSubject(refusal)
        return show(page) {
            section(.class("card")) {
                p(.class("verdict")) { Cell(named(refusal.code), badge: "bad", note: refusal.code.name) }
                if let meaning = meaning(of: refusal) { p { meaning } }
                h2 { words("refusal.what-to-do") }
                p { todo(refusal.code, refusal.reason) }
                Buttons(subject.actions)
                if let table = subject.table { table }
            }
            section(.class("card")) { Facts(refusalFacts(refusal)) }
        }
    }

    /// What an operator can do. The reason says more than the code, if there is one.
    func todo(_ code: ErrorCode, _ reason: ErrorReason? = nil) -> String {
        reason.flatMap { words.optional("refusal.todo.\($0.rawValue)") }
            ?? words.optional("refusal.todo.\(code.rawValue)") ?? words("refusal.todo")
    }

    private func refusalFacts(_ refusal: RefusedCall) -> [Fact] {
        var facts = [
            Fact(words("timeline.when"), .time(refusal.date, local)),
            Fact(
                words("refusal.member"),
                refusal.user.map { .code($0.rawValue, link: memberLink($0)) } ?? Cell(words("refusal.no-member"))),
            Fact(words("refusal.reason"), noting(reason(of: refusal), refusal.reason?.rawValue)),
            Fact(words("refusal.call"), noting(call(of: refusal), Self.shortCall(refusal.call))),
            Fact(words("identity.idp"), Cell(refusal.provider.map { providerLabel($0.rawValue) } ?? "–")),
        ]
        let client = refusal.device
        facts.append(Fact(words("session.device"), Cell(words.device(client))))
        facts.append(Fact(words("session.client"), Cell(version(client))))
        if let key = refusal.key {
            let link = seesSubjects ? finding(key.rawValue) : nil
            facts.append(Fact(words("refusal.key"), .code(subject(key.rawValue), link: link)))
        }
        facts.append(Fact(words("frame.transaction"), .code(refusal.transactionID)))
        return facts
    }

    /// A text with what developers call the same.
    private func noting(_ cell: Cell, _ name: String?) -> Cell {
        var cell = cell
        if cell.text != name { cell.note = name }
        return cell
    }

    static let systems = ["IOS", "AOS", "MACOS", "WINDOWS", "LINUX", "WEB", "TVOS", "VISIONOS", "WATCHOS"]

    func version(_ client: ClientInformation?) -> String {
        let parts = [
            client?.clientVersion.map { words("session.game", ["version": $0]) },
            client?.sdkVersion.map { "SDK \($0)" },
        ].compactMap { $0 }
        return parts.isEmpty ? "–" : parts.joined(separator: " · ")
    }
}

extension PageRequest {
    /// What a refused call is about besides its member, and where it leads.
    struct RefusalSubject {
        var table: Table?
        var actions: [Link] = []
    }

    /// The codes of which a provider, or its settings, is the reason.
    private static let providerCodes: Set<ErrorCode> = [
        .authNotSupportedProvider, ErrorCode(rawValue: 3201), ErrorCode(rawValue: 3202), ErrorCode(rawValue: 3301),
        ErrorCode(rawValue: 3304),
    ]

    func refusalSubject(_ refusal: RefusedCall) async throws -> RefusalSubject {
        switch refusal.code {
        case .authAddMappingAlreadyMappedToOtherMember: return try await conflict(of: refusal)
        case .bannedMember: return try await ban(of: refusal)
        case .authNotPlayable: return try rule(of: refusal)
        default:
            guard let provider = refusal.provider, provider != .guest, Self.providerCodes.contains(refusal.code) else {
                return RefusalSubject()
            }
            let text = words("refusal.provider", ["idp": providerLabel(provider.rawValue)])
            return RefusalSubject(actions: [Link(text, providerAddress(provider))])
        }
    }

    /// The member that has the identity, and those that had it.
    private func conflict(of refusal: RefusedCall) async throws -> RefusalSubject {
        guard let user = refusal.user, let provider = refusal.provider else { return RefusalSubject() }
        let parties = try await run(.mappingConflict(of: user, with: provider, at: refusal.date))
        guard !parties.isEmpty else { return RefusalSubject() }
        let table = Table(
            words("refusal.parties"), [words("members.id"), words("members.state"), words("find.by")],
            parties.map { party in
                // A row shows its first link, and has the others in a menu.
                let restore =
                    party.status == .missing ? offer(RestoreMember.self, ["user": party.user.rawValue]) : nil
                let compare =
                    party.user == user ? nil : Link(words("compare.link"), comparisonLink(party.user, with: user))
                let idp = providerLabel(provider.rawValue)
                let text =
                    party.until.map { words("find.by.formerIdentity", ["idp": idp, "date": local.absolute($0)]) }
                    ?? words("refusal.holder", ["idp": idp])
                return TableRow(
                    [.code(party.user.rawValue, link: memberLink(party.user)), memberState(party.status), Cell(text)],
                    actions: [restore, compare].compactMap(\.self))
            }, empty: ""
        ).wrapping
        return RefusalSubject(table: table)
    }

    private func ban(of refusal: RefusedCall) async throws -> RefusalSubject {
        guard let user = refusal.user, let ban = try await run(.banInForce(for: user, at: refusal.date)) else {
            return RefusalSubject()
        }
        let end = ban.endsAt.map { Cell.time($0, local) } ?? Cell(words("bans.for-good"))
        let fields = ["user": user.rawValue]
        let release = ban.release == nil && mayChange(ban) ? [offer(ReleaseBan.self, fields)].compactMap(\.self) : []
        let columns = ["bans.begun", "bans.ends", "bans.reason", "bans.by", "bans.released"]
        let row = TableRow(
            [
                .time(ban.beginsAt, local), end, Cell(ban.reason), Cell(ban.registeredBy),
                ban.release.map { .time($0.at, local) } ?? Cell("–"),
            ], actions: [Link(words("refusal.open-ban"), memberLink(user) + "#bans")] + release)
        return RefusalSubject(
            table: Table(words("refusal.ban"), columns.map { words($0) }, [row], empty: ""))
    }

    /// The rule by client that would refuse the same client now, or the service's status.
    private func rule(of refusal: RefusedCall) throws -> RefusalSubject {
        let app = try app()
        let launching = Link(words("nav.launching"), address("launching"))
        guard let client = refusal.device, let rule = app.clientRules.first(matching: client), !rule.status.isPlayable,
            let index = app.clientRules.firstIndex(where: { $0.id == rule.id })
        else { return RefusalSubject(actions: [launching]) }
        let change = offer(ChangeClientRule.self, ["rule": rule.id], text: words("client-rules.change"))
        let number = words("refusal.rule", ["number": String(index + 1)])
        let row = TableRow(
            [Cell(number, note: text(rule.clients)), statusCell(rule.status)],
            actions: [launching] + [change].compactMap(\.self))
        return RefusalSubject(
            table: Table(
                words("refusal.rules"), [words("client-rules.title"), words("members.state")], [row], empty: ""))
    }
}
