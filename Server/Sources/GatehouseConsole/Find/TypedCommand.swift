import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

/// Words that may ask for a change: a verb, a member, and what fills in the change's form, such as `ban 1MSL 3 days`. In languages whose
/// verb comes last, it does here as well. A list of members takes the place of one: `ban 1MSL… 1MSM… 3 days`.
struct TypedCommand: Sendable, Hashable {
    /// Nil where the verb comes last, among the arguments: `1MSL 3일 차단`. Nil without a member, too: `force update below 2.0`.
    let verb: FindWords?
    /// A user id, or its beginning.
    let member: String?
    /// The user ids of a list of two or more, each once.
    let list: [String]
    /// What stands between the member and the end, in the order of typing.
    let arguments: [String]

    init(_ text: String) {
        let words = text.words.flatMap(Self.apart)
        guard let place = words.firstIndex(where: { Self.isMember($0) }) else {
            (verb, member, list, arguments) = (nil, nil, [], words)
            return
        }
        let (before, after) = (words[..<place], words[(place + 1)...])
        var seen: Set<String> = []
        let ids = words[place...].filter(Self.isWhole).map(\.typedID).filter { seen.insert($0).inserted }
        list = ids.count > 1 ? ids : []
        member = words[place].typedID
        verb = before.isEmpty ? nil : FindWords(Array(before))
        arguments = list.isEmpty ? Array(after) : after.filter { !Self.isWhole($0) }
    }

    /// Whether a change with this title may be asked for. Where the verb comes last, only the form's fields tell what of it is the verb.
    func mayAsk(for title: String) -> Bool {
        verb?.match(title) ?? arguments.contains { FindWords([$0]).match(title) }
    }

    /// The user ids of which a word is made: with commas, or without anything between them, because a box takes the line breaks out of
    /// a list that is pasted into it. Any other word stays whole.
    private static func apart(_ word: String) -> [String] {
        let ids = word.narrowed.pieces { $0 == "," || $0 == ";" }.map(\.typedID)
        guard !ids.isEmpty, ids.allSatisfy({ ASCII.isAll($0) && $0.utf8.count % UserID.length == 0 }) else {
            return [word]
        }
        let pieces = ids.flatMap { id in
            let bytes = Array(id.utf8)
            return stride(from: 0, to: bytes.count, by: UserID.length).map { start in
                String(decoding: bytes[start..<start + UserID.length], as: UTF8.self)
            }
        }
        return !pieces.isEmpty && pieces.allSatisfy(isMember) ? pieces : [word]
    }

    private static func isWhole(_ word: String) -> Bool { isMember(word) && word.typedID.utf8.count == UserID.length }

    /// Ids have digits and consonants alone, so that hardly any word is one.
    private static func isMember(_ word: String) -> Bool {
        let id = word.typedID
        guard (4...UserID.length).contains(id.utf8.count), id.allSatisfy({ UserID.alphabet.contains($0) }) else {
            return false
        }
        return id.utf8.contains(where: ASCII.isDigit) && id.utf8.contains(where: ASCII.isLetter)
    }
}

/// What a command fills in of a form, by the form's own fields.
struct FilledFields: Sendable, Hashable {
    private(set) var values: [String: String] = [:]
    /// The same as the form shows it.
    private(set) var texts: [String] = []
    /// The words that no choice has taken.
    private(set) var rest: [String] = []

