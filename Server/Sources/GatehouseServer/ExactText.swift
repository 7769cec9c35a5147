/// A text that is equal to another only when their bytes are. Swift's own comparison takes texts for equal that look alike, as
/// `é` and `e` with an accent, which the database does not; and it normalises them for that, which costs whoever compares
/// texts from outside a multiple of their length.
struct ExactText: Sendable, Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (one: ExactText, other: ExactText) -> Bool { one.text.isExactly(other.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether both have the same bytes.
    func isExactly(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
