import GatehouseLook
import GatehousePlatform
import GatehouseWire

/// The console's texts in one language. No text stands in code.
struct Words: Sendable {
    static let languages = ["en", "ko", "ja"]

    let language: String
    private let texts: [String: String]

    private init(_ language: String, _ bytes: [UInt8]) {
        self.language = language
        texts = (try? JSONDecoder().decode([String: String].self, from: Data(bytes))) ?? [:]
    }

    private static let all: [String: Words] = [
        "en": Words("en", EmbeddedFile.englishWords.bytes), "ko": Words("ko", EmbeddedFile.koreanWords.bytes),
        "ja": Words("ja", EmbeddedFile.japaneseWords.bytes),
    ]

    /// The texts of the first of these languages that the console has, or of English.
    static func of(_ preferred: [String]) -> Words {
        LanguageTag.best(of: languages, for: preferred).flatMap { all[$0] } ?? all["en"] ?? Words("en", [])
    }

    /// The keys of a language, for tests.
    static func catalog(_ language: String) -> [String: String] { all[language]?.texts ?? [:] }

    /// A text with its values: `{name}` stands for a value, and `{name|day|days}` for the form that the number has. A text with one number
    /// may instead have a form for one, `key.one`, where the language has one, and another for none, `key.zero`.
    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        var text = texts[key] ?? Self.all["en"]?.texts[key] ?? key
        let form = ["0": ".zero", "1": ".one"][values["count"] ?? ""]
        if let form, let special = texts[key + form] { text = special }
        return Self.filled(text, values)
    }

    /// A text with its values, which nothing fills in a second time.
    static func filled(_ text: String, _ values: [String: String]) -> String {
        guard !values.isEmpty, !text.isEmpty else { return text }
        // Each piece after a brace begins with a name, if it is one, so that no value is filled in a second time.
        let pieces = text.parts(at: "{", withEmpty: true)
        return pieces.dropFirst().reduce(into: String(pieces[0])) { result, piece in
            let parts = piece.parts(at: "}", atMost: 2, withEmpty: true)
            let forms = parts[0].parts(at: "|", atMost: 3, withEmpty: true)
            if parts.count == 2, let value = values[String(forms[0])] {
                result += (forms.count == 3 ? String(forms[value == "1" ? 1 : 2]) : value) + parts[1]
            } else {
                result += "{" + piece
            }
        }
    }

    /// A text that may be missing, such as the sentence of an event that a later version has added.
    func optional(_ key: String, _ values: [String: String] = [:]) -> String? {
        texts[key] == nil ? nil : self(key, values)
    }
}
