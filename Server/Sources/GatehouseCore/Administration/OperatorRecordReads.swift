import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

// What operators have done, in the app or to the server as a whole, where it is asked.

extension UseCase where Self == Read<TargetState> {
    /// The state of a target, before a change of it is shown.
    package static func state(of target: ActionTarget) -> Self {
        Read(as: .viewer, onServer: .viewer, isQuick: true) { context, tx in
            try OperatorRecordRules.state(of: target, app: context.appID, in: tx)
        }
    }
}

extension UseCase where Self == Read<OperatorRecord?> {
    /// One record; nil if there is no such record, or if the person may not know whose it is.
    package static func operatorRecord(_ id: String) -> Self {
        Read(as: .viewer, onServer: .viewer, isQuick: true) { context, tx in
            try OperatorRecordQueries.find(id, in: tx).flatMap {
                $0.app == context.appID && OperatorRecordRules.maySee($0, context.actor) ? $0 : nil
            }
        }
    }

    /// The record of a page that was sent; nil if it was not.
    package static func operatorRecord(once: String, by person: OperatorID) -> Self {
        Read(as: .viewer, onServer: .viewer, isQuick: true) { _, tx in
            try OperatorRecordQueries.find(once: once, of: person, in: tx)
        }
    }
}

extension UseCase where Self == Read<[OperatorRecord]> {
    /// What operators have done, newest first. Below an operator, who has done it is shown of the own records only.
    ///
    /// - Parameters:
    ///   - target: only what was done to this target.
    ///   - last: the last row of the page before.
    package static func operatorRecords(
        of target: ActionTarget? = nil, before last: String? = nil, limit: Int
    ) -> Self {
        let limit = max(1, min(limit, 1_000))
        return Read(as: .viewer, onServer: .owner) { context, tx in
            let records =
                if let app = context.appID, let target {
                    try OperatorRecordQueries.records(of: app, target: target.text, limit: limit, in: tx)
                } else if let app = context.appID {
                    try OperatorRecordQueries.records(of: app, before: last, limit: limit, in: tx)
                } else {
                    try OperatorRecordQueries.recordsOfServer(
                        target: target?.text, before: last, limit: limit, in: tx)
                }
            return records.map { OperatorRecordRules.shown($0, to: context.actor) }
        }
    }

    /// What was done by some actions in an app, as far as it is among its newest records.
    package static func operatorRecords(by actions: [String], among count: Int) -> Self {
        Read { context, tx in
            try OperatorRecordQueries.records(
                of: context.app.id, by: actions, among: max(1, min(count, 1_000)), in: tx
            ).map { OperatorRecordRules.shown($0, to: context.actor) }
        }
    }
}

extension UseCase where Self == Read<[String]> {
    /// The last different reasons that a person has given, newest first.
    package static func lastReasons(of person: OperatorID) -> Self {
        Read(as: .viewer, onServer: .viewer, isQuick: true) { context, tx in
            try OperatorRecordRules.lastReasons(of: person, app: context.appID, in: tx)
        }
    }

    /// The names of those who have lately done something in the app, or anywhere, for a choice. It looks at the newest 1,000 records.
    package static var recordedPeople: Self {
        Read(as: .operator, onServer: .owner) { context, tx in
            try OperatorRecordQueries.people(of: context.appID, lookingAt: 1_000, in: tx).sorted()
        }
    }
}

extension Actions {
    /// Writes an audit line about an operator who has tried what the role does not permit.
    package func noteRefusedAction(_ name: String, by person: Operator, in app: AppID?, at address: ClientAddress) {
        services.reporter.audit.record(
            AuditLog.Entry(
                event: "operator.not-permitted", app: app, actor: .operator, address: address.description,
                transactionID: nil, subject: ["by": person.name, "action": name]))
    }

    /// Writes an audit line about a form that another page has sent, or another session (CON-1).
    package func noteForeignForm(by name: String?, at address: ClientAddress) {
        services.reporter.audit.record(
            AuditLog.Entry(
                event: "operator.foreign-form", app: nil, actor: .operator, address: address.description,
                transactionID: nil, subject: name.map { ["by": $0] } ?? [:]))
    }
}

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
        package let changes: [OperatorRecord]
        /// The notes that mention the reader.
        package let mentions: [Note]
        /// The other notes.
        package let notes: [Note]
        /// Whether there is more of the actions, or of the notes.
        package let hasMoreChanges: Bool
        package let hasMoreNotes: Bool
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let (app, actor) = (work.app.id, work.actor)
        let begin = TimeOrderedID.firstEntry(at: since)
        let ids = begin..<max(begin, until.map { TimeOrderedID.firstEntry(at: $0) } ?? TimeOrderedID.end)
        return try await work.report { tx in
            let records = try OperatorRecordQueries.records(of: app, in: ids, limit: Self.bound, in: tx)
            let changes = records.compactMap { OperatorRecordRules.handedOver($0, to: actor) }
            let notes = try NoteRules.notes(of: app, in: ids, limit: Self.bound, in: tx).map {
                Note(user: $0.user, note: $0.note)
            }
            let mentions = notes.filter { NotePiece.mentions(actor.name ?? "", in: $0.note.text) }
            let others = notes.filter { !mentions.contains($0) }
            return Outcome(
                changes: Array(changes.prefix(limit)), mentions: Array(mentions.prefix(limit)),
                notes: Array(others.prefix(limit)),
                hasMoreChanges: changes.count > limit || records.count == Self.bound,
                hasMoreNotes: others.count > limit || notes.count == Self.bound)
        }
    }
}

/// Lists the members that an operator has changed last, newest first, each once. It looks through a bounded number of everybody's records.
package struct ListRecentMembers: ServerAction {
    package static let role: OperatorRole? = nil

    package struct Entry: Sendable, Hashable {
        package let app: AppID
        package let user: UserID
        package let date: Moment
    }

    /// The number of records that are looked through.
    private static let bound = 1_000
    let person: OperatorID
    let limit: Int

    package init(of person: OperatorID, limit: Int) {
        self.person = person
        self.limit = limit
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [Entry] {
        try await services.database.report { tx in
            var entries: [Entry] = []
            for record in try OperatorRecordQueries.targets(of: person, among: Self.bound, in: tx) {
                guard case .member(let user)? = ActionTarget(record.target), let app = record.app,
                    !entries.contains(where: { $0.app == app && $0.user == user })
                else { continue }
                entries.append(Entry(app: app, user: user, date: record.date))
                if entries.count == limit { break }
            }
            return entries
        }
    }
}
