import GatehouseStorage
import GatehouseWire

/// Members as game servers look them up: one, or up to three hundred at a time. What time has done to a member is carried out
/// first, so that no answer shows a letter whose time is over.
struct MemberLookup: Sendable {
    /// Names of one call.
    static let maximum = 300

    let accounts: AccountWriter

    /// A member in short.
    struct Brief: Sendable {
        let user: UserID
        let status: MemberStatus
        let registeredAt: Moment
    }

    /// What a device said of itself at a login, with the member.
    struct Found: Sendable {
        let member: Member
        let client: ClientInformation?
    }

    func member(_ user: UserID, withClient: Bool = false, _ view: Viewpoint) async throws -> Found {
        try await accounts.read(at: view.moment) { tx in
            guard let account = try MemberQueries.account(user, app: view.app.id, in: tx) else {
                throw Refusal(.authNotExistMember)
            }
            let member = try MemberRules.member(MemberRules.current(account, at: view.moment, in: tx), in: tx)
            return Found(
                member: member,
                client: withClient ? try SessionRules.client(of: user, app: view.app.id, in: tx) : nil)
        }
    }

    /// Those that there are, in no order.
    func members(_ users: [UserID], _ view: Viewpoint) async throws -> [Brief] {
        let users = try Self.distinct(users)
        return try await accounts.read(at: view.moment) { tx in
            try MemberQueries.briefs(of: users, app: view.app.id, in: tx).map { brief, dueAt in
                let isGone = brief.status == .withdrawn || brief.status == .missing
                if let dueAt, dueAt <= view.moment, !isGone { throw LapsedMember(app: view.app.id, user: brief.user) }
                return brief
            }
        }
    }

    /// The identities of members, oldest first; members without any are not there.
    func identities(of users: [UserID], _ view: Viewpoint) async throws -> [UserID: [Mapping]] {
        let users = try Self.distinct(users)
        let rows = try await accounts.database.rows(MemberQueries.identities(of: users, app: view.app.id)) { row in
            (
                user: try row[0] as UserID,
                mapping: Mapping(provider: try row[1], subject: try row[2], registrationDate: try row[3])
            )
        }
        return Dictionary(grouping: rows, by: \.user).mapValues { $0.map(\.mapping) }
    }

    /// Whom identities of one provider lead to, by their subjects.
    func owners(
        of subjects: [String], at provider: Provider, _ view: Viewpoint
    ) async throws -> [ExactText: UserID] {
        // By their bytes, as the database tells them apart.
        let subjects = try Self.distinct(subjects.map { ExactText($0) }).map(\.text)
        let rows = try await accounts.database.rows(
            MemberQueries.owners(of: subjects, at: provider, app: view.app.id)
        ) { row in (ExactText(try row[0]), try row[1] as UserID) }
        // Regions of one provider may know one subject each: the oldest identity is meant.
        return Dictionary(rows) { first, _ in first }
    }

    static func check<Name>(_ names: [Name]) throws {
        guard names.count <= maximum else {
            throw Refusal(.invalidParameter, "A call names at most \(maximum).", httpStatus: 413)
        }
    }

    /// In the order in which they come.
    private static func distinct<Name: Hashable>(_ names: [Name]) throws -> [Name] {
        try check(names)
        var seen = Set<Name>(minimumCapacity: names.count)
        return names.filter { seen.insert($0).inserted }
    }
}
