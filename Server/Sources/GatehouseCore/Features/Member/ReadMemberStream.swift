package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

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
