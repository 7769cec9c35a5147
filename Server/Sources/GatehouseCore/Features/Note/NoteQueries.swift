import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Tables `member_notes` and `member_note_versions`.
enum NoteQueries {
    static func insert(_ note: MemberNote, of user: UserID, app: AppID, in tx: Draft) throws {
        try tx.insert(
            into: "member_notes",
            [
                "app_id": app, "note_id": note.id, "user_id": user, "author": note.author, "body": note.text,
                "created_at": note.date,
            ])
    }

    /// A member's notes with their earlier versions: those that are pinned, and then the others, newest first.
    static func notes(of user: UserID, app: AppID, limit: Int, in tx: Reader) throws -> [MemberNote] {
        try notes(of: user, app: app, where: "", by: "is_pinned DESC, note_id DESC", limit: limit, in: tx)
    }

    /// The notes whose ids are in a range, newest first.
    static func notes(
        of user: UserID, app: AppID, in ids: Range<String>, limit: Int, in tx: Reader
    ) throws -> [MemberNote] {
        let range: SQL = "AND note_id >= \(ids.lowerBound) AND note_id < \(ids.upperBound)"
        return try notes(of: user, app: app, where: range, by: "note_id DESC", limit: limit, in: tx)
    }

    /// The notes that are pinned, newest first.
    static func pinned(of user: UserID, app: AppID, limit: Int, in tx: Reader) throws -> [MemberNote] {
        try notes(of: user, app: app, where: "AND is_pinned", by: "note_id DESC", limit: limit, in: tx)
    }

    /// The notes of all members of an app whose ids are in a range, newest first, without their earlier versions.
    static func notes(
        of app: AppID, in ids: Range<String>, limit: Int, in tx: Reader
    ) throws -> [(user: UserID, note: MemberNote)] {
        try tx.rows(
            """
            SELECT user_id, note_id, author, body, created_at, is_pinned, edited_by, edited_at FROM member_notes
            WHERE app_id = \(app) AND note_id >= \(ids.lowerBound) AND note_id < \(ids.upperBound)
            ORDER BY note_id DESC LIMIT \(limit)
            """
        ) { row in
            var columns = row.columns
            return (try columns.next(), try note(of: &columns))
        }
    }

    private static func note(of columns: inout ColumnReader) throws -> MemberNote {
        MemberNote(
            id: try columns.next(), author: try columns.next(), text: try columns.next(), date: try columns.next(),
            isPinned: try columns.next(), editor: try columns.next(), editedAt: try columns.next())
    }

    private static func notes(
        of user: UserID, app: AppID, where condition: SQL, by order: SQL, limit: Int, in tx: Reader
    ) throws -> [MemberNote] {
        var notes = try tx.rows(
            """
            SELECT note_id, author, body, created_at, is_pinned, edited_by, edited_at FROM member_notes
            WHERE user_id = \(user) AND app_id = \(app) \(condition) ORDER BY \(order) LIMIT \(limit)
            """
        ) { row in
            var columns = row.columns
            return try note(of: &columns)
        }
        guard notes.contains(where: { $0.editor != nil }) else { return notes }
        let versions = try tx.rows(
            """
            SELECT note_id, author, body, written_at FROM member_note_versions
            WHERE user_id = \(user) AND app_id = \(app) ORDER BY version_id DESC
            """
        ) { row in
            (note: try row[0] as String, MemberNote.Version(author: try row[1], text: try row[2], date: try row[3]))
        }
        for index in notes.indices where notes[index].editor != nil {
            notes[index].earlier = versions.filter { $0.note == notes[index].id }.map(\.1)
        }
        return notes
    }

    /// Replaces a note's text, and keeps what it said.
    ///
    /// - Parameter version: identifies what it said; ids of later versions are greater.
    static func edit(
        _ note: MemberNote, to text: String, by editor: String, version: String, of user: UserID, app: AppID,
        at moment: Moment, in tx: Transaction
    ) throws {
        try tx.insert(
            into: "member_note_versions",
            [
                "app_id": app, "version_id": version, "note_id": note.id, "user_id": user,
                "author": note.editor ?? note.author, "body": note.text, "written_at": note.editedAt ?? note.date,
            ])
        try tx.execute(
            """
            UPDATE member_notes SET body = \(text), edited_by = \(editor), edited_at = \(moment)
            WHERE user_id = \(user) AND app_id = \(app) AND note_id = \(note.id)
            """)
    }

    static func pin(_ id: String, _ isPinned: Bool, of user: UserID, app: AppID, in tx: Transaction) throws {
        try tx.execute(
            """
            UPDATE member_notes SET is_pinned = \(isPinned)
            WHERE user_id = \(user) AND app_id = \(app) AND note_id = \(id)
            """)
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "member_notes", where: ["user_id": user, "app_id": app])
        try tx.delete(from: "member_note_versions", where: ["user_id": user, "app_id": app])
    }
}
