package import GatehouseStorage
package import GatehouseWire

/// Adds a note to a member.
package struct AddMemberNote: OperatorAction {
    package static let about = OperatorActionAbout("member.noted", role: .support, step: .plain, anchor: "notes")
    package static let inputs: [Input<Self>] = [.note(\.text, label: "note.new")]

    let user: UserID
    var text = ""

    package init(on target: DeedTarget) throws {
        user = try target.requireMember()
    }

    package var subject: DeedTarget { .member(user) }

    package init(user: UserID, text: String) {
        self.user = user
        self.text = text
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        Preview(Phrase("note.confirm", ["user": .user(user)]), [.verbatim(text)], undo: "note.undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try NoteRules.add(text, to: user, change, in: tx) }
    }
}
