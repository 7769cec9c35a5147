package import GatehouseSecurity
package import GatehouseWire

/// A sentence for operators, without a language: the key of a text, and its values.
package struct Phrase: Sendable, Hashable, ExpressibleByStringLiteral {
    package indirect enum Value: Sendable, Hashable {
        case text(String)
        case count(Int)
        /// A time as the reader's zone has it.
        case moment(Moment)
        /// How far a time lies from now.
        case distance(Moment)
        /// The name of the reader's zone at a time.
        case zone(Moment)
        case phrase(Phrase)
        /// A language's name.
        case language(String)
        /// The names of identity providers.
        case providers([Provider])
        /// A device as its player would describe it.
        case device(DeviceSession)
        /// An amount of money.
        case amount(Double, currency: String)
        /// A word that may be missing, such as the name of a kind that a later version has added, and what stands for it.
        case word(String, or: String)
        /// Phrases with commas between them.
        case list([Phrase])
        /// A number with its digits in groups.
        case number(Int)
        /// How long something lasts, about.
        case length(seconds: Int64)
        /// A time in UTC.
        case universal(Moment)
        /// What an operator may do.
        case grants([GrantScope: OperatorRole])
    }

    package enum Content: Sendable, Hashable {
        case key(String, [String: Value])
        /// Somebody's own words, in the language in which they were written.
        case verbatim(String)
    }

    package let content: Content

    package init(_ key: String, _ values: [String: Value] = [:]) {
        content = .key(key, values)
    }

    package init(stringLiteral key: String) {
        self.init(key)
    }

    private init(content: Content) {
        self.content = content
    }

    package static func verbatim(_ text: String) -> Phrase { Phrase(content: .verbatim(text)) }
}

extension Phrase.Value {
    package static func user(_ user: UserID) -> Phrase.Value { .text(user.rawValue) }
}
