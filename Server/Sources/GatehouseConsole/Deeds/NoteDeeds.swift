import GatehouseCore
import GatehouseSecurity
import GatehouseWire

extension Console {
    /// Notes about a member. They change nothing for a player, so their forms are sent without a confirmation.
    static let noteDeeds = [note, editNote, pinNote]

    private static let note = DeedKind(
        name: "member.noted", level: .plain, role: .support, section: "members", target: member,
        fields: { visit, _ in [noteField(visit, "note.new", "")] },
        preview: { visit, values in
            let user = try user(values)
            return DeedPreview(
                visit.words("note.confirm", ["user": user.rawValue]), [values["text"] ?? ""],
                undo: visit.words("note.undo"), button: visit.words("deed.member.noted"),
                cancel: visit.memberLink(user) + "#notes")
        },
        perform: { visit, values, call in
            let user = try user(values)
            try await call.run(AddMemberNote(user: user, text: try noteText(values, visit)))
            return DeedResult(visit.memberLink(user))
        })

    private static let editNote = DeedKind(
        name: "member.note-edited", level: .plain, role: .support, section: "members", target: member,
        fields: { visit, values in
            [noteField(visit, "note.text", try await visit.note(values).text)]
        },
        preview: { visit, values in
            let user = try user(values)
            return DeedPreview(
                visit.words("note.edit-confirm", ["user": user.rawValue]), [try noteText(values, visit)],
                undo: visit.words("note.edit-undo"), button: visit.words("deed.member.note-edited"),
                cancel: visit.memberLink(user) + "#notes")
        },
        perform: { visit, values, call in
            let user = try user(values)
            let note = try await visit.note(values)
            try await call.run(EditMemberNote(user: user, note: note.id, text: try noteText(values, visit)))
            return DeedResult(visit.memberLink(user))
        })

    private static let pinNote = DeedKind(
        name: "member.note-pinned", level: .plain, role: .support, section: "members", target: member,
        preview: { visit, values in
            let user = try user(values)
            return DeedPreview(
                visit.words(values.isSet("pinned") ? "note.pin-confirm" : "note.unpin-confirm"),
                [try await visit.note(values).text], undo: visit.words("note.pin-undo"),
                button: visit.words(values.isSet("pinned") ? "note.pin" : "note.unpin"),
                cancel: visit.memberLink(user) + "#notes")
        },
        perform: { visit, values, call in
            let user = try user(values)
            let note = try await visit.note(values)
            try await call.run(PinMemberNote(user: user, note: note.id, isPinned: values.isSet("pinned")))
            return DeedResult(visit.memberLink(user))
        })

    private static func noteField(_ visit: Visit, _ label: String, _ text: String) -> Field {
        Field(
            "text", visit.words(label), .lines, value: text, help: visit.words("note.help"), isRequired: true,
            limit: MemberNote.maximumLength)
    }

    private static func noteText(_ values: FormValues, _ visit: Visit) throws -> String {
        guard let text = values["text"], text.unicodeScalars.count <= MemberNote.maximumLength else {
            throw FormProblems(["text": visit.words("problem.note")])
        }
        return text
    }
}

extension Visit {
    /// The note that a form names.
    fileprivate func note(_ values: FormValues) async throws -> MemberNote {
        let user = try Console.user(values)
        guard let note = try await run(ListMemberNotes(user: user)).first(where: { $0.id == values["note"] }) else {
            throw Refusal.parameter("note", words("note.unknown"))
        }
        return note
    }
}
