import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

/// What operators have written about a member. A note is no change of the game, so no form of it is confirmed.
extension PageRequest {
    /// The note whose form the address opens.
    private var openNote: String? { may(.support) ? query["edit"] : nil }

    /// The notes that stand before everything else.
    @HTMLBuilder func pinned(_ notes: [MemberNote], of user: UserID) -> HTML {
        if !notes.isEmpty {
            h2 { words("member.pinned") }
            for note in notes { self.note(note, of: user, isPinned: true) }
        }
    }

    /// A note with its earlier texts, and with what support can do with it.
    ///
    /// - Parameter isPinned: whether it is shown among the pinned ones. There a pinned note has its forms, because an id is there once.
    func note(_ note: MemberNote, of user: UserID, isPinned: Bool = false) -> HTML {
        article(.class("note")) {
            lines(of: note.text)
            p(.class("small")) {
                if !isPinned, note.isPinned { "\(words("note.pinned")) · " }
                ago(note.date)
                " · "
                bdi { note.author }
                if let editor = note.editor, let moment = note.editedAt {
                    " · \(words("note.edited")) "
                    bdi { editor }
                    " "
                    ago(moment)
                }
                if may(.support), openNote != note.id {
                    " · "
                    Link(words("note.change"), address(with: "edit", note.id) + "#edit")
                }
            }
            if !note.earlier.isEmpty { earlier(note) }
            if openNote == note.id, isPinned == note.isPinned { changes(of: note, user) }
        }
    }

    private func earlier(_ note: MemberNote) -> HTML {
        details {
            summary { words("note.earlier") }
            for version in note.earlier {
                div(.class("earlier")) {
                    lines(of: version.text)
                    p(.class("small")) {
                        ago(version.date)
                        " · "
                        bdi { version.author }
                    }
                }
            }
        }
    }

    @HTMLBuilder func lines(of text: String) -> HTML {
        for line in text.lines {
            p { written(line) }
        }
    }

    private func changes(of note: MemberNote, _ user: UserID) -> HTML {
        div(.id("edit")) {
            changing(actionAddress(EditMemberNote.self)) {
                hidden("user", user.rawValue)
                hidden("note", note.id)
                hidden("once", once())
                field(of: note)
                div(.class("buttons")) {
                    button(.class("primary")) { words("note.save") }
                    Link(words("deed.cancel"), address(with: "edit", nil)).button
                }
            }
            changing(actionAddress(PinMemberNote.self)) {
                hidden("user", user.rawValue)
                hidden("note", note.id)
                hidden("once", once())
                hidden("pinned", note.isPinned ? "" : "on")
                button { words(note.isPinned ? "note.unpin" : "note.pin") }
            }
        }
    }

    private func field(of note: MemberNote) -> Field {
        var field = Field(
            "text", words("note.text"), .lines, value: note.text, isRequired: true, limit: MemberNote.maximumLength)
        // The form of a new note has this field, too, and an id is there once.
        field.mark = note.id
        return field
    }

    /// The form of a new note.
    func noteForm(_ user: UserID) -> HTML {
        changing(actionAddress(AddMemberNote.self), class: "card") {
            hidden("user", user.rawValue)
            hidden("once", once())
            Field(
                "text", words("note.new"), .lines, help: words("note.help"), isRequired: true,
                limit: MemberNote.maximumLength)
            button { words("note.add") }
        }
    }
}

/// What operators have written: names of operators are marked, and tickets are links.
extension PageRequest {
    /// The same request, which knows the names that a note may mention.
    func knowingPeople() async throws -> PageRequest {
        var page = self
        page.people = Set(try await run(.operatorNames))
        return page
    }

    /// A line of a note or of a reason.
    func written(_ line: String) -> HTML {
        bdi {
            for piece in NotePiece.pieces(of: line) {
                switch piece {
                case .text(let text): text
                case .name(let name):
                    if people.contains(name.lowercased()) {
                        HTML.element("mark") { "@\(name)" }
                    } else {
                        "@\(name)"
                    }
                case .ticket(let number): ticketLink(number, text: "#\(number)")
                }
            }
        }
    }

    /// A ticket, as the link to it if the app says where tickets are.
    @HTMLBuilder func ticketLink(_ ticket: String, text: String? = nil) -> HTML {
        let number = ticket.utf8.first == UInt8(ascii: "#") ? String(ticket.unicodeScalars.dropFirst()) : ticket
        if let app = place?.app, let address = TicketAddress.of(FormValues.encoded(number), in: app) {
            a(.href(address), .rel("noreferrer")) { text ?? ticket }
        } else {
            text ?? ticket
        }
    }

    /// The tickets of a member, side by side.
    func ticketLinks(_ tickets: [String]) -> Cell {
        .content(tickets.first ?? "") {
            for (index, ticket) in tickets.enumerated() {
                if index > 0 { ", " }
                bdi { ticketLink(ticket) }
            }
        }
    }
}
