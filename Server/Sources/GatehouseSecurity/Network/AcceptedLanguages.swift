/// The languages of an `Accept-Language` header (RFC 9110 section 12.5.4), preferred first.
package enum AcceptedLanguages {
    /// The maximum number of languages that are read. The header is untrusted, and nobody reads twenty languages.
    private static let maximum = 8

    package static func parse(_ header: String?) -> [String] {
        guard let header else { return [] }
        let ranges = header.prefix(256).split(separator: ",").prefix(maximum).enumerated().compactMap {
            position, range -> (tag: String, weight: Double, position: Int)? in
            let parts = range.split(separator: ";")
            guard let tag = parts.first?.filter({ !$0.isWhitespace }), isTag(tag) else { return nil }
            let weight = parts.dropFirst().first { $0.filter { !$0.isWhitespace }.hasPrefix("q=") }
                .flatMap { Double($0.filter { !$0.isWhitespace }.dropFirst(2)) }
            return (tag, weight ?? 1, position)
        }
        return ranges.filter { $0.weight > 0 }.sorted { ($1.weight, $0.position) < ($0.weight, $1.position) }.map(\.tag)
    }

    private static func isTag(_ text: String) -> Bool {
        (2...35).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }
}
