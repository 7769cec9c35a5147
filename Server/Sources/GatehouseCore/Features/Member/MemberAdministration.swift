import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// A member's data for an operator.
public struct MemberReport: Sendable {
    public let member: Member
    public let ban: BanRecord?
    /// The end of the time during which a missing member can be restored, in milliseconds since 1970, UTC.
    public let restorableUntilDate: Int64?
    /// The identity providers that a missing member can be restored with.
    public let formerProviders: [Provider]
}

/// Reads what an operator may know of a member.
package struct ReadMemberReport: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    package func perform(_ work: Work) async throws -> MemberReport {
        let (app, moment) = (work.app.id, work.moment)
        return try await work.services.database.report { tx in
            guard let found = try MemberQueries.account(user, app: app, in: tx) else {
                throw Refusal(.authNotExistMember)
            }
            let account = try MemberRules.withHolds(found, in: tx)
            return MemberReport(
                member: try MemberRules.member(account, in: tx),
                ban: try account.holds.ban.flatMap { try HoldQueries.ban($0.id, app: app, in: tx) },
                restorableUntilDate: account.holds.restorableUntil?.milliseconds,
                formerProviders: account.status != .missing
                    ? [] : try FormerIdentityQueries.identities(of: user, app: app, at: moment, in: tx).map(\.provider))
        }
    }
}

/// Lists members in the order of their registration.
package struct ListMembers: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    var status: MemberStatus?
    /// The last member of the previous page.
    var after: UserID?
    var limit = 50

    package init(status: MemberStatus? = nil, after: UserID? = nil, limit: Int = 50) {
        self.status = status
        self.after = after
        self.limit = limit
    }

    package func perform(_ work: Work) async throws -> [Member] {
        let app = work.app.id
        return try await work.services.database.report { tx in
            try MemberQueries.list(of: app, status: status, after: after, limit: max(1, min(limit, 1_000)), in: tx)
        }
    }
}

/// Reads the ledger of a member, oldest entry first.
package struct ReadHistory: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    package func perform(_ work: Work) async throws -> [LedgerEntry] {
        let app = work.app.id
        return try await work.services.database.report { tx in try LedgerQueries.entries(of: user, app: app, in: tx) }
    }
}

/// Reads a part of the ledger of a member, newest entry first.
package struct ReadTimeline: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    let user: UserID
    /// The last entry of the page before.
    let before: String?
    /// Only what this kind of actor has done.
    let actor: ActorKind?
    /// Only what is about this.
    let kind: TimelineKind?
    /// The first moment; nil for all before ``until``.
    let since: Moment?
    /// The moment before which the entries were; nil for all since ``since``.
    let until: Moment?
    let limit: Int

    package init(
        of user: UserID, before: String? = nil, by actor: ActorKind? = nil, about kind: TimelineKind? = nil,
        since: Moment? = nil, until: Moment? = nil, limit: Int
    ) {
        self.user = user
        self.before = before
        self.actor = actor
        self.kind = kind
        self.since = since
        self.until = until
        self.limit = limit
    }

    package func perform(_ work: Work) async throws -> [LedgerEntry] {
        let app = work.app.id
        let count = max(1, min(limit, 1_000))
        return try await work.services.database.report { tx in
            try LedgerQueries.entries(
                of: user, app: app, before: before, by: actor, about: kind, since: since, until: until, limit: count,
                in: tx)
        }
    }
}

/// Restores a missing member with one of its former identities.
package struct RestoreMember: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.support

    let user: UserID
    /// Nil for the identity that left last.
    let provider: Provider?

    package init(user: UserID, provider: Provider?) {
        self.user = user
        self.provider = provider
    }

    package func perform(_ work: Work) async throws -> Restoration {
        try await work.transact { change, tx in
            try LifeRules.restore(user, with: provider, change, in: tx)
        }
    }
}
