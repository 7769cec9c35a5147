import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Lists members in the order of their registration.
package struct ListMembers: Report {
    var status: MemberStatus?
    /// The last member of the previous page.
    var after: UserID?
    var limit = 50

    package init(status: MemberStatus? = nil, after: UserID? = nil, limit: Int = 50) {
        self.status = status
        self.after = after
        self.limit = limit
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [Member] {
        try MemberQueries.list(of: view.app.id, status: status, after: after, limit: max(1, min(limit, 1_000)), in: tx)
    }
}

/// Reads the ledger of a member, oldest entry first.
package struct ReadHistory: Report {
    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [LedgerEntry] {
        try LedgerQueries.entries(of: user, app: view.app.id, in: tx)
    }
}

/// Reads a part of the ledger of a member, newest entry first.
package struct ReadTimeline: Report {
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

    func read(_ view: Viewpoint, in tx: Reader) throws -> [LedgerEntry] {
        let app = view.app.id
        let count = max(1, min(limit, 1_000))
        return try LedgerQueries.entries(
            of: user, app: app, before: before, by: actor, about: kind, since: since, until: until, limit: count,
            in: tx)
    }
}
