import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire

/// Bans and releases of members that are typed as a list.
extension Console {
    static let memberListDeeds = [banMembers, releaseMembers]

    private static let mostMembers = 100

    /// The members that were typed, one in a line, without those that occur twice.
    private static func users(_ values: FormValues) -> [UserID] {
        var seen = Set<String>()
        return (values["users"] ?? "").uppercased().pieces { $0.properties.isWhitespace || $0 == "," || $0 == ";" }
            .map { String($0.prefix(64)) }.filter { seen.insert($0).inserted }.map { UserID($0) }
    }

    private static func target(_ values: FormValues) -> DeedTarget {
        .members(Array(users(values).prefix(mostMembers)))
    }

    /// The members that were typed.
    ///
    /// - Throws: a problem of the field for none, and for too many.
    private static func typed(_ visit: Visit, _ values: FormValues) throws -> [UserID] {
        let users = users(values)
        guard (1...mostMembers).contains(users.count) else {
            throw FormProblems(["users": visit.words("problem.users", ["most": String(mostMembers)])])
        }
        return users
    }

    private static func field(_ visit: Visit, _ users: [UserID]) -> Field {
        Field(
            "users", visit.words("ban-members.users"), .lines,
            value: users.map(\.rawValue).joined(separator: "\n"), help: visit.words("ban-members.users-help"),
            isRequired: true, limit: 4_000)
    }

    private static let banMembers = DeedKind(
        name: "members.banned", level: .typed, role: .operator, section: "bans", undo: "members.released",
        target: target,
        fields: { visit, values in
            let released = try await visit.earlierDeed(values)?.endedBans ?? []
            return [field(visit, released)] + lengthFields(visit) + [try await banTextField(visit)]
        },
        preview: { visit, values in
            let users = try typed(visit, values)
            let end = try BanLength.end(values, visit)
            let fates = try await visit.fates(of: users)
            let banned = fates.filter(\.isChanged).count
            guard banned > 0 else { throw FormProblems(["users": visit.words("problem.nobody-to-ban")]) }
            var preview = visit.preview(
                "ban-members", fates,
                [
                    visit.words("ban-members.what", ["count": String(banned), "end": visit.end(end)]),
                    visit.words("ban.sessions"),
                ],
                button: "deed.members.banned")
            preview.typed = String(banned)
            preview.playerReads = try await visit.banTexts(values)
            return preview
        },
        perform: { visit, values, call in
            try await call.run(ban(of: users(values), visit, values, call))
            return DeedResult(visit.address("bans"))
        })

    private static let releaseMembers = DeedKind(
        name: "members.released", level: .confirmed, role: .operator, section: "bans", undo: "members.banned",
        target: target,
        fields: { visit, values in [field(visit, try await visit.earlierDeed(values)?.begunBans.map { $0.user } ?? [])]
        },
        preview: { visit, values in
            let fates = try await visit.releases(of: try typed(visit, values), values)
            let released = fates.filter(\.isChanged).count
            guard released > 0 else { throw FormProblems(["users": visit.words("problem.nobody-to-release")]) }
            return visit.preview(
                "release-members", fates, [visit.words("release-members.what", ["count": String(released)])],
                button: "deed.members.released")
        },
        perform: { visit, values, call in
            let fates = try await visit.releases(of: try typed(visit, values), values)
            try await call.run(ReleaseBans(users: fates.filter(\.isChanged).map(\.user)))
            return DeedResult(visit.address("bans"))
        })
}

/// What a deed about a list does to one of its members.
private struct Fate {
    let user: UserID
    let isChanged: Bool
    let row: TableRow
}

extension Visit {
    fileprivate func earlierDeed(_ values: FormValues) async throws -> DeedRecord? {
        guard let id = values["earlier"], id.utf8.count <= 64 else { return nil }
        return try await run(ReadDeed(id: id))
    }

    fileprivate func preview(
        _ key: String, _ fates: [Fate], _ consequences: [String], button: String
    ) -> DeedPreview {
        let changed = fates.filter(\.isChanged).count
        let others = fates.count - changed
        var preview = DeedPreview(
            words("\(key).title", ["count": String(changed)]),
            consequences + (others > 0 ? [words("ban-members.others", ["count": String(others)])] : []),
            undo: words("\(key).undo"), button: words(button), cancel: address("bans"),
            isDangerous: key == "ban-members")
        preview.table = Table(
            words("ban-members.fates"),
            [words("members.id"), words("members.state"), words("ban-members.fate")],
            // The exceptions come first, because nobody finds them among a hundred rows.
            (fates.filter { !$0.isChanged } + fates.filter(\.isChanged)).map(\.row), empty: "")
        return preview
    }

