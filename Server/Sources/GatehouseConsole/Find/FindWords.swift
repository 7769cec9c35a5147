import GatehousePlatform

/// What is looked for in names and titles: every word has to begin a word there. Where words are not written apart, it may stand anywhere.
struct FindWords: Sendable, Hashable {
    let all: [String]

    init(_ text: String) {
        self.init(text.words)
    }

    init(_ words: [String]) {
        all = words.prefix(12).map(\.typedText.folded).filter { !$0.isEmpty }
    }

    /// A single letter would match too much.
    var isEnough: Bool { all.reduce(0) { $0 + $1.utf8.count } > 1 }

    func match(_ title: String) -> Bool { isEnough && all.allSatisfy(Self.stands(in: title)) }

    /// Whether at least one of the words is there.
    func matchAny(_ text: String) -> Bool { isEnough && all.contains(where: Self.stands(in: text)) }

    /// Whether a word is in a text.
    private static func stands(in text: String) -> (String) -> Bool {
        let text = text.folded
        let names = text.pieces { !$0.properties.isAlphabetic && !("0"..."9").contains($0) }
        return { word in names.contains { $0.begins(with: word) } || !ASCII.isAll(word) && text.has(word) }
    }
}
