import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Reads what the next shift has to know of a time in an app: what operators have done, and the notes that they have written, newest first.
/// It looks at a bounded number of each.
package struct ReadHandOver: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.support

    /// Upper bound on the actions and on the notes that are looked at, the newest first.
    private static let bound = 1_000

    let since: Moment
    /// The moment before which it happened; nil for now.
    let until: Moment?
    let limit: Int

    /// - Parameter limit: upper bound on the rows of each list.
    package init(since: Moment, until: Moment?, limit: Int) {
        self.since = since
        self.until = until
        self.limit = max(1, min(limit, Self.bound))
    }

    /// A note with the member that it is about.
    package struct Note: Sendable, Hashable {
        package let user: UserID
        package let note: MemberNote
    }

    package struct Outcome: Sendable {
        /// What operators have done, as the reader may see it.
        package let deeds: [DeedRecord]
        /// The notes that mention the reader.
        package let mentions: [Note]
        /// The other notes.
        package let notes: [Note]
        /// Whether there is more of the actions, or of the notes.
        package let hasMoreDeeds: Bool
        package let hasMoreNotes: Bool
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let (app, actor) = (work.app.id, work.actor)
        let begin = TimeOrderedID.firstEntry(at: since)
        let ids = begin..<max(begin, until.map { TimeOrderedID.firstEntry(at: $0) } ?? TimeOrderedID.end)
        return try await work.report { tx in
            let records = try DeedQueries.records(of: app, in: ids, limit: Self.bound, in: tx)
            let deeds = records.compactMap { DeedRules.handedOver($0, to: actor) }
            let notes = try NoteRules.notes(of: app, in: ids, limit: Self.bound, in: tx).map {
                Note(user: $0.user, note: $0.note)
            }
            let mentions = notes.filter { NotePiece.mentions(actor.name ?? "", in: $0.note.text) }
            let others = notes.filter { !mentions.contains($0) }
            return Outcome(
                deeds: Array(deeds.prefix(limit)), mentions: Array(mentions.prefix(limit)),
                notes: Array(others.prefix(limit)),
                hasMoreDeeds: deeds.count > limit || records.count == Self.bound,
                hasMoreNotes: others.count > limit || notes.count == Self.bound)
        }
    }
}
