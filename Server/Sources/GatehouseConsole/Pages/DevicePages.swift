import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension PageRequest {
    func deviceLink(_ key: KeyThumbprint) -> String { address("devices/\(FormValues.encoded(key.rawValue))") }

    /// The members of a device.
    func devicePage() async throws -> Response {
        let key = KeyThumbprint(Self.plain(segment("key"), limit: 64))
        let members = try await run(.members(on: key))
        var page = Page(words("devices.members"), section: "members")
        page.crumbs = [Link(words("nav.members"), address("members"))]
        let table = Table(
            words("devices.members"),
            columns(["members.id", "members.state", "devices.as", "members.made", "session.used"]),
            members.map { member in
                TableRow(
                    [
                        self.member(member.user), memberState(member.status),
                        Cell(words(member.isGuest ? "devices.guest" : "devices.player")),
                        .time(member.registeredAt, local), .time(member.usedAt, local),
                    ],
                    actions: members.count < 2 || member.user == members[0].user
                        ? []
                        : [
                            Link(words("compare.with-first"), comparisonLink(members[0].user, with: member.user))
                        ])
            }, empty: words("devices.nobody"))
        return showList(page, table, intro: words("devices.intro", ["key": key.rawValue]))
    }

    // MARK: Comparison

    func comparisonLink(_ user: UserID, with other: UserID? = nil) -> String {
        let fields = other.map { "?\(FormValues(["with": $0.rawValue]).encoded)" } ?? ""
        return "\(memberLink(user))/compare\(fields)"
    }

    /// Two members side by side, with what connects them.
    func comparisonPage() async throws -> Response {
        let user = UserID(Self.plain(segment("user"), limit: 64))
        let report = try await run(.memberReport(of: user))
        var page = Page(words("compare.title"), section: "members")
        page.crumbs = [Link(words("nav.members"), address("members")), Link(user.rawValue, memberLink(user))]
        // An id is read as it is meant, in lower case or in groups.
        let typed = Self.plain(query["with"] ?? "", limit: 64)
        let other = UserID(typed.typedID)
        var field = Field("with", words("compare.with"), value: typed, isRequired: true, limit: 64)
        var cards: [SectionCard] = []
        do {
            if other == user { field.problem = words("problem.compare-same") }
            if !typed.isEmpty, other != user {
                cards = try await comparison(report, with: try await run(.memberReport(of: other)))
            }
        } catch let refusal as Refusal where refusal.code == .authNotExistMember {
            field.problem = words("problem.compare-nobody")
        }
        if field.problem != nil { page.status = .unprocessableContent }
        return show(page) {
            filters([field], to: request.uri.path, button: words("compare.show"))
            for card in cards { card }
        }
    }

    private func comparison(_ one: MemberReport, with other: MemberReport) async throws -> [SectionCard] {
        let outcome = try await run(.comparison(of: one.member.userId, with: other.member.userId))
        let reports = [one, other]
        func row(_ label: String, _ cell: (MemberReport) -> Cell) -> TableRow {
            TableRow([Cell(words(label))] + reports.map(cell))
        }
        var columns = SectionCard(words("compare.columns"))
        columns.table =
            Table(
                words("compare.columns"), [words("compare.what")] + reports.map(\.member.userId.rawValue),
                [
                    row("members.id") { .code($0.member.userId.rawValue, link: memberLink($0.member.userId)) },
                    row("members.state") { memberState($0.member.status) },
                    row("members.made") { .time(Moment(milliseconds: $0.member.registrationDate), local) },
                    row("members.last-login") { .time(Moment(milliseconds: $0.member.lastLoginDate), local) },
                    row("identity.title") { report in
                        let names = providerLabels(report.member.mappings.map(\.provider))
                        return Cell(names.isEmpty ? "–" : names)
                    },
                    row("nav.bans") { report in Cell(report.ban?.reason ?? "–") },
                ], empty: ""
            ).wrapping
        var devices = SectionCard(words("compare.devices"))
        devices.table = Table(
            words("compare.devices"), [words("devices.key")],
            outcome.devices.map { key in
                TableRow([.code("\(key.rawValue.prefix(8))…", link: may(.support) ? deviceLink(key) : nil)])
            }, empty: words("compare.no-devices"))
        var moves = SectionCard(words("compare.moves"))
        moves.table = Table(
            words("compare.moves"), [words("timeline.when"), words("timeline.what"), words("timeline.who")],
            outcome.moves.map { entry in
                TableRow([.time(Moment(milliseconds: entry.date), local), what(entry, one), who(entry)])
            }, empty: words("compare.no-moves"))
        return [columns, devices, moves]
    }
}
