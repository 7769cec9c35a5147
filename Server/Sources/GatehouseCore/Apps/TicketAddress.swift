import GatehousePlatform
import GatehouseSecurity

/// Where operators find the tickets of players: an address with `{ticket}` in the place of a ticket's number.
package enum TicketAddress {
    private static let place = "{ticket}"

    /// Whether a text is such an address: https, with the ticket once, behind the host.
    static func isTemplate(_ text: String) -> Bool {
        guard text.utf8.count <= 1_024, text.begins(with: "https://"),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let range = text.range(ofBytes: place), !text[range.upperBound...].has(place)
        else { return false }
        let host = text[..<range.lowerBound].dropFirst("https://".utf8.count)
        return host.utf8.first.map(ASCII.isLetterOrDigit) == true && host.utf8.contains(UInt8(ascii: "/"))
            && !host.utf8.contains(UInt8(ascii: "@"))
    }

    /// The address of a ticket; nil if the app has none.
    ///
    /// - Parameter encoded: the ticket as a part of an address.
    package static func of(_ encoded: String, in app: App) -> String? {
        guard let template = app.policy.ticketURL, isTemplate(template), let range = template.range(ofBytes: place)
        else { return nil }
        return "\(template[..<range.lowerBound])\(encoded)\(template[range.upperBound...])"
    }
}

extension Input {
    /// An address with the place of a ticket; nil if it is empty.
    static func ticketAddress(_ name: String, _ path: any WritableKeyPath<A, String?> & Sendable) -> Self {
        Input { action, _, _ in
            [.setting(name, .text, value: action[keyPath: path] ?? "", limit: 1_024)]
        } read: { action, values, _ in
            let text = values.text(name)
            guard text.map(TicketAddress.isTemplate) ?? true else {
                throw InputProblems([name: "problem.ticket-address"])
            }
            action[keyPath: path] = text
        }
    }
}
