import GatehousePlatform
import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

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

    package init(on target: ActionTarget) throws {}

    package var subject: ActionTarget { .members(users) }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        users = try context.earlier(earlier, in: tx)?.endedBans ?? []
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let list = try MemberList(users, context, in: tx) { member in
            switch member.status {
            case .withdrawn, .missing: (false, .mark("ban-members.gone", .warn))
            case .banned where member.isBanned(at: context.moment):
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
        preview.playerReads = try BanRules.texts(of: template, context, in: tx)
        return preview
    }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        try await work.ban(users, until: end, template: template)
    }
}

/// Releases the bans of the members of a list.
package struct ReleaseListedBans: OperatorAction {
    package static let about = OperatorActionAbout(
        "members.released", role: .operator, step: .confirmed, section: "bans", subject: .members,
        undo: BanListedMembers.self, leadsToSection: true)
    package static let inputs: [Input<Self>] = [.earlier(\.earlier), .users(\.users)]

    /// The id of an earlier ban of a list, which this one takes back. It leaves alone who was banned again since.
    var earlier: String?
    var users: [UserID] = []

    package init(on target: ActionTarget) throws {}

    package var subject: ActionTarget { .members(users) }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        users = try context.earlier(earlier, in: tx)?.begunBans.map(\.user) ?? []
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let list = try releases(context, in: tx)
        guard list.changed.count > 0 else { throw InputProblems(["users": "problem.nobody-to-release"]) }
        return list.preview(
            "release-members", [Phrase("release-members.what", ["count": .count(list.changed.count)])])
    }

    private func releases(_ context: OperatorContext, in tx: Reader) throws -> MemberList {
        let begun = try context.earlier(earlier, in: tx)?.begunBans
        let batch = begun.map { Dictionary($0.map { ($0.user, $0.ban) }) { first, _ in first } }
        return try MemberList(users, context, in: tx) { member in
            guard member.status == .banned, member.isBanned(at: context.moment) else {
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
        let context = OperatorContext(of: work)
        let list = try await work.report { tx in try releases(context, in: tx) }
        return try await work.releaseBans(of: list.changed)
    }
}

/// What an action does to each member of a list.
struct MemberList {
    private struct Fate {
        let user: UserID
        let isChanged: Bool
        let row: [Preview.Cell]
    }

    private let fates: [Fate]

    init(
        _ users: [UserID], _ context: OperatorContext, in tx: Reader, _ fate: (Account) -> (Bool, Preview.Cell)
    ) throws {
        fates = try users.map { user in
            guard let found = try MemberQueries.account(user, app: context.app.id, in: tx) else {
                return Fate(
                    user: user, isChanged: false,
                    row: [.member(user, isKnown: false), .state(nil), .mark("ban-members.unknown", .warn)])
            }
            let account = try MemberRules.withHolds(found, in: tx)
            let (isChanged, cell) = fate(account)
            return Fate(
                user: user, isChanged: isChanged, row: [.member(user, isKnown: true), .state(account.status), cell])
        }
    }

    var changed: [UserID] { fates.filter(\.isChanged).map(\.user) }

    /// - Parameter key: what the keys of its texts begin with.
    func preview(_ key: String, _ consequences: [Phrase]) -> Preview {
        let others = fates.count - changed.count
        var preview = Preview(
            Phrase("\(key).title", ["count": .count(changed.count)]),
            consequences + (others > 0 ? [Phrase("ban-members.others", ["count": .count(others)])] : []),
            undo: Phrase("\(key).undo"))
        preview.table = Preview.Table(
            caption: "ban-members.fates", columns: ["members.id", "members.state", "ban-members.fate"],
            // The exceptions come first, because nobody finds them among a hundred rows.
            rows: (fates.filter { !$0.isChanged } + fates.filter(\.isChanged)).map(\.row))
        return preview
    }
}

extension Input {
    /// The members that are typed, one in a line.
    static func users(_ path: any WritableKeyPath<A, [UserID]> & Sendable) -> Self {
        Input { action, _, _ in
            [
                InputField(
                    name: "users", label: "ban-members.users", kind: .lines,
                    value: action[keyPath: path].map(\.rawValue).joined(separator: "\n"),
                    help: "ban-members.users-help", isRequired: true, limit: 4_000)
            ]
        } read: { action, values, _ in
            let users = UserID.list(values.text("users") ?? "")
            guard (1...ActionTarget.mostMembers).contains(users.count) else {
                throw InputProblems([
                    "users": Phrase("problem.users", ["most": .count(ActionTarget.mostMembers)])
                ])
            }
            action[keyPath: path] = users
        }
    }
}

extension UserID {
    /// The ids of a text, without those that occur twice: one more than an action may have, at most. A text that is longer than any
    /// field has none.
    static func list(_ text: String) -> [UserID] {
        var work = 0
        return list(text, work: &work)
    }

    /// - Parameter work: is increased by the number of code points that are looked at.
    static func list(_ text: String, work: inout Int) -> [UserID] {
        guard text.utf8.count <= InputValues.mostBytes else { return [] }
        var users: [UserID] = []
        var seen: Set<String> = []
        var (id, length) = (String.UnicodeScalarView(), 0)
        func endID() {
            let name = String(id).uppercased()
            (id, length) = (String.UnicodeScalarView(), 0)
            guard !name.isEmpty, seen.insert(name).inserted else { return }
            users.append(UserID(name))
        }
        for scalar in text.unicodeScalars {
            guard users.count <= ActionTarget.mostMembers else { return users }
            work += 1
            if scalar.properties.isWhitespace || scalar == "," || scalar == ";" {
                endID()
            } else if length < 64 {
                id.append(scalar)
                length += 1
            }
        }
        endID()
        return users
    }
}

extension ActionTarget {
    /// Upper bound on the members of one action.
    static let mostMembers = 100

    /// The members of a text, as many as an action may have.
    package static func members(listedIn text: String) -> ActionTarget {
        .members(Array(UserID.list(text).prefix(mostMembers)))
    }
}

extension OperatorRecord {
    /// The bans that an action about a list has begun.
    package var begunBans: [(user: UserID, ban: String)] {
        guard let before, let after else { return [] }
        return after.listedUsers.compactMap { user in
            let ban = after.values["\(user).ban"]
            return ban == before.values["\(user).ban"] ? nil : ban.map { (user: user, ban: $0) }
        }
    }

    /// The members whose bans it has released.
    package var endedBans: [UserID] {
        guard let before, let after else { return [] }
        return before.listedUsers.filter {
            before.values["\($0).ban"] != nil && after.values["\($0).ban"] == nil
        }
    }
}

extension TargetState {
    /// The members of a list's state, as far as they exist.
    package var listedUsers: [UserID] {
        values.keys.filter { $0.ends(with: ".status") }.map { UserID(String($0.dropLast(".status".count))) }
            .sorted { $0.rawValue < $1.rawValue }
    }
}
