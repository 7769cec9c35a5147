import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

extension UseCase where Self == Read<MemberReport> {
    /// What an operator may know of a member.
    package static func memberReport(of user: UserID) -> Self {
        Read { context, tx in try MemberReport(of: user, context, in: tx) }
    }
}

extension MemberReport {
    init(of user: UserID, _ context: OperatorContext, in tx: Reader) throws {
        let (app, moment) = (context.app.id, context.moment)
        let account = try context.account(of: user, in: tx)
        self.init(
            member: try MemberRules.member(account, in: tx),
            ban: try account.holds.ban.flatMap { try HoldQueries.ban($0.id, app: app, in: tx) },
            restorableUntilDate: account.holds.restorableUntil?.milliseconds,
            formerProviders: account.status != .missing
                ? [] : try FormerIdentityQueries.identities(of: user, app: app, at: moment, in: tx).map(\.provider))
    }
}

/// A member's data for an operator.
public struct MemberReport: Sendable {
    public let member: Member
    public let ban: BanRecord?
    /// The end of the time during which a missing member can be restored, in milliseconds since 1970, UTC.
    public let restorableUntilDate: Int64?
    /// The identity providers that a missing member can be restored with.
    public let formerProviders: [Provider]
}

/// Reads what an operator sees at first of a member beside its report: the pinned notes, the tickets, the last bans, what the member is in
/// other systems, and identities that have lately moved between it and another member.
package struct ReadMemberCard: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    /// Upper bound on the bans, the changes of identities and the operators' actions that are looked at, the newest first.
    private static let limit = 50

    let user: UserID

    package init(of user: UserID) {
        self.user = user
    }

    package struct Outcome: Sendable {
        package let pinned: [MemberNote]
        /// The tickets that operators have named, the newest first. Support sees its own.
        package let tickets: [String]
        /// The newest first.
        package let bans: [BanRecord]
        /// What the member is in the systems that members come from.
        package let legacy: [LegacyMember]
        /// The newest first.
        package let moves: [IdentityMove]
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let (context, actor) = (work.context, work.actor)
        let app = context.app.id
        return try await work.report { tx in
            let account = try MemberRules.known(user, app: app, in: tx)
            let records = try OperatorRecordQueries.records(
                of: app, target: ActionTarget.member(user).text, limit: Self.limit, in: tx)
            var tickets: [String] = []
            for case let ticket? in records.filter({ OperatorRecordRules.maySee($0, actor) }).map(\.ticket)
            where !tickets.contains(ticket) {
                tickets.append(ticket)
            }
            return Outcome(
                pinned: try NoteRules.pinned(of: user, app: app, in: tx), tickets: tickets,
                bans: try BanRules.newest(of: user, app: app, limit: Self.limit, in: tx),
                legacy: try LegacyRules.members(of: user, app: app, in: tx),
                moves: try moves(of: account, context, in: tx)
            )
        }
    }

    private func moves(of account: Account, _ context: CallContext, in tx: Reader) throws -> [IdentityMove] {
        let since = context.moment.adding(seconds: -Int64(context.app.policy.restoreDays) * 86_400)
        let changes = try LedgerQueries.changesOfIdentities(
            of: user, app: context.app.id, since: since, limit: Self.limit, in: tx)
        var seen: Set<String> = []
        return try changes.compactMap { entry in
            // An older change of the same identity is over.
            guard let idp = entry.details["idp"], seen.insert(idp).inserted, entry.origin.actor == .player else {
                return nil
            }
            let provider = Provider(idp)
            switch entry.event {
            case .mappingMovedHere:
                guard account.has(provider), let other = try self.other(entry.details["fromUserId"], context, in: tx)
                else { return nil }
                return try move(of: provider, from: other, to: account, entry, context, in: tx)
            case .mappingMovedAway:
                guard let other = try self.other(entry.details["toUserId"], context, in: tx), other.has(provider),
                    !account.has(provider), account.status != .withdrawn
                else { return nil }
                return try move(of: provider, from: account, to: other, entry, context, in: tx)
            default: return nil
            }
        }
    }

    private func other(_ user: String?, _ context: CallContext, in tx: Reader) throws -> Account? {
        try user.flatMap { try MemberQueries.account(UserID($0), app: context.app.id, in: tx) }
    }

    private func move(
        of provider: Provider, from former: Account, to holder: Account, _ entry: LedgerEntry, _ context: CallContext,
        in tx: Reader
    ) throws -> IdentityMove {
        var wayBack: IdentityMove.Return?
        if former.status == .missing {
            let kept = try FormerIdentityQueries.identities(
                of: former.user, app: context.app.id, at: context.moment, in: tx)
            if kept.contains(where: { $0.provider == provider }) { wayBack = .restoration }
        } else if !former.isGone, !former.has(provider), !holder.isBanned(at: context.moment) {
            wayBack = .move
        }
        return IdentityMove(
            provider: provider, holder: holder.user, former: former.user,
            date: Moment(milliseconds: entry.date), wayBack: wayBack)
    }
}

