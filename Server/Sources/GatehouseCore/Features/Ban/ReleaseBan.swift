import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
package import GatehouseWire

/// Releases a member's ban before its end.
package struct ReleaseBan: OperatorAction {
    package static let about = OperatorActionAbout(
        "ban.released", role: .support, step: .confirmed, undo: BanMember.self)

    let user: UserID

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? {
        actor.mayChangeBan(of: report) ? .primary : nil
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let ban = try BanRules.changeable(user, view, in: tx)
        return Preview(
            Phrase("release.title", ["user": .user(user)]),
            [
                Phrase(
                    "release.what",
                    [
                        "end": ban.endsAt.map { .moment($0) } ?? .phrase("bans.permanently"),
                        "reason": .text(ban.reason),
                        "name": .text(ban.registeredBy),
                    ]), "release.login",
            ], undo: "release.undo")
    }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        try await ReleaseBans(users: [user]).perform(work)
    }
}

/// Releases members' bans before their end, for a game server or an operator. The actor has a name and a reason.
package struct ReleaseBans: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.support

    let users: [UserID]
    /// Only checks the request, and changes nothing.
    var isTrial = false

    package init(users: [UserID], isTrial: Bool = false) {
        self.users = users
        self.isTrial = isTrial
    }

    package var audited: AuditedRun? { .members(users, ReleaseBan.self, ReleaseListedBans.self) }

    package func perform(_ work: Work) async throws -> MembersOutcome {
        guard !isTrial else {
            try work.actor.origin.requireReason()
            return MembersOutcome(failedUserIds: [])
        }
        let role = work.actor.knownRole
        return try await work.changing(users) { user, change, tx in
            try BanRules.release(user, as: role, change, in: tx)
        }
    }
}
