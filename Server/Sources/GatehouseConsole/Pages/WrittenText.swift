import GatehouseCore
import GatehouseHTML

/// What operators have written: names of operators are marked, and tickets are links.
extension Visit {
    /// The same visit, which knows the names that a note may mention.
    func knowingPeople() async throws -> Visit {
        var visit = self
        visit.people = Set(try await run(ListOperatorNames()))
        return visit
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
