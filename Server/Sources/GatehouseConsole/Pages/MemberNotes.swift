import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

/// What operators have written about a member. A note is no change of the game, so no form of it is confirmed.
extension Visit {
    /// A note with its earlier texts, and with what support can do with it.
    func note(_ note: MemberNote, of user: UserID) -> HTML {
        article(.class("note")) {
            p(.class("small")) {
                if note.isPinned {
                    Cell(words("note.pinned"), badge: "plain")
                    " "
                }
                bdi { note.author }
                " · "
                Cell.time(note.date, local)
                if let editor = note.editor {
                    " · \(words("note.edited")) "
                    bdi { editor }
                    " "
                    Cell.time(note.editedAt, local)
                }
            }
            lines(of: note.text)
            if !note.earlier.isEmpty {
                details {
                    summary { words("note.earlier") }
                    for version in note.earlier {
                        div(.class("earlier")) {
                            p(.class("small")) {
                                bdi { version.author }
                                " · "
                                Cell.time(version.date, local)
                            }
                            lines(of: version.text)
                        }
                    }
                }
            }
            if may(.support) { changes(of: note, user) }
        }
    }

    @HTMLBuilder private func lines(of text: String) -> HTML {
        for line in text.lines {
            p { bdi { line } }
        }
    }

    @HTMLBuilder private func changes(of note: MemberNote, _ user: UserID) -> HTML {
        details {
            summary { words("note.change") }
            changing(address("do/member.note-edited")) {
                hidden("user", user.rawValue)
                hidden("note", note.id)
                hidden("once", once())
                field(of: note)
                div(.class("buttons")) { button { words("note.save") } }
            }
        }
        changing(address("do/member.note-pinned"), class: "inline") {
            hidden("user", user.rawValue)
            hidden("note", note.id)
            hidden("once", once())
            hidden("pinned", note.isPinned ? "" : "on")
            button { words(note.isPinned ? "note.unpin" : "note.pin") }
        }
    }

    private func field(of note: MemberNote) -> Field {
        var field = Field(
            "text", words("note.text"), .lines, value: note.text, isRequired: true, limit: MemberNote.maximumLength)
        // Several forms of the page have this field, and an id is there once.
        field.mark = note.id
        return field
    }

    /// The form of a new note.
    func noteForm(_ user: UserID) -> HTML {
        changing(address("do/member.noted")) {
            hidden("user", user.rawValue)
            hidden("once", once())
            Field(
                "text", words("note.new"), .lines, help: words("note.help"), isRequired: true,
                limit: MemberNote.maximumLength)
            div(.class("buttons")) { button { words("note.add") } }
        }
    }
}
