/// A statement's text as the key of what is known of it. Its hash looks at the length and at the end, because a text has hundreds of
/// letters and is looked up several times for each call; the comparison looks at everything.
struct StatementKey: Hashable {
    /// As many letters as tell nearly all statements of the same length apart.
    private static let hashedBytes = 24

    let text: String

    static func == (one: StatementKey, other: StatementKey) -> Bool { one.text == other.text }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text.utf8.count)
        var text = text
        text.withUTF8 { utf8 in
            hasher.combine(
                bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(utf8).suffix(Self.hashedBytes)))
        }
    }
}
