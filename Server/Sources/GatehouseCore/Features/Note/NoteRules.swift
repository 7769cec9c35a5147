import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Notes of operators about members. They are deleted with the member's withdrawal.
enum NoteRules {
    /// Upper bound on a member's notes.
    private static let maximum = 200
    /// Upper bound on the changes of a note.
    private static let maximumChanges = 50

    static func add(_ text: String, to user: UserID, _ change: Change, in tx: Transaction) throws {
        let notes = try notes(of: user, change, in: tx)
        try check(text)
        guard notes.count < maximum else { throw Refusal.parameter("text", "A member has at most \(maximum) notes.") }
        let note = MemberNote(
            id: TimeOrderedID.entry(at: change.moment, random: change.random), author: change.origin.name ?? "",
            text: text, date: change.moment)
        try NoteQueries.insert(note, of: user, app: change.app.id, in: tx)
        try change.record(.memberNoted, about: user, in: tx)
    }

    /// Replaces a note's text. What it said before stays beside it.
    static func edit(
        _ id: String, to text: String, of user: UserID, _ change: Change, in tx: Transaction
    ) throws {
        let note = try note(id, of: user, change, in: tx)
        try check(text)
        guard note.text != text else { return }
        guard note.earlier.count < maximumChanges else {
            throw Refusal.parameter("text", "A note is changed at most \(maximumChanges) times: write another one.")
        }
        try NoteQueries.edit(
            note, to: text, by: change.origin.name ?? "",
            version: TimeOrderedID.entry(at: change.moment, random: change.random), of: user, app: change.app.id,
            at: change.moment, in: tx)
        try change.record(.noteEdited, about: user, in: tx)
    }

    static func pin(
        _ id: String, _ isPinned: Bool, of user: UserID, _ change: Change, in tx: Transaction
    ) throws {
        let note = try note(id, of: user, change, in: tx)
        try NoteQueries.pin(note.id, isPinned, of: user, app: change.app.id, in: tx)
        try change.record(.notePinned, about: user, in: tx)
    }

    /// A note that is about to be changed.
    ///
    /// - Throws: ``ImpossibleAction`` if the member has no such note.
    static func shown(_ id: String, of user: UserID, _ view: OperatorView, in tx: Reader) throws -> MemberNote {
        let notes = try NoteQueries.notes(of: user, app: view.app, limit: maximum, in: tx)
        guard let note = notes.first(where: { $0.id == id }) else {
            throw ImpossibleAction(phrase: "note.unknown", parameter: "note")
        }
        return note
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try NoteQueries.deleteAll(of: user, app: app, in: tx)
    }

    /// The notes of a page of the member's entries, newest first.
    static func notes(
        of user: UserID, app: AppID, in ids: Range<String>, limit: Int, in tx: Reader
    ) throws -> [MemberNote] {
        try NoteQueries.notes(of: user, app: app, in: ids, limit: limit, in: tx)
    }

    /// The notes that stand before the others, newest first.
    static func pinned(of user: UserID, app: AppID, in tx: Reader) throws -> [MemberNote] {
        try NoteQueries.pinned(of: user, app: app, limit: maximum, in: tx)
    }

    /// The notes of all members of an app whose ids are in a range, newest first.
    static func notes(
        of app: AppID, in ids: Range<String>, limit: Int, in tx: Reader
    ) throws -> [(user: UserID, note: MemberNote)] {
        try NoteQueries.notes(of: app, in: ids, limit: limit, in: tx)
    }

    private static func check(_ text: String) throws {
        guard (1...MemberNote.maximumLength).contains(text.unicodeScalars.count), !text.utf8.contains(0) else {
            throw Refusal.parameter("text", "A note has 1 to \(MemberNote.maximumLength) characters.")
        }
    }

    /// The notes of a member whose row is locked.
    private static func notes(of user: UserID, _ change: Change, in tx: Transaction) throws -> [MemberNote] {
        try change.origin.requireName()
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        guard account.status != .withdrawn else { throw Refusal(.authNotExistMember, reason: .withdrawn) }
        return try NoteQueries.notes(of: user, app: change.app.id, limit: maximum, in: tx)
    }

    private static func note(
        _ id: String, of user: UserID, _ change: Change, in tx: Transaction
    ) throws -> MemberNote {
        guard let note = try notes(of: user, change, in: tx).first(where: { $0.id == id }) else {
            throw Refusal.parameter("note", "The member has no such note.")
        }
        return note
    }
}
