package import GatehouseJSON
package import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Reads the caller's own member.
package struct ReadOwnMember: Action {
    package static let permission = Permission.play

    package init() {}

    package func perform(_ work: Work) async throws -> Member {
        try await work.livePlayer().member
    }
}

/// Finds a member for a game server. Its due changes are made first, so that no answer shows an outdated status.
package struct FindMember: Action {
    package static let permission = Permission.serve(.profile)
    package static let role = OperatorRole.viewer

    let user: UserID
    /// Whether to include the device information of the newest login.
    var withClient = false

    package init(user: UserID, withClient: Bool = false) {
        self.user = user
        self.withClient = withClient
    }

    package struct Outcome: Sendable {
        package let member: Member
        package let client: ClientInformation?
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let context = work.context
        return try await work.read { tx in
            guard let account = try MemberQueries.account(user, app: context.app.id, in: tx) else {
                throw Refusal(.authNotExistMember)
            }
            let member = try MemberRules.member(MemberRules.current(account, at: context.moment, in: tx), in: tx)
            return Outcome(
                member: member,
                client: withClient ? try SessionRules.client(of: user, app: context.app.id, in: tx) : nil)
        }
    }
}

/// Finds the identities of up to three hundred members for a game server, oldest first. Members without identities are left out.
package struct FindIdentities: Action {
    package static let permission = Permission.serve(.profile)

    let users: [UserID]

    package init(users: [UserID]) {
        self.users = users
    }

    package func perform(_ work: Work) async throws -> [UserID: [Mapping]] {
        let users = try MembersOfCall.distinct(users)
        let rows = try await work.services.database.rows(MemberQueries.identities(of: users, app: work.app.id)) { row in
            (
                user: try row[0] as UserID,
                mapping: Mapping(provider: try row[1], subject: try row[2], registrationDate: try row[3])
            )
        }
        return Dictionary(grouping: rows, by: \.user).mapValues { $0.map(\.mapping) }
    }
}

/// Finds the members to which up to three hundred identities of one provider belong, by subject, for a game server.
package struct FindOwners: Action {
    package static let permission = Permission.serve(.profile)

    let subjects: [String]
    let provider: Provider

    package init(subjects: [String], provider: Provider) {
        self.subjects = subjects
        self.provider = provider
    }

    package func perform(_ work: Work) async throws -> [ExactText: UserID] {
        // Subjects are compared by their bytes, as in the database.
        let subjects = try MembersOfCall.distinct(subjects.map { ExactText($0) }).map(\.text)
        let rows = try await work.services.database.rows(
            MemberQueries.owners(of: subjects, at: provider, app: work.app.id)
        ) { row in (ExactText(try row[0]), try row[1] as UserID) }
        // Several regions of one provider may have the same subject; then the oldest identity is used.
        return Dictionary(rows) { first, _ in first }
    }
}

/// Reads the status of a member for a game server, whatever its key may do: it explains why an access token is refused.
package struct ReadMemberStatus: Action {
    package static let permission = Permission.serveAny
    package static let role = OperatorRole.viewer

    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    package func perform(_ work: Work) async throws -> MemberStatus {
        let context = work.context
        return try await work.read { tx in
            guard let account = try MemberQueries.account(user, app: context.app.id, in: tx) else {
                throw Refusal(.authNotExistMember)
            }
            return try MemberRules.current(account, at: context.moment, in: tx).status
        }
    }
}

/// Finds summaries of up to three hundred members for a game server, in no particular order. Unknown members are left out.
package struct FindMembers: Action {
    package static let permission = Permission.serve(.profile)

    let users: [UserID]

    package init(users: [UserID]) {
        self.users = users
    }

    /// A summary of a member.
    package struct Brief: Sendable {
        package let user: UserID
        package let status: MemberStatus
        package let registeredAt: Moment
    }

    package func perform(_ work: Work) async throws -> [Brief] {
        let users = try MembersOfCall.distinct(users)
        let context = work.context
        return try await work.read { tx in
            try MemberQueries.briefs(of: users, app: context.app.id, in: tx).map { brief, dueAt in
                let isGone = brief.status == .withdrawn || brief.status == .missing
                if let dueAt, dueAt <= context.moment, !isGone {
                    throw AttemptFailure.unsettled(LapsedMember(app: context.app.id, user: brief.user))
                }
                return brief
            }
        }
    }
}
