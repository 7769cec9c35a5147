import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// What an operator has written about a member for the other operators.
package struct MemberNote: Sendable, Hashable {
    /// What a note said before a change.
    package struct Version: Sendable, Hashable {
        package let author: String
        package let text: String
        package let date: Moment
    }

    /// Ids sort in chronological order.
    package let id: String
    package let author: String
    package let text: String
    package let date: Moment
    /// Whether it stands before the others.
    package var isPinned = false
    /// Who has changed it last; nil if it is as it was written.
    package var editor: String?
    package var editedAt: Moment?
    /// What it said before, newest first.
    package var earlier: [Version] = []

    /// Upper bound on a note's letters.
    package static let maximumLength = 2_000
}

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
    static func shown(_ id: String, of user: UserID, _ context: OperatorContext, in tx: Reader) throws -> MemberNote {
        let notes = try NoteQueries.notes(of: user, app: context.app.id, limit: maximum, in: tx)
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

/// A part of what an operator has written: plain text, the name of an operator after `@`, or the number of a ticket after `#`.
package enum NotePiece: Sendable, Hashable {
    case text(String)
    /// A name as it is written, without the sign.
    case name(String)
    /// A number, without the sign.
    case ticket(String)

    /// The parts of a text, in their order. It is read by bytes, because anything may stand in it.
    package static func pieces(of text: String) -> [NotePiece] {
        let bytes = Array(text.utf8)
        var pieces: [NotePiece] = []
        var (start, place) = (0, 0)
        func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        while place < bytes.count {
            guard let end = Self.end(of: bytes, from: place) else {
                place += 1
                continue
            }
            if start < place { pieces.append(.text(string(start..<place))) }
            let word = string(place + 1..<end)
            pieces.append(bytes[place] == at ? .name(word) : .ticket(word))
            (start, place) = (end, end)
        }
        if start < bytes.count { pieces.append(.text(string(start..<bytes.count))) }
        return pieces
    }

    /// Whether a text mentions an operator.
    package static func mentions(_ name: String, in text: String) -> Bool {
        text.utf8.contains(at)
            && pieces(of: text).contains {
                if case .name(let word) = $0 { word.lowercasedASCII == name } else { false }
            }
    }

    private static let at = UInt8(ascii: "@")
    private static let (longestName, longestNumber) = (64, 12)

    /// The end of a name or of a number whose sign stands at a place; nil if there is none, as in an address of mail.
    private static func end(of bytes: [UInt8], from place: Int) -> Int? {
        let isName = bytes[place] == at
        guard isName || bytes[place] == UInt8(ascii: "#"), place == 0 || !isPart(bytes[place - 1]) else { return nil }
        var end = place + 1
        while end < bytes.count, isName ? isPart(bytes[end]) : ASCII.isDigit(bytes[end]) { end += 1 }
        // A sentence may end behind a name.
        while isName, end > place + 1, !ASCII.isLetterOrDigit(bytes[end - 1]) { end -= 1 }
        let isWhole = isName || end == bytes.count || !isPart(bytes[end]) || bytes[end] == UInt8(ascii: ".")
        let length = end - place - 1
        return isWhole && length > 0 && length <= (isName ? longestName : longestNumber) ? end : nil
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
    }
}