    /// - Parameters:
    ///   - hasVerb: whether the words may be the verb as well, which then is no text of a field.
    init(_ words: [String], in fields: [Field], hasVerb: Bool, _ local: LocalTime) {
        rest = words
        for field in fields {
            if case .text = field.kind, let found = Self.version(for: field.label, in: rest) {
                take(2, at: found.place, field.name, found.version, "\(field.label): \(found.version)")
            }
            guard case .choice(let options) = field.kind else { continue }
            if let found = Self.option(of: options, in: rest) {
                take(found.count, at: found.place, field.name, found.option.value, found.option.text)
            } else if let end = Self.length(in: rest, local),
                let time = fields.first(where: { field in options.contains { $0.value == field.name } })
            {
                values[field.name] = time.name
                let moment = local.now.adding(seconds: end.seconds)
                take(
                    end.count, at: end.place, time.name, local.input(moment),
                    local.duration(seconds: UInt64(end.seconds)))
            }
        }
        guard !hasVerb, !rest.isEmpty, let field = fields.first(where: \.takesSentence) else { return }
        let text = rest.joined(separator: " ")
        take(rest.count, at: 0, field.name, text, "“\(text)”")
    }

    private mutating func take(_ count: Int, at place: Int, _ name: String, _ value: String, _ text: String) {
        values[name] = value
        texts.append(text)
        rest.removeSubrange(place..<min(place + count, rest.count))
    }

    /// The option whose value or words are typed, with where.
    private static func option(
        of options: [Field.Option], in words: [String]
    ) -> (option: Field.Option, place: Int, count: Int)? {
        for place in words.indices {
            for option in options where !option.value.isEmpty {
                let count = max(1, option.text.words.count)
                let typed = words[place...].prefix(count).joined(separator: " ").folded
                let text = option.text.folded
                let isWhole = typed == text
                // `3 day` is `3 days`, but `update` may be more than one status.
                let begins =
                    typed.utf8.count > 3 && text.begins(with: typed)
                    && options.count(where: { $0.text.folded.begins(with: typed) }) == 1
                if isWhole || begins { return (option, place, min(count, words.count - place)) }
                if words[place].folded == option.value.folded { return (option, place, 1) }
            }
        }
        return nil
    }

    /// A version with the word of a field's label beside it, such as `below 2.0`, and where both begin.
    private static func version(for label: String, in words: [String]) -> (version: String, place: Int)? {
        // The word is the first, or stands in brackets: `上限バージョン（未満）`.
        let names = [label.words.first, label.pieces { $0 == "（" || $0 == "）" }.dropFirst().first]
            .compactMap { $0?.folded }
        for place in words.indices.dropLast() {
            let two = (words[place].narrowed, words[place + 1].narrowed)
            for (name, version) in [two, (two.1, two.0)] {
                let parts = version.parts(at: ".", atMost: 5, withEmpty: true)
                let isVersion =
                    (2...4).contains(parts.count)
                    && parts.allSatisfy { (1...6).contains($0.utf8.count) && $0.utf8.allSatisfy(ASCII.isDigit) }
                if isVersion, names.contains(name.folded) { return (version, place) }
            }
        }
        return nil
    }

    /// A length of time such as `5 days`, `5d` or `5일`, with where.
    private static func length(in words: [String], _ local: LocalTime) -> (seconds: Int64, place: Int, count: Int)? {
        for place in words.indices {
            let word = words[place].narrowed
            let digits = word.prefix { ("0"..."9").contains($0) }
            guard (1...4).contains(digits.utf8.count), let number = Int64(digits), number > 0 else { continue }
            let unit = word.dropFirst(digits.count)
            let isApart = unit.isEmpty
            let typed = isApart ? (place + 1 < words.count ? words[place + 1] : "") : String(unit)
            for (name, seconds) in [("hours", 3_600), ("days", 86_400)] as [(String, Int64)] {
                let text = local.words("time.\(name)", ["count": String(number)]).folded.withoutWhitespace
                let wanted = text.dropFirst(digits.count)
                guard !typed.isEmpty, wanted.begins(with: typed.folded) else { continue }
                return (number * seconds, place, isApart ? 2 : 1)
            }
        }
        return nil
    }
}

extension Field {
    /// Whether it takes words as they are typed.
    fileprivate var takesSentence: Bool {
        switch kind {
        case .lines, .text: !isCode
        case .password, .number, .time, .choice, .zone, .check, .hidden: false
        }
    }
}
