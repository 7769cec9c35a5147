package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// What an operator has written about a member for the other operators.
package struct MemberNote: Sendable, Hashable {
    /// Ids sort in chronological order.
    package let id: String
    package let author: String
    package let text: String
    package let date: Moment

    /// Upper bound on a note's letters.
    package static let maximumLength = 2_000
}

/// Notes of operators about members. They are deleted with the member's withdrawal.
enum NoteRules {
    /// Upper bound on a member's notes.
    private static let maximum = 200

    static func add(_ text: String, to user: UserID, _ change: Change, in tx: Transaction) throws {
        try change.origin.requireName()
        guard (1...MemberNote.maximumLength).contains(text.unicodeScalars.count), !text.utf8.contains(0) else {
            throw Refusal.parameter("text", "A note has 1 to \(MemberNote.maximumLength) characters.")
        }
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        guard account.status != .withdrawn else { throw Refusal(.authNotExistMember, reason: .withdrawn) }
        let notes = try NoteQueries.notes(of: user, app: change.app.id, limit: maximum, in: tx)
        guard notes.count < maximum else { throw Refusal.parameter("text", "A member has at most \(maximum) notes.") }
        let note = MemberNote(
            id: TimeOrderedID.entry(at: change.moment, random: change.random), author: change.origin.name ?? "",
            text: text, date: change.moment)
        try NoteQueries.insert(note, of: user, app: change.app.id, in: tx)
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try NoteQueries.deleteAll(of: user, app: app, in: tx)
    }
}

/// Table `member_notes`.
enum NoteQueries {
    static func insert(_ note: MemberNote, of user: UserID, app: AppID, in tx: Draft) throws {
        try tx.insert(
            into: "member_notes",
            [
                "app_id": app, "note_id": note.id, "user_id": user, "author": note.author, "body": note.text,
                "created_at": note.date,
            ])
    }

    /// A member's notes, newest first.
    static func notes(of user: UserID, app: AppID, limit: Int, in tx: Reader) throws -> [MemberNote] {
        try tx.rows(
            """
            SELECT note_id, author, body, created_at FROM member_notes WHERE user_id = \(user) AND app_id = \(app)
            ORDER BY note_id DESC LIMIT \(limit)
            """
        ) { row in
            MemberNote(id: try row[0], author: try row[1], text: try row[2], date: try row[3])
        }
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "member_notes", where: ["user_id": user, "app_id": app])
    }
}

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

/// Lists the notes about a member, newest first.
package struct ListMemberNotes: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    package func perform(_ work: Work) async throws -> [MemberNote] {
        let app = work.app.id
        return try await work.services.database.report { [user] tx in
            try NoteQueries.notes(of: user, app: app, limit: 200, in: tx)
        }
    }
}
