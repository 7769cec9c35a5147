import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

/// A text in several languages, by BCP 47 tag in small letters and with hyphens.
package struct LocalizedText: Sendable, Hashable, Codable {
    package var texts: [String: String]

    package init(_ texts: [String: String] = [:]) {
        // In an order of their own, so that every node keeps the same one of two spellings of a language.
        let named = texts.sorted { $0.key < $1.key }.map { (Self.key($0.key), $0.value) }
        self.texts = Dictionary(named) { _, last in last }
    }

    /// Whether a text has the form of a language tag (BCP 47). What is stored may be one that names no language.
    package static func isLanguage(_ text: String) -> Bool {
        (2...35).contains(text.utf8.count)
            && text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy { part in
                (1...8).contains(part.count) && part.allSatisfy { ASCII.isLetterOrDigit($0) }
            }
    }

    /// The name under which a language's text is kept, such as `ko-kr` for `ko_KR`; nil for what is no language.
    package static func language(_ name: String) -> String? { LanguageTag(name)?.name }

    private static func key(_ name: String) -> String { name.lowercasedASCII.substituting("_", by: "-") }

    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([String: String].self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(texts)
    }

    /// The text that serves best in these languages (``LanguageTag/best(of:for:)``); then that of the fallback, then any, so that a player
    /// always gets a text.
    package func text(preferring languages: [String], fallback: String) -> String? {
        guard !texts.isEmpty else { return nil }
        // Most devices name their language as the text does.
        if let first = languages.first, let text = texts[Self.key(first)] { return text }
        let names = Array(texts.keys)
        let found = LanguageTag.best(of: names, for: languages)
        return found.flatMap { texts[$0] } ?? texts[fallback]
            ?? (LanguageTag.best(of: names, for: [fallback]) ?? names.min()).flatMap { texts[$0] }
    }

    /// Whether somebody who reads a language finds a text in it.
    package func isWritten(in language: String) -> Bool {
        texts[language] != nil || LanguageTag.best(of: Array(texts.keys), for: [language]) != nil
    }
}
