import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Tables `member_notes` and `member_note_versions`.
@Suite struct NoteQueryTests {
    private static let user = MemberQueryTests.user

    @Test("Notes are read newest first, and deleted with their member", arguments: Engine.available)
    func notes(engine: Engine) async throws {
        let notes = (1...3).map { seconds in
            MemberNote(
                id: Tables.id(at: Tables.moment + seconds), author: "kim", text: Tables.text,
                date: Tables.moment + seconds)
        }
        try await Tables.transact(engine) { tx in
            for note in notes { try NoteQueries.insert(note, of: Self.user, app: Tables.app, in: tx) }
            try NoteQueries.insert(notes[0], of: MemberQueryTests.neighbour, app: Tables.app, in: tx)
            try NoteQueries.insert(notes[0], of: Self.user, app: Tables.otherApp, in: tx)
            let found = { (user: UserID, app: AppID) in try NoteQueries.notes(of: user, app: app, limit: 2, in: tx) }
            #expect(try found(Self.user, Tables.app) == [notes[2], notes[1]])
            let range = { (ids: Range<String>) in
                try NoteQueries.notes(of: Self.user, app: Tables.app, in: ids, limit: 2, in: tx)
            }
            #expect(try range(""..<notes[2].id) == [notes[1], notes[0]])
            #expect(try range(notes[1].id..<TimeOrderedID.end) == [notes[2], notes[1]])
            try NoteQueries.deleteAll(of: Self.user, app: Tables.app, in: tx)
            #expect(try found(Self.user, Tables.app).isEmpty)
            #expect(try found(MemberQueryTests.neighbour, Tables.app) == [notes[0]])
            #expect(try found(Self.user, Tables.otherApp) == [notes[0]])
        }
    }

    @Test("Notes of all members of an app are read newest first, within a time", arguments: Engine.available)
    func ofApp(engine: Engine) async throws {
        let notes = (1...3).map { seconds in
            MemberNote(
                id: Tables.id(at: Tables.moment + seconds), author: "kim", text: Tables.text,
                date: Tables.moment + seconds)
        }
        try await Tables.transact(engine) { tx in
            try NoteQueries.insert(notes[0], of: Self.user, app: Tables.app, in: tx)
            try NoteQueries.insert(notes[1], of: MemberQueryTests.neighbour, app: Tables.app, in: tx)
            try NoteQueries.insert(notes[2], of: Self.user, app: Tables.app, in: tx)
            try NoteQueries.insert(notes[1], of: Self.user, app: Tables.otherApp, in: tx)
            let found = { (app: AppID, ids: Range<String>, limit: Int) in
                try NoteQueries.notes(of: app, in: ids, limit: limit, in: tx).map { "\($0.user) \($0.note.id)" }
            }
            let all = ""..<TimeOrderedID.end
            let expected = [
                "\(Self.user) \(notes[2].id)", "\(MemberQueryTests.neighbour) \(notes[1].id)",
                "\(Self.user) \(notes[0].id)",
            ]
            #expect(try found(Tables.app, all, 9) == expected && found(Tables.app, all, 1) == [expected[0]])
            #expect(try found(Tables.app, notes[1].id..<notes[2].id, 9) == [expected[1]])
            #expect(try found(Tables.otherApp, all, 9) == ["\(Self.user) \(notes[1].id)"])
            #expect(try NoteQueries.notes(of: Tables.app, in: all, limit: 1, in: tx).map(\.note) == [notes[2]])
        }
    }

    @Test("SQLite finds an app's notes by their index, and sorts nothing")
    func plan() async throws {
        let statement: SQL = """
            EXPLAIN QUERY PLAN SELECT body FROM member_notes
            WHERE app_id = 'a' AND note_id >= '1' AND note_id < '2' ORDER BY note_id DESC LIMIT 9
            """
        try await Tables.open(.sqlite) { database in
            let steps = try await database.read { tx in try tx.rows(statement) { row in try row[3] as String } }
            #expect(steps.count == 1 && steps.first?.contains(" USING INDEX member_notes_app ") == true, "\(steps)")
        }
    }

    @Test("A note keeps what it said before each change, and pinned ones come first", arguments: Engine.available)
    func versions(engine: Engine) async throws {
        let notes = (1...2).map { seconds in
            MemberNote(
                id: Tables.id(at: Tables.moment + seconds), author: "kim", text: Tables.text,
                date: Tables.moment + seconds)
        }
        try await Tables.transact(engine) { tx in
            let found = { try NoteQueries.notes(of: Self.user, app: Tables.app, limit: 9, in: tx) }
            for note in notes { try NoteQueries.insert(note, of: Self.user, app: Tables.app, in: tx) }
            try NoteQueries.insert(notes[0], of: Self.user, app: Tables.otherApp, in: tx)
            let edit = { (text: String, editor: String, seconds: Int64) in
                let note = try #require(try found().first { $0.id == notes[0].id })
                try NoteQueries.edit(
                    note, to: text, by: editor, version: Tables.id(at: Tables.moment + seconds), of: Self.user,
                    app: Tables.app, at: Tables.moment + seconds, in: tx)
            }
            try edit("second", "lee", 5)
            try edit("third", "ann", 6)
            try NoteQueries.pin(notes[0].id, true, of: Self.user, app: Tables.app, in: tx)
            let changed = try #require(try found().first)
            #expect(changed.id == notes[0].id && changed.isPinned && changed.text == "third")
            #expect(changed.editor == "ann" && changed.editedAt == Tables.moment + 6 && changed.author == "kim")
            #expect(
                changed.earlier == [
                    .init(author: "lee", text: "second", date: Tables.moment + 5),
                    .init(author: "kim", text: Tables.text, date: Tables.moment + 1),
                ])
            #expect(try NoteQueries.pinned(of: Self.user, app: Tables.app, limit: 9, in: tx) == [changed])
            #expect(try NoteQueries.pinned(of: Self.user, app: Tables.otherApp, limit: 9, in: tx).isEmpty)
            #expect(try NoteQueries.notes(of: Self.user, app: Tables.otherApp, limit: 9, in: tx) == [notes[0]])
            try NoteQueries.pin(notes[0].id, false, of: Self.user, app: Tables.app, in: tx)
            #expect(try found().first == notes[1])
            try NoteQueries.deleteAll(of: Self.user, app: Tables.app, in: tx)
            #expect(try tx.count("member_note_versions") == 0 && found().isEmpty)
        }
    }
}
