package import GatehouseCore
package import GatehouseSecurity

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
        case .amount(let amount, let currency): "\(Visit.amount(amount)) \(currency)"
        case .word(let key, let other): words.optional(key) ?? other
        case .list(let phrases): phrases.map { text($0) }.joined(separator: ", ")
        case .number(let number): Words.number(number)
        case .length(let seconds): local.duration(seconds: UInt64(max(0, seconds)))
        case .universal(let moment): local.universal(moment)
        }
    }
}
