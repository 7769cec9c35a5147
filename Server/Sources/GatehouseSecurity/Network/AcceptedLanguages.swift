import GatehousePlatform

/// The languages of an `Accept-Language` header (RFC 9110 section 12.5.4), preferred first.
package enum AcceptedLanguages {
    /// The maximum number of languages that are read. The header is untrusted, and nobody reads twenty languages.
    private static let maximum = 8
    private static let maximumBytes = 256

    package static func parse(_ header: String?) -> [String] {
        guard let header else { return [] }
        var ranges: [(tag: String, weight: Double, position: Int)] = []
        for range in header.utf8.prefix(maximumBytes).split(separator: UInt8(ascii: ",")).prefix(maximum) {
            let parts = range.filter { $0 != 0x20 && $0 != 0x09 }.split(separator: UInt8(ascii: ";"))
            guard let tag = parts.first, isTag(tag) else { continue }
            let weight = parts.dropFirst().first { $0.starts(with: "q=".utf8) }
                .flatMap { Double(String(decoding: $0.dropFirst(2), as: UTF8.self)) }
            // Games of other systems write `ko_KR`.
            let name = tag.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
            ranges.append((String(decoding: name, as: UTF8.self), weight ?? 1, ranges.count))
        }
        return ranges.filter { $0.weight > 0 }.sorted { ($1.weight, $0.position) < ($0.weight, $1.position) }.map(\.tag)
    }

    private static func isTag(_ bytes: some Collection<UInt8>) -> Bool {
        (2...35).contains(bytes.count) && bytes.allSatisfy { ASCII.isLetterOrDigit($0) || "-_".utf8.contains($0) }
    }
}