/// An identity that a player's forced mapping has lately taken from another member, and that is still with the one that took it.
package struct IdentityMove: Sendable, Hashable {
    /// How the identity can be given back.
    package enum Return: Sendable {
        /// The former member has nothing else, and is restored with it.
        case restoration
        /// The former member has other identities, and the identity is moved to it.
        case move
    }

    package let provider: Provider
    /// The member that has the identity now.
    package let holder: UserID
    /// The member that had it before.
    package let former: UserID
    package let date: Moment
    /// Nil if it can't be given back.
    package let wayBack: Return?
}

/// Reads a page of everything that happened to a member, newest first: the entries of its ledger, its refused calls, and the notes about
/// it.
///
/// Each source gives as many entries as the page has at most, and the newest of all make the page. So no source hides another, and a page
/// takes one short query of each, however long the member's history is.
package struct ReadMemberStream: Action {
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
        self.limit = max(1, min(limit, 1_000))
    }

    package func perform(_ work: Work) async throws -> [StreamEntry] {
        let app = work.app.id
        // Refused calls wait up to a second to be written.
        return try await work.reportRefusals { tx in
            let entries =
                try events(app, tx).map(StreamEntry.event) + refusals(app, tx).map(StreamEntry.refusal)
                + notes(app, tx).map(StreamEntry.note)
            return Array(entries.sorted { $0.id > $1.id }.prefix(limit))
        }
    }

    private func events(_ app: AppID, _ tx: Reader) throws -> [LedgerEntry] {
        try LedgerQueries.entries(
            of: user, app: app, before: before, by: actor, about: kind, since: since, until: until, limit: limit,
            in: tx)
    }

    /// What a player was refused is the player's doing.
    private func refusals(_ app: AppID, _ tx: Reader) throws -> [RefusedCall] {
        guard [nil, .refusals, .conflicts].contains(kind), [nil, .player].contains(actor), let ids else { return [] }
        return try RefusalRules.calls(
            of: user, app: app, in: ids, areConflicts: kind.map { $0 == .conflicts }, limit: limit, in: tx)
    }

    private func notes(_ app: AppID, _ tx: Reader) throws -> [MemberNote] {
        guard [nil, .notes].contains(kind), [nil, .operator].contains(actor), let ids else { return [] }
        return try NoteRules.notes(of: user, app: app, in: ids, limit: limit, in: tx)
    }

    /// The ids of the range of time, up to the page before; nil if there is none.
    private var ids: Range<String>? {
        let begin = since.map { TimeOrderedID.firstEntry(at: $0) } ?? ""
        let end = min(before ?? TimeOrderedID.end, until.map { TimeOrderedID.firstEntry(at: $0) } ?? TimeOrderedID.end)
        return begin < end ? begin..<end : nil
    }
}

/// Something that happened to a member or that was written about it, as one list of everything has it.
package enum StreamEntry: Sendable, Hashable {
    case event(LedgerEntry)
    case refusal(RefusedCall)
    case note(MemberNote)

    /// Ids of all sources are made in the same way, and sort in chronological order.
    package var id: String {
        switch self {
        case .event(let entry): entry.id
        case .refusal(let call): call.id
        case .note(let note): note.id
        }
    }

    package var date: Moment {
        switch self {
        case .event(let entry): Moment(milliseconds: entry.date)
        case .refusal(let call): call.date
        case .note(let note): note.date
        }
    }

    /// Nil for an event that a later version has added.
    package var kind: TimelineKind? {
        switch self {
        case .event(let entry): TimelineKind(of: entry.event)
        case .refusal(let call): call.isConflict ? .conflicts : .refusals
        case .note: .notes
        }
    }
}

extension UseCase where Self == Read<[Member]> {
    /// Members in the order of their registration.
    ///
    /// - Parameter last: the last member of the page before.
    package static func members(status: MemberStatus? = nil, after last: UserID? = nil, limit: Int = 50) -> Self {
        Read { context, tx in
            try MemberQueries.list(
                of: context.app.id, status: status, after: last, limit: max(1, min(limit, 1_000)), in: tx)
        }
    }
}

extension UseCase where Self == Read<[LedgerEntry]> {
    /// The ledger of a member, oldest entry first.
    package static func history(of user: UserID) -> Self {
        Read { context, tx in try LedgerQueries.entries(of: user, app: context.app.id, in: tx) }
    }
}
