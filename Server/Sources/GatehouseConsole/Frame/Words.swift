package import GatehouseCore
import GatehouseLook
import GatehousePlatform
package import GatehouseSecurity
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

extension Words {
    func languageName(_ language: String) -> String { optional("language.\(language)") ?? language }

    /// Several providers as people know them.
    func providerLabels(_ providers: some Sequence<Provider>) -> String {
        providers.map { providerLabel($0.rawValue) }.sorted().joined(separator: ", ")
    }

    /// A code as people know it, with its number second: `Banned (code 7)`.
    func named(_ code: ErrorCode) -> String {
        let number = ["code": String(code.rawValue)]
        guard let name = optional("code.\(code.rawValue)") else { return self("code.alone", number) }
        return self("code.with", number.merging(["name": name]) { $1 })
    }

    /// A code with its number first, for a cell that may be cut at its end: `7 · Banned`.
    func numbered(_ code: ErrorCode) -> String {
        optional("code.\(code.rawValue)").map { "\(code.rawValue) · \($0)" } ?? named(code)
    }

    /// A provider as people know it.
    func providerLabel(_ provider: String) -> String {
        optional("idp.\(provider)") ?? optional("provider.name.\(provider)") ?? provider
    }
}

// How numbers are written.
extension Words {
    /// A number as people read it, such as `50,000`. English, Korean and Japanese group digits in the same way.
    static func number(_ number: some BinaryInteger) -> String { Chart.grouped(Int64(clamping: number)) }
}

// How a device is named.
extension Words {
    /// A device as its player would describe it.
    func device(_ client: ClientInformation?) -> String {
        let name = [client?.osCode.map(system), client?.osVersion].compactMap { $0 }.joined(separator: " ")
        let parts = [client?.deviceModel, name.isEmpty ? nil : name, client?.deviceCountryCode].compactMap { $0 }
        return parts.isEmpty ? "–" : parts.joined(separator: " · ")
    }

    func device(_ session: DeviceSession) -> String {
        let name = [session.platformName.map(system), session.osVersion].compactMap { $0 }.joined(separator: " ")
        let parts = [session.deviceModel, name.isEmpty ? nil : name].compactMap { $0 }
        return parts.isEmpty ? "–" : parts.joined(separator: " · ")
    }

    /// The usual name of a system that a client names by a code.
    func system(_ code: String) -> String { optional("system.\(code.uppercased())") ?? code }

    /// What an operator may do.
    func grants(_ grants: [GrantScope: OperatorRole]) -> String {
        let texts = grants.sorted { $0.key.text < $1.key.text }.map { scope, role in
            let place = scope == .everything ? self("operators.everything") : scope.text
            return "\(place): \(self("role.\(role.rawValue)"))"
        }
        return texts.isEmpty ? self("operators.nothing") : texts.joined(separator: " · ")
    }
}

/// Puts phrases into a language, with times in a zone.
package struct PhraseFormatter: Sendable {
    let words: Words
    let local: LocalTime

    init(words: Words, local: LocalTime) {
        self.words = words
        self.local = local
    }

    /// English, with times in UTC: for the command and the documents.
    ///
    /// - Parameter now: from where distances of times count.
    package static func english(at now: Moment) -> PhraseFormatter {
        let words = Words.of(["en"])
        return PhraseFormatter(words: words, local: LocalTime(zone: nil, now: now, words: words))
    }

    /// The name of an operator's action, as on its button.
    package func title(of action: OperatorActionAbout) -> String { words("deed.\(action.name)") }

    package func text(_ phrase: Phrase) -> String {
        switch phrase.content {
        case .verbatim(let text): text
        case .key(let key, let values): words(key, values.mapValues(text))
        }
    }

    package func text(_ value: Phrase.Value) -> String {
        switch value {
        case .text(let text): text
        case .count(let count): Words.number(count)
        case .moment(let moment): local.absolute(moment)
        case .distance(let moment): local.relative(moment)
        case .zone(let moment): local.zoneName(at: moment)
        case .phrase(let phrase): text(phrase)
        case .language(let language): words.languageName(language)
        case .providers(let providers): words.providerLabels(providers)
        case .device(let session): words.device(session)
        case .amount(let amount, let currency): "\(PageRequest.amount(amount)) \(currency)"
        case .word(let key, let other): words.optional(key) ?? other
        case .list(let phrases): phrases.map { text($0) }.joined(separator: ", ")
        case .number(let number): Words.number(number)
        case .length(let seconds): local.duration(seconds: UInt64(max(0, seconds)))
        case .universal(let moment): local.universal(moment)
        case .grants(let grants): words.grants(grants)
        }
    }
}
