import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Visit {
    func refusalLink(_ refusal: RefusedCall) -> String { address("refusals/\(FormValues.encoded(refusal.id))") }

    /// The refused calls of the last days, newest first.
    func refusalList() async throws -> Response {
        let rows = person.preferences.rows
        let before = query["before"].map { Self.plain($0, limit: 64) }
        let refusals = try await run(ListRefusals(before: before, limit: rows + 1))
        var table = refusalTable(Array(refusals.prefix(rows)))
        table.pager = pager(next: refusals.count > rows ? refusals.dropLast().last?.id : nil, field: "before")
        var page = Page(words("refusal.list"), section: "members")
        page.crumbs = [Link(words("nav.members"), address("members"))]
        return showList(page, table, intro: words("refusal.intro"))
    }

    /// - Parameter namesMember: whether the table is not one member's own.
    func refusalTable(_ refusals: [RefusedCall], namesMember: Bool = true) -> Table {
        let columns = ["timeline.when", "refusal.code", "refusal.reason", "refusal.call", "identity.idp"]
        return Table(
            words("refusal.list"), (columns + (namesMember ? ["refusal.member"] : [])).map { words($0) },
            refusals.map { refusal in
                var cells: [Cell] = [
                    .time(refusal.date, local),
                    Cell(named(refusal.code), link: refusalLink(refusal)), reason(of: refusal), call(of: refusal),
                    Cell(refusal.provider.map { providerLabel($0.rawValue) } ?? "–"),
                ]
                if namesMember {
                    cells.append(refusal.user.map { .code($0.rawValue, link: memberLink($0)) } ?? Cell("–"))
                }
                return TableRow(cells)
            }, empty: words("refusal.none"))
    }

    /// What the table of errors says about a code. It is English; in another language the name of the code and what to do have to do.
    private func meaning(of refusal: RefusedCall) -> String? {
        guard let row = refusal.code.row else { return words("refusal.unknown-code") }
        return words.language == "en" ? row.meaning : nil
    }

    private func reason(of refusal: RefusedCall) -> Cell {
        Cell(refusal.reason.map { words.optional("refusal.reason.\($0.rawValue)") ?? $0.rawValue } ?? "–")
    }

    private func call(of refusal: RefusedCall) -> Cell {
        let call = shortCall(refusal)
        return Cell(words.optional("call.\(call.substituting("/", by: "."))") ?? call)
    }

    /// The end of an endpoint's path, which says what was called.
    private func shortCall(_ refusal: RefusedCall) -> String {
        let path = refusal.call.parts(at: "/")
        return path.drop { ["v1", "apps"].contains($0) || $0.begins(with: "{") || $0.begins(with: ":") }.joined(
            separator: "/")
    }

    /// Why one call was refused, and what to do.
    func refusalPage() async throws -> Response {
        guard let refusal = try await run(ReadRefusal(id: Self.plain(segment("refusal"), limit: 64))) else {
            throw Refusal(.notSupported, words("refusal.over"), httpStatus: 404)
        }
        var page = Page(words("refusal.title", ["code": named(refusal.code)]), section: "members")
        page.crumbs = [
            Link(words("nav.members"), address("members")), Link(words("refusal.list"), address("refusals")),
        ]
        if let user = refusal.user {
            page.actions = [Link(words("refusal.open-member"), memberLink(user) + "#can-log-in", style: "primary")]
        }
        return show(page) {
            section(.class("card")) {
                p(.class("verdict")) { Cell(named(refusal.code), badge: "bad", note: refusal.code.name) }
                if let meaning = meaning(of: refusal) { p { meaning } }
                h2 { words("refusal.what-to-do") }
                p { todo(refusal) }
            }
            section(.class("card")) { Facts(refusalFacts(refusal)) }
        }
    }

    /// What an operator can do. The reason says more than the code, if there is one.
    private func todo(_ refusal: RefusedCall) -> String {
        refusal.reason.flatMap { words.optional("refusal.todo.\($0.rawValue)") }
            ?? words.optional("refusal.todo.\(refusal.code.rawValue)") ?? words("refusal.todo")
    }

    private func refusalFacts(_ refusal: RefusedCall) -> [Fact] {
        var facts = [
            Fact(words("timeline.when"), .time(refusal.date, local)),
            Fact(
                words("refusal.member"),
                refusal.user.map { .code($0.rawValue, link: memberLink($0)) } ?? Cell(words("refusal.no-member"))),
            Fact(words("refusal.reason"), noting(reason(of: refusal), refusal.reason?.rawValue)),
            Fact(words("refusal.call"), noting(call(of: refusal), shortCall(refusal))),
            Fact(words("identity.idp"), Cell(refusal.provider.map { providerLabel($0.rawValue) } ?? "–")),
        ]
        let client = refusal.client.flatMap { ClientInformation(headerValue: $0) }
        facts.append(Fact(words("session.device"), Cell(Self.device(client))))
        facts.append(Fact(words("session.client"), Cell(version(client))))
        if let key = refusal.key {
            let link = seesSubjects ? address("find") + "?q=\(FormValues.encoded(key.rawValue))" : nil
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

    /// A device as its player would describe it.
    static func device(_ client: ClientInformation?) -> String {
        let system = [client?.osCode.map(system), client?.osVersion].compactMap { $0 }.joined(separator: " ")
        let parts = [client?.deviceModel, system.isEmpty ? nil : system, client?.deviceCountryCode].compactMap { $0 }
        return parts.isEmpty ? "–" : parts.joined(separator: " · ")
    }

    static func device(_ session: DeviceSession) -> String {
        let system = [session.platformName.map(system), session.osVersion].compactMap { $0 }.joined(separator: " ")
        let parts = [session.deviceModel, system.isEmpty ? nil : system].compactMap { $0 }
        return parts.isEmpty ? "–" : parts.joined(separator: " · ")
    }

    /// The usual name of a system that a client names by a code.
    private static func system(_ code: String) -> String { systems[code.uppercased()] ?? code }

    private static let systems = [
        "IOS": "iOS", "AOS": "Android", "MACOS": "macOS", "WINDOWS": "Windows", "LINUX": "Linux", "WEB": "Web",
        "TVOS": "tvOS", "VISIONOS": "visionOS", "WATCHOS": "watchOS",
    ]

    func version(_ client: ClientInformation?) -> String {
        let parts = [
            client?.clientVersion.map { words("session.game", ["version": $0]) },
            client?.sdkVersion.map { "SDK \($0)" },
        ].compactMap { $0 }
        return parts.isEmpty ? "–" : parts.joined(separator: " · ")
    }
}
