/// Texts are searched and taken apart by their bytes. The standard library does it by `Character`, which may be as long as the whole text,
/// and by canonical equivalence, so `"` with a mark is another `Character` than `"`. To a browser, a database and a spreadsheet it is not.
/// `scripts/check-sources` says where the standard library's functions may be used.
extension StringProtocol {
    /// The parts between the separators, which are ASCII. Empty ones are left out unless they are asked for.
    ///
    /// - Parameter limit: how many parts there are at most; the last one is the rest.
    @inlinable package func parts(
        at separator: Unicode.Scalar, atMost limit: Int = .max, withEmpty: Bool = false
    ) -> [SubSequence] {
        utf8.indices(at: UInt8(truncatingIfNeeded: separator.value), upTo: limit, withEmpty: withEmpty).map { self[$0] }
    }

    /// The text before the first separator, or the whole text.
    package func firstPart(at separator: Unicode.Scalar) -> String {
        String(parts(at: separator, atMost: 2, withEmpty: true).first ?? "")
    }

    @inlinable package func begins(with start: some StringProtocol) -> Bool { utf8.starts(with: start.utf8) }

    @inlinable package func ends(with end: some StringProtocol) -> Bool {
        utf8.count >= end.utf8.count && utf8.dropFirst(utf8.count - end.utf8.count).elementsEqual(end.utf8)
    }

    /// Whether a text occurs in this one.
    @inlinable package func has(_ part: some StringProtocol) -> Bool { range(ofBytes: part) != nil }

    /// Where a text occurs first. The work is the product of both lengths at most, so the part is a short one of our own.
    @inlinable package func range(ofBytes part: some StringProtocol) -> Range<Index>? {
        let (bytes, wanted) = (utf8, part.utf8)
        guard let first = wanted.first else { return startIndex..<startIndex }
        var start = bytes.startIndex
        while let found = bytes[start...].firstIndex(of: first) {
            var (end, rest) = (found, wanted.startIndex)
            while rest < wanted.endIndex, end < bytes.endIndex, bytes[end] == wanted[rest] {
                end = bytes.index(after: end)
                rest = wanted.index(after: rest)
            }
            if rest == wanted.endIndex { return found..<end }
            start = bytes.index(after: found)
        }
        return nil
    }

    /// The text with one text in the place of another, wherever that one occurs.
    @inlinable package func substituting(_ part: some StringProtocol, by other: some StringProtocol) -> String {
        guard !part.isEmpty else { return String(self) }
        var bytes: [UInt8] = []
        var rest = self[...]
        while let found = rest.range(ofBytes: part) {
            bytes += rest[..<found.lowerBound].utf8
            bytes += other.utf8
            rest = rest[found.upperBound...]
        }
        return String(decoding: bytes + rest.utf8, as: UTF8.self)
    }

    /// The text with the small letters of ASCII for the capital ones.
    @inlinable package var lowercasedASCII: String {
        String(decoding: utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The texts between code points that fit.
    package func pieces(between fits: (Unicode.Scalar) -> Bool) -> [String] {
        unicodeScalars.split(whereSeparator: fits).map { String(String.UnicodeScalarView($0)) }
    }

    package var lines: [String] {
        pieces { ("\u{a}"..."\u{d}").contains($0) || ["\u{85}", "\u{2028}", "\u{2029}"].contains($0) }
    }

    package var words: [String] { pieces(between: \.properties.isWhitespace) }

    /// The text without white space, wherever it stands.
    package var withoutWhitespace: String { words.joined() }
}

extension Collection<UInt8> {
    @inlinable package func indices(at separator: UInt8, upTo limit: Int, withEmpty: Bool) -> [Range<Index>] {
        var parts: [Range<Index>] = []
        var start = startIndex
        while parts.count < limit - 1, let end = self[start...].firstIndex(of: separator) {
            if withEmpty || start < end { parts.append(start..<end) }
            start = index(after: end)
        }
        if withEmpty || start < endIndex { parts.append(start..<endIndex) }
        return parts
    }
}
