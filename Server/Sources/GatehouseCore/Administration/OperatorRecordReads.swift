import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Reads the state of a target, before a change of it is shown.
package struct ReadTargetState: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package let target: ActionTarget

    package init(target: ActionTarget) {
        self.target = target
    }

    package func perform(_ work: Work) async throws -> TargetState {
        let app = work.app.id
        return try await work.services.database.read { [target] tx in
            try OperatorRecordRules.state(of: target, app: app, in: tx)
        }
    }
}

/// Reads one record of an app; nil if there is no such record, or if the person may not know whose it is.
package struct ReadOperatorRecord: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package let id: String

    package init(id: String) {
        self.id = id
    }

    package func perform(_ work: Work) async throws -> OperatorRecord? {
        let (app, actor) = (work.app.id, work.actor)
        return try await work.services.database.read { [id] tx in
            try OperatorRecordQueries.find(id, in: tx).flatMap {
                $0.app == app && OperatorRecordRules.maySee($0, actor) ? $0 : nil
            }
        }
    }
}

/// Lists what operators have done in an app, newest first. Below an operator, who has done it is shown of the own records only.
package struct ListOperatorRecords: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    /// Only what was done to this target.
    package let target: ActionTarget?
    /// The last row of the page before.
    package let before: String?
    package let limit: Int
    /// Only those of the limit that are one of these actions.
    package let actions: [String]?

    package init(target: ActionTarget? = nil, before: String? = nil, limit: Int) {
        self.target = target
        self.before = before
        self.limit = limit
        actions = nil
    }

    package init(by actions: [String], among limit: Int) {
        (target, before) = (nil, nil)
        self.actions = actions
        self.limit = limit
    }

    package func perform(_ work: Work) async throws -> [OperatorRecord] {
        let app = work.app.id
        let count = max(1, min(limit, 1_000))
        let actor = work.actor
        return try await work.services.database.report { [target, before, actions] tx in
            let records =
                if let target {
                    try OperatorRecordQueries.records(of: app, target: target.text, limit: count, in: tx)
                } else if let actions {
                    try OperatorRecordQueries.records(of: app, by: actions, among: count, in: tx)
                } else {
                    try OperatorRecordQueries.records(of: app, before: before, limit: count, in: tx)
                }
            return records.map { OperatorRecordRules.shown($0, to: actor) }
        }
    }
}

/// Finds the record of a page that was sent; nil if it was not.
package struct FindOperatorRecord: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package let once: String
    package let person: OperatorID

    package init(once: String, person: OperatorID) {
        self.once = once
        self.person = person
    }

    package func perform(_ work: Work) async throws -> OperatorRecord? {
        try await work.services.database.read { [once, person] tx in
            try OperatorRecordQueries.find(once: once, of: person, in: tx)
        }
    }
}

/// Lists the last different reasons that a person has given in an app, newest first.
package struct ListReasons: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package let person: OperatorID

    package init(of person: OperatorID) {
        self.person = person
    }

    package func perform(_ work: Work) async throws -> [String] {
        let app = work.app.id
        return try await work.services.database.read { [person] tx in
            try OperatorRecordRules.lastReasons(of: person, app: app, in: tx)
        }
    }
}

extension Actions {
    /// Writes an audit line about an operator who has tried what the role does not permit.
    package func noteRefusedDeed(_ name: String, by person: Operator, in app: AppID?, at address: ClientAddress) {
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

/// Lists the names of those who have lately done something in an app, for a choice.
package struct ListRecordedPeople: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    /// How many records are looked at.
    static let looked = 1_000

    package init() {}

    package func perform(_ work: Work) async throws -> [String] {
        let app = work.app.id
        return try await work.report { tx in
            try OperatorRecordQueries.people(of: app, lookingAt: Self.looked, in: tx).sorted()
        }
    }
}

/// Lists the names of those who have lately done something anywhere.
package struct ListServerRecordedPeople: ServerAction {
    package init() {}

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [String] {
        try await services.database.report { tx in
            try OperatorRecordQueries.people(of: nil, lookingAt: ListRecordedPeople.looked, in: tx).sorted()
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
