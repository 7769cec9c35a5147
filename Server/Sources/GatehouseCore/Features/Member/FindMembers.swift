package import GatehouseSecurity
import GatehouseServerWire
package import GatehouseWire

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
        let view = work.view
        return try await work.read { tx in
            try MemberQueries.briefs(of: users, app: view.app.id, in: tx).map { brief, dueAt in
                let isGone = brief.status == .withdrawn || brief.status == .missing
                if let dueAt, dueAt <= view.moment, !isGone {
                    throw AttemptFailure.unsettled(LapsedMember(app: view.app.id, user: brief.user))
                }
                return brief
            }
        }
    }
}
