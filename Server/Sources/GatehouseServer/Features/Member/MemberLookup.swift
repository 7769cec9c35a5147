import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Looks up members for game servers, up to three hundred at a time. A member's due changes are made first, so that no response shows
/// an outdated status.
struct MemberLookup: Sendable {
    /// The maximum number of ids in one call.
    static let maximum = 300

    let accounts: AccountWriter

    /// A summary of a member.
    struct Brief: Sendable {
        let user: UserID
        let status: MemberStatus
        let registeredAt: Moment
    }

    /// A member with the device information of a login.
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

    /// The members that exist, in no particular order.
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

    /// The identities of members, oldest first. Members without identities are left out.
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

    /// The members to which identities of one provider belong, by subject.
    func owners(
        of subjects: [String], at provider: Provider, _ view: Viewpoint
    ) async throws -> [ExactText: UserID] {
        // Subjects are compared by their bytes, as in the database.
        let subjects = try Self.distinct(subjects.map { ExactText($0) }).map(\.text)
        let rows = try await accounts.database.rows(
            MemberQueries.owners(of: subjects, at: provider, app: view.app.id)
        ) { row in (ExactText(try row[0]), try row[1] as UserID) }
        // Several regions of one provider may have the same subject; then the oldest identity is used.
        return Dictionary(rows) { first, _ in first }
    }

    static func check<Name>(_ names: [Name]) throws {
        guard names.count <= maximum else {
            throw Refusal(.invalidParameter, "A call names at most \(maximum).", httpStatus: 413)
        }
    }

    /// The distinct names in their original order.
    private static func distinct<Name: Hashable>(_ names: [Name]) throws -> [Name] {
        try check(names)
        var seen = Set<Name>(minimumCapacity: names.count)
        return names.filter { seen.insert($0).inserted }
    }
}
