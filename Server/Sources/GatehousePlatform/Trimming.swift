extension StringProtocol {
    /// The text without spaces and tabs of any kind at its ends. Line breaks stay.
    package func trimmingSpaces() -> String {
        trimming { $0 == "\t" || $0.properties.generalCategory == .spaceSeparator }
    }

    /// The text without spaces, tabs and line breaks of any kind at its ends, even those that take no room.
    package func trimmingWhitespace() -> String {
        trimming { $0.properties.isWhitespace || $0 == "\u{200b}" || $0 == "\u{2060}" || $0 == "\u{feff}" }
    }

    /// The text without what fits at its ends.
    package func trimming(_ fits: (Unicode.Scalar) -> Bool) -> String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !fits($0) }), let last = scalars.lastIndex(where: { !fits($0) })
        else { return "" }
        return String(self[first..<scalars.index(after: last)])
    }
}
