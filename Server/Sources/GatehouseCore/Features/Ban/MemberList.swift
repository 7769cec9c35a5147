import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What an action does to each member of a list.
struct MemberList {
    private struct Fate {
        let user: UserID
        let isChanged: Bool
        let row: [Preview.Cell]
    }

    private let fates: [Fate]

    init(
        _ users: [UserID], _ view: OperatorView, in tx: Reader, _ fate: (Account) -> (Bool, Preview.Cell)
    ) throws {
        fates = try users.map { user in
            guard let found = try MemberQueries.account(user, app: view.app, in: tx) else {
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
    /// The id of an earlier action that this one takes back; nil for none.
    static func earlier(_ path: any WritableKeyPath<A, String?> & Sendable) -> Self {
        Input { action, values, _ in action[keyPath: path] = values.text("earlier") }
    }

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
            guard (1...DeedTarget.mostMembers).contains(users.count) else {
                throw InputProblems([
                    "users": Phrase("problem.users", ["most": .count(DeedTarget.mostMembers)])
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
            guard users.count <= DeedTarget.mostMembers else { return users }
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

extension DeedTarget {
    /// Upper bound on the members of one action.
    static let mostMembers = 100

    /// The members of a text, as many as an action may have.
    package static func members(listedIn text: String) -> DeedTarget {
        .members(Array(UserID.list(text).prefix(mostMembers)))
    }
}
