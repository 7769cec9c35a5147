import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Reads the state of a target, before a change of it is shown.
package struct ReadDeedState: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package let target: DeedTarget

    package init(target: DeedTarget) {
        self.target = target
    }

    package func perform(_ work: Work) async throws -> DeedState {
        let app = work.app.id
        return try await work.services.database.read { [target] tx in
            try DeedRules.state(of: target, app: app, in: tx)
        }
    }
}

/// Reads one deed of an app; nil if there is no such deed, or if the person may not know whose it is.
package struct ReadDeed: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package let id: String

    package init(id: String) {
        self.id = id
    }

    package func perform(_ work: Work) async throws -> DeedRecord? {
        let (app, actor) = (work.app.id, work.actor)
        return try await work.services.database.read { [id] tx in
            try DeedQueries.find(id, in: tx).flatMap { $0.app == app && DeedRules.maySee($0, actor) ? $0 : nil }
        }
    }
}

/// Lists what operators have done in an app, newest first. Below an operator, who has done it is shown of the own deeds only.
package struct ListDeeds: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    /// Only what was done to this target.
    package let target: DeedTarget?
    /// The last row of the page before.
    package let before: String?
    package let limit: Int
    /// Only those of the limit that are one of these actions.
    package let actions: [String]?

    package init(target: DeedTarget? = nil, before: String? = nil, limit: Int) {
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

    package func perform(_ work: Work) async throws -> [DeedRecord] {
        let app = work.app.id
        let count = max(1, min(limit, 1_000))
        let actor = work.actor
        return try await work.services.database.report { [target, before, actions] tx in
            let records =
                if let target {
                    try DeedQueries.records(of: app, target: target.text, limit: count, in: tx)
                } else if let actions {
                    try DeedQueries.records(of: app, by: actions, among: count, in: tx)
                } else {
                    try DeedQueries.records(of: app, before: before, limit: count, in: tx)
                }
            return records.map { DeedRules.shown($0, to: actor) }
        }
    }
}

/// Finds the record of a page that was sent; nil if it was not.
package struct FindDeed: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package let once: String
    package let person: OperatorID

    package init(once: String, person: OperatorID) {
        self.once = once
        self.person = person
    }

    package func perform(_ work: Work) async throws -> DeedRecord? {
        try await work.services.database.read { [once, person] tx in
            try DeedQueries.find(once: once, of: person, in: tx)
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
            try DeedRules.lastReasons(of: person, app: app, in: tx)
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

/// Lists the names of those who have lately done something in an app, for a choice.
package struct ListDeedPeople: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    /// How many deeds are looked at.
    static let looked = 1_000

    package init() {}

    package func perform(_ work: Work) async throws -> [String] {
        let app = work.app.id
        return try await work.report { tx in
            try DeedQueries.people(of: app, lookingAt: Self.looked, in: tx).sorted()
        }
    }
}

/// Lists the names of those who have lately done something anywhere.
package struct ListServerDeedPeople: ServerAction {
    package init() {}

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [String] {
        try await services.database.report { tx in
            try DeedQueries.people(of: nil, lookingAt: ListDeedPeople.looked, in: tx).sorted()
        }
    }
}

/// Lists the members that an operator has changed last, newest first, each once. It looks through a bounded number of everybody's deeds.
package struct ListRecentMembers: ServerAction {
    package static let role: OperatorRole? = nil

    package struct Entry: Sendable, Hashable {
        package let app: AppID
        package let user: UserID
        package let date: Moment
    }

    /// The number of deeds that are looked through.
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
            for deed in try DeedQueries.targets(of: person, among: Self.bound, in: tx) {
                guard case .member(let user)? = DeedTarget(deed.target), let app = deed.app,
                    !entries.contains(where: { $0.app == app && $0.user == user })
                else { continue }
                entries.append(Entry(app: app, user: user, date: deed.date))
                if entries.count == limit { break }
            }
            return entries
        }
    }
}