    /// What banning would do to each member.
    fileprivate func fates(of users: [UserID]) async throws -> [Fate] {
        try await fates(of: users) { member in
            switch member.status {
            case .withdrawn, .missing: (false, Cell(words("ban-members.gone"), badge: "warn"))
            case .banned where member.isBanned(at: moment):
                (false, Cell(words("ban-members.banned-already", ["end": end(member.banEnd)]), badge: "plain"))
            default: (true, Cell(words("ban-members.will"), badge: "bad"))
            }
        }
    }

    /// What releasing would do to each member. One that takes an earlier list back leaves alone who was banned again since.
    fileprivate func releases(of users: [UserID], _ values: FormValues) async throws -> [Fate] {
        let begun = try await earlierDeed(values)?.begunBans
        let batch = begun.map { Dictionary($0.map { ($0.user, $0.ban) }) { first, _ in first } }
        return try await fates(of: users) { member in
            guard member.status == .banned, member.isBanned(at: moment) else {
                return (false, Cell(words("release-members.not-banned"), badge: "plain"))
            }
            if let batch, batch[member.user] != member.ban {
                return (false, Cell(words("release-members.other-ban"), badge: "warn"))
            }
            return (true, Cell(words("release-members.will", ["end": end(member.banEnd)]), badge: "good"))
        }
    }

    private func fates(of users: [UserID], _ fate: (ListedMember) -> (Bool, Cell)) async throws -> [Fate] {
        let state = try await run(ReadDeedState(target: .members(users)))
        return users.map { user in
            guard let member = ListedMember(user, in: state) else {
                let cell = Cell(words("ban-members.unknown"), badge: "warn")
                return Fate(user: user, isChanged: false, row: TableRow([.code(user.rawValue), Cell("–"), cell]))
            }
            let (isChanged, cell) = fate(member)
            let cells = [Cell.code(user.rawValue, link: memberLink(user)), memberState(member.status), cell]
            return Fate(user: user, isChanged: isChanged, row: TableRow(cells))
        }
    }

    /// What came of a deed about a list: how many members it changed, and why it left out the others. Nil for another deed.
    func listResult(_ record: DeedRecord) -> String? {
        guard let count = record.listCount, let before = record.before else { return nil }
        let isBan = record.action == "members.banned"
        let changed = isBan ? record.begunBans.count : record.endedBans.count
        let members = before.listedUsers.compactMap { ListedMember($0, in: before) }
        let gone = members.filter { [.withdrawn, .missing].contains($0.status) }.count
        let unknown = count - members.count
        var left = [("gone", isBan ? gone : 0), ("unknown", unknown)]
        left.append((isBan ? "already" : "not-banned", count - changed - left.reduce(0) { $0 + $1.1 }))
        let reasons = left.filter { $0.1 > 0 }.map { words("left-out.\($0.0)", ["count": String($0.1)]) }
        let done = words("done.\(record.action)", ["count": String(changed)])
        guard !reasons.isEmpty else { return done }
        return done + " "
            + words("left-out", ["count": String(count - changed), "reasons": reasons.joined(separator: ", ")])
    }
}

/// A member's state among those of a list.
private struct ListedMember {
    let user: UserID
    let status: MemberStatus
    let ban: String?
    let banEnd: Moment?

    /// Nil for an id that no member has.
    init?(_ user: UserID, in state: DeedState) {
        guard let status = state.values["\(user).status"] else { return nil }
        self.user = user
        self.status = MemberStatus(status)
        ban = state.values["\(user).ban"]
        banEnd = state.values["\(user).banEndsAt"].flatMap { Int64($0) }.map { Moment(milliseconds: $0) }
    }

    func isBanned(at moment: Moment) -> Bool { banEnd.map { moment < $0 } ?? true }
}

extension DeedState {
    /// The members of a list's state, as far as they exist.
    fileprivate var listedUsers: [UserID] {
        values.keys.filter { $0.ends(with: ".status") }.map { UserID(String($0.dropLast(".status".count))) }
            .sorted { $0.rawValue < $1.rawValue }
    }
}

extension DeedRecord {
    /// How many ids a list had; nil for a deed about something else.
    fileprivate var listCount: Int? {
        let parts = target.parts(at: " ")
        return parts.count == 2 && parts[0] == "members" ? Int(parts[1]) : nil
    }

    /// The bans that a deed about a list has begun.
    fileprivate var begunBans: [(user: UserID, ban: String)] {
        guard let before, let after else { return [] }
        return after.listedUsers.compactMap { user in
            let ban = after.values["\(user).ban"]
            return ban == before.values["\(user).ban"] ? nil : ban.map { (user: user, ban: $0) }
        }
    }

    /// The members whose bans it has released.
    fileprivate var endedBans: [UserID] {
        guard let before, let after else { return [] }
        return before.listedUsers.filter {
            before.values["\($0).ban"] != nil && after.values["\($0).ban"] == nil
        }
    }
}
