import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
import GatehouseWire

/// Bans the members of a list, and ends their sessions.
package struct BanListedMembers: OperatorAction {
    package static let about = OperatorActionAbout(
        "members.banned", role: .operator, step: .typed, section: "bans", subject: .members,
        undo: ReleaseListedBans.self, leadsToSection: true)
    // The end of a released ban is not kept, so the operator chooses one.
    package static let undoesExactly = false
    package static let inputs: [Input<Self>] = [
        .earlier(\.earlier), .users(\.users), .banEnd(\.end), .banTemplate(\.template),
    ]

    /// The id of an earlier release of a list, which this one takes back.
    var earlier: String?
    var users: [UserID] = []
    var end: Moment?
    var template: Int?

    package init(on target: DeedTarget) throws {}

    package var subject: DeedTarget { .members(users) }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        users = try view.earlier(earlier, in: tx)?.endedBans ?? []
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let list = try MemberList(users, view, in: tx) { member in
            switch member.status {
            case .withdrawn, .missing: (false, .mark("ban-members.gone", .warn))
            case .banned where member.isBanned(at: view.moment):
                (
                    false,
                    .mark(
                        Phrase("ban-members.banned-already", ["end": .banEnd(member.holds.ban?.endsAt)]), .plain)
                )
            default: (true, .mark("ban-members.will", .bad))
            }
        }
        guard list.changed.count > 0 else { throw InputProblems(["users": "problem.nobody-to-ban"]) }
        var preview = list.preview(
            "ban-members",
            [
                Phrase("ban-members.what", ["count": .count(list.changed.count), "end": .banEnd(end)]),
                "ban.sessions",
            ])
        preview.isDangerous = true
        preview.typed = String(list.changed.count)
        preview.playerReads = try BanRules.texts(of: template, view, in: tx)
        return preview
    }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        try await BanMembers(users, until: end, template: template).perform(work)
    }
}
