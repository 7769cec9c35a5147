import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
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
        guard let refusal = try await run(ReadRefusal(id: Self.plain(segment("refusal"), limit: 64))) else {
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
