package import GatehouseStorage
package import GatehouseWire

/// Puts a note before the others, or back among them.
package struct PinMemberNote: OperatorAction {
    package static let about = OperatorActionAbout(
        "member.note-pinned", role: .support, step: .plain, anchor: "notes")
    package static let inputs: [Input<Self>] = [.noteID(\.note), .mark(\.isPinned, "pinned")]

    let user: UserID
    var note = ""
    var isPinned = false

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package init(user: UserID, note: String, isPinned: Bool) {
        self.user = user
        self.note = note
        self.isPinned = isPinned
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let note = try NoteRules.shown(note, of: user, view, in: tx)
        var preview = Preview(
            isPinned ? "note.pin-confirm" : "note.unpin-confirm", [.verbatim(note.text)], undo: "note.pin-undo")
        preview.button = isPinned ? "note.pin" : "note.unpin"
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try NoteRules.pin(note, isPinned, of: user, change, in: tx) }
    }
}
