package import GatehouseStorage
package import GatehouseWire

/// Changes the text of a note. What it said before is kept beside it.
package struct EditMemberNote: OperatorAction {
    package static let about = OperatorActionAbout(
        "member.note-edited", role: .support, step: .plain, anchor: "notes")
    package static let inputs: [Input<Self>] = [.noteID(\.note), .note(\.text, label: "note.text")]

    let user: UserID
    var note = ""
    var text = ""

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package init(user: UserID, note: String, text: String) {
        self.user = user
        self.note = note
        self.text = text
    }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        text = try NoteRules.shown(note, of: user, view, in: tx).text
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        Preview(Phrase("note.edit-confirm", ["user": .user(user)]), [.verbatim(text)], undo: "note.edit-undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try NoteRules.edit(note, to: text, of: user, change, in: tx) }
    }
}
