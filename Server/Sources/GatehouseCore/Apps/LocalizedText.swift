import GatehousePlatform
import GatehouseSecurity

/// A text in several languages, by BCP 47 tag in lower case.
package struct LocalizedText: Sendable, Hashable, Codable {
    package var texts: [String: String]

    package init(_ texts: [String: String] = [:]) {
        self.texts = Dictionary(texts.map { ($0.lowercased(), $1) }) { _, last in last }
    }

    /// Whether a text has the form of a language tag (BCP 47).
    package static func isLanguage(_ text: String) -> Bool {
        (2...35).contains(text.utf8.count)
            && text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy { part in
                (1...8).contains(part.count) && part.allSatisfy { ASCII.isLetterOrDigit($0) }
            }
    }

    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([String: String].self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(texts)
    }

    /// The text in the first of the languages that has one: each language is tried as it is, then without its subtags (`zh-Hant-TW`,
    /// `zh-hant`, `zh`); then the fallback, then any language, so that a player always gets a text.
    package func text(preferring languages: [String], fallback: String) -> String? {
        for language in languages + [fallback] {
            var tag = Substring(language.lowercased())
            while !tag.isEmpty {
                if let text = texts[String(tag)] { return text }
                tag = tag.lastIndex(of: "-").map { tag[..<$0] } ?? ""
            }
        }
        return texts.min { $0.key < $1.key }?.value
    }
}
