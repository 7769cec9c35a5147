import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Lists the sessions of the caller's own account: the devices that are logged in.
package struct ListOwnSessions: Action {
    package static let permission = Permission.play

    package init() {}

    package func perform(_ work: Work) async throws -> DeviceSessions {
        try await work.read { tx in
            let (session, account) = try work.player(in: tx)
            return try DeviceRules.list(for: session, account, work.context, in: tx)
        }
    }
}

/// Ends another session of the caller's own account.
package struct EndOwnSession: PlayerChange {
    let session: SessionID

    package init(session: SessionID) {
        self.session = session
    }

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transact(once: .replayed) { change, tx in
            let (own, account) = try work.player(in: tx)
            try DeviceRules.end(session, by: own, account, change, in: tx)
            return Empty()
        }
    }
}

/// Ends all sessions of the caller's own account but the caller's.
package struct EndOtherSessions: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> Empty {
        try await work.transact(once: .replayed) { change, tx in
            let (own, account) = try work.player(in: tx)
            try DeviceRules.endOthers(than: own, account, change, in: tx)
            return Empty()
        }
    }
}

/// Lists the sessions of a member, for a game server or an operator.
package struct ListMemberSessions: Action {
    package static let permission = Permission.serve(.profile)
    package static let role = OperatorRole.viewer

    let request: MemberSessionsRequest

    package init(request: MemberSessionsRequest) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> MemberSessions {
        let context = work.context
        return try await work.read { tx in
            try DeviceRules.list(of: request.userId, after: request.after, context, in: tx)
        }
    }
}

/// Which devices a member is logged in on, and the end of single sessions (SES-11).
enum DeviceRules {
    /// The maximum number of sessions in one list.
    static let limit = 100

    // MARK: Lists

    /// The sessions of a player's account. The player's own is among them, however many are newer.
    static func list(for session: Session, _ account: Account, _ context: CallContext, in tx: Reader) throws
        -> DeviceSessions
    {
        let (page, next) = try page(of: account, after: nil, context, in: tx)
        let isListed = page.contains { $0.session.id == session.id }
        let own = isListed ? nil : try SessionQueries.listed(session.id, of: account, in: tx)
        return DeviceSessions(
            sessions: (page + [own].compactMap(\.self)).map { told($0, isCurrent: $0.session.id == session.id) },
            isComplete: next == nil)
    }

    /// The sessions of a member, for a game server or an operator.
    static func list(of user: UserID, after last: SessionID?, _ context: CallContext, in tx: Reader) throws
        -> MemberSessions
    {
        if let last, last.rawValue.utf8.count > 64 {
            throw Refusal.parameter("after", "A list goes on after the `next` of the list before.")
        }
        guard let found = try MemberQueries.account(user, app: context.app.id, in: tx) else {
            throw Refusal(.authNotExistMember)
        }
        let account = try MemberRules.current(found, at: context.moment, in: tx)
        guard !account.isGone else { throw Refusal(.authNotExistMember) }
        let (page, next) = try page(of: account, after: last, context, in: tx)
        return MemberSessions(sessions: page.map { told($0, isCurrent: false) }, next: next)
    }

    /// A part of a member's sessions, and the last one that was looked at unless nothing follows it.
    private static func page(
        of account: Account, after last: SessionID?, _ context: CallContext, in tx: Reader
    ) throws -> (sessions: [SessionQueries.Listed], next: SessionID?) {
        let rows = try SessionQueries.listed(
            of: account, after: last, createdSince: context.app.kickOut?.end ?? Moment(milliseconds: 0),
            idleAfter: context.moment, limit: limit + 1, in: tx)
        let page = rows.prefix(limit)
        return (
            page.filter { SessionRules.lives($0.session, account, context) },
            rows.count > limit ? page.last?.session.id : nil
        )
    }

    private static func told(_ listed: SessionQueries.Listed, isCurrent: Bool) -> DeviceSession {
        DeviceSession(
            sessionId: listed.session.id, provider: listed.session.provider,
            client: listed.client.flatMap { ClientInformation(headerValue: $0) },
            keyProtection: listed.session.keyProtection, beginDate: listed.session.createdAt.milliseconds,
            lastUsedDate: listed.lastUsedAt.milliseconds,
            isCurrent: isCurrent)
    }

    // MARK: Ends

    /// A player ends another session of the account.
    static func end(
        _ id: SessionID, by session: Session, _ account: Account, _ change: Change, in tx: Transaction
    ) throws {
        guard id != session.id else {
            throw Refusal(
                .invalidParameter, "The caller's own session ends by a logout.", reason: .ownSession,
                details: ErrorDetails(parameter: "sessionId"))
        }
        // When two sessions end each other, one goes on, because the other call finds that the member has changed.
        let account = try MemberRules.take(account, in: tx)
        try end(id, of: account, .endedElsewhere, change, in: tx)
        try change.record(.sessionEndedElsewhere(id), of: account.user, in: tx)
    }

    /// A player ends all sessions of the account but its own. It is no error that there are none.
    static func endOthers(
        than session: Session, _ account: Account, _ change: Change, in tx: Transaction
    ) throws {
        let account = try MemberRules.take(account, in: tx)
        var hasEnded = false
        // A session goes on only as long as its provider is mapped.
        for provider in account.mappings.map(\.provider) {
            let isSome = try SessionRules.endAll(
                openedWith: provider, of: account, but: session, reason: .endedElsewhere, change, in: tx)
            hasEnded = hasEnded || isSome
        }
        if hasEnded { try change.record(.otherSessionsEnded, of: account.user, in: tx) }
    }

    /// An operator or a game server ends one session of a member.
    static func kickOut(_ id: SessionID, of user: UserID, _ change: Change, in tx: Transaction) throws {
        try change.origin.requireName()
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        guard !account.isGone else { throw Refusal(.authNotExistMember) }
        try end(id, of: account, .kickedOut, change, in: tx)
        try change.record(.sessionKickedOut(id), of: user, in: tx)
    }

    /// Ends a session of a member whose row is locked. One answer for all ids that don't name such a session says nothing about those of
    /// other members.
    private static func end(
        _ id: SessionID, of account: Account, _ end: SessionEnd, _ change: Change, in tx: Transaction
    ) throws {
        guard let session = try SessionQueries.session(id, app: account.app, in: tx)?.session,
            session.user == account.user, SessionRules.lives(session, account, change.context),
            try SessionRules.end(session, end, change, in: tx)
        else {
            throw Refusal(
                .invalidParameter, "The member has no such session, or it has ended.", reason: .sessionUnknown,
                details: ErrorDetails(parameter: "sessionId"))
        }
    }
}
