import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
import GatehouseWire

/// Releases the bans of the members of a list.
package struct ReleaseListedBans: OperatorAction {
    package static let about = OperatorActionAbout(
        "members.released", role: .operator, step: .confirmed, section: "bans", subject: .members,
        undo: BanListedMembers.self, leadsToSection: true)
    package static let inputs: [Input<Self>] = [.earlier(\.earlier), .users(\.users)]

    /// The id of an earlier ban of a list, which this one takes back. It leaves alone who was banned again since.
    var earlier: String?
    var users: [UserID] = []

    package init(on target: DeedTarget) throws {}

    package var subject: DeedTarget { .members(users) }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        users = try view.earlier(earlier, in: tx)?.begunBans.map(\.user) ?? []
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let list = try releases(view, in: tx)
        guard list.changed.count > 0 else { throw InputProblems(["users": "problem.nobody-to-release"]) }
        return list.preview(
            "release-members", [Phrase("release-members.what", ["count": .count(list.changed.count)])])
    }

    private func releases(_ view: OperatorView, in tx: Reader) throws -> MemberList {
        let begun = try view.earlier(earlier, in: tx)?.begunBans
        let batch = begun.map { Dictionary($0.map { ($0.user, $0.ban) }) { first, _ in first } }
        return try MemberList(users, view, in: tx) { member in
            guard member.status == .banned, member.isBanned(at: view.moment) else {
                return (false, .mark("release-members.not-banned", .plain))
            }
            if let batch, batch[member.user] != member.holds.ban?.id {
                return (false, .mark("release-members.other-ban", .warn))
            }
            return (
                true, .mark(Phrase("release-members.will", ["end": .banEnd(member.holds.ban?.endsAt)]), .good)
            )
        }
    }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        let view = OperatorView(of: work)
        let list = try await work.report { tx in try releases(view, in: tx) }
        return try await ReleaseBans(users: list.changed).perform(work)
    }
}
