import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Adds a note to a member.
package struct AddMemberNote: OperatorAction {
    package static let about = OperatorActionAbout("member.noted", role: .support, step: .plain, anchor: "notes")
    package static let inputs: [Input<Self>] = [.note(\.text, label: "note.new")]

    let user: UserID
    var text = ""

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(user: UserID, text: String) {
        self.user = user
        self.text = text
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        Preview(Phrase("note.confirm", ["user": .user(user)]), [.verbatim(text)], undo: "note.undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try NoteRules.add(text, to: user, change, in: tx) }
    }
}

/// Changes the text of a note. What it said before is kept beside it.
package struct EditMemberNote: OperatorAction {
    package static let about = OperatorActionAbout(
        "member.note-edited", role: .support, step: .plain, anchor: "notes")
    package static let inputs: [Input<Self>] = [.noteID(\.note), .note(\.text, label: "note.text")]

    let user: UserID
    var note = ""
    var text = ""

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(user: UserID, note: String, text: String) {
        self.user = user
        self.note = note
        self.text = text
    }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        text = try NoteRules.shown(note, of: user, context, in: tx).text
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        Preview(Phrase("note.edit-confirm", ["user": .user(user)]), [.verbatim(text)], undo: "note.edit-undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try NoteRules.edit(note, to: text, of: user, change, in: tx) }
    }
}

/// Puts a note before the others, or back among them.
package struct PinMemberNote: OperatorAction {
    package static let about = OperatorActionAbout(
        "member.note-pinned", role: .support, step: .plain, anchor: "notes")
    package static let inputs: [Input<Self>] = [.noteID(\.note), .mark(\.isPinned, "pinned")]

    let user: UserID
    var note = ""
    var isPinned = false

    package init(on target: ActionTarget) throws {
        user = try target.requireMember()
    }

    package var subject: ActionTarget { .member(user) }

    package init(user: UserID, note: String, isPinned: Bool) {
        self.user = user
        self.note = note
        self.isPinned = isPinned
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let note = try NoteRules.shown(note, of: user, context, in: tx)
        var preview = Preview(
            isPinned ? "note.pin-confirm" : "note.unpin-confirm", [.verbatim(note.text)], undo: "note.pin-undo")
        preview.button = isPinned ? "note.pin" : "note.unpin"
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in try NoteRules.pin(note, isPinned, of: user, change, in: tx) }
    }
}

extension Input {
    /// The text of a note.
    static func note(_ path: any WritableKeyPath<A, String> & Sendable, label: Phrase) -> Self {
        Input { action, _, _ in
            [
                InputField(
                    name: "text", label: label, kind: .lines, value: action[keyPath: path], help: "note.help",
                    isRequired: true, limit: MemberNote.maximumLength)
            ]
        } read: { action, values, _ in
            guard let text = values.text("text"), text.unicodeScalars.count <= MemberNote.maximumLength else {
                throw InputProblems(["text": "problem.note"])
            }
            action[keyPath: path] = text
        }
    }

    /// Which note it is.
    static func noteID(_ path: any WritableKeyPath<A, String> & Sendable) -> Self {
        Input { action, values, _ in action[keyPath: path] = values.text("note") ?? "" }
    }
}
