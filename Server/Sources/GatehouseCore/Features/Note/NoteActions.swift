import GatehouseStorage
package import GatehouseWire

/// Adds a note to a member.
package struct AddMemberNote: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.support

    let user: UserID
    let text: String

    package init(user: UserID, text: String) {
        self.user = user
        self.text = text
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try NoteRules.add(text, to: user, change, in: tx) }
    }
}

/// Changes the text of a note. What it said before is kept beside it.
package struct EditMemberNote: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.support

    let user: UserID
    let note: String
    let text: String

    package init(user: UserID, note: String, text: String) {
        self.user = user
        self.note = note
        self.text = text
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try NoteRules.edit(note, to: text, of: user, change, in: tx) }
    }
}

/// Puts a note before the others, or back among them.
package struct PinMemberNote: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.support

    let user: UserID
    let note: String
    let isPinned: Bool

    package init(user: UserID, note: String, isPinned: Bool) {
        self.user = user
        self.note = note
        self.isPinned = isPinned
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try NoteRules.pin(note, isPinned, of: user, change, in: tx) }
    }
}

/// Lists the notes about a member: those that are pinned, and then the others, newest first.
package struct ListMemberNotes: Report {
    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    func read(_ view: Viewpoint, in tx: Reader) throws -> [MemberNote] {
        try NoteQueries.notes(of: user, app: view.app.id, limit: 200, in: tx)
    }
}
