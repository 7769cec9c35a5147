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

/// A setting with its value in words. Its name is that of its field, and of its texts: `setting.NAME` is the label, `.help` the meaning,
/// `.from` for whom a change counts from when.
package struct SettingValue: Sendable {
    package let name: String
    package let value: Phrase.Value

    init(_ name: String, _ value: Phrase.Value) {
        self.name = name
        self.value = value
    }
}

extension Phrase.Value {
    static func onOff(_ isOn: Bool) -> Phrase.Value { .phrase(isOn ? "setting.on" : "setting.off") }

    /// A length in the largest unit without a rest, so that two lengths that differ read differently.
    static func exactly(seconds: Int64) -> Phrase.Value {
        let units: [(seconds: Int64, key: String)] = [
            (86_400, "time.days"), (3_600, "time.hours"), (60, "time.minutes"), (1, "time.seconds"),
        ]
        let unit = units.first { seconds % $0.seconds == 0 } ?? (1, "time.seconds")
        return .phrase(Phrase(unit.key, ["count": .count(Int(seconds / unit.seconds))]))
    }
}

extension Preview.Table {
    /// What a change of settings makes different.
    ///
    /// - Parameter field: the field at which the form says that nothing is different.
    /// - Throws: ``InputProblems``
    init(from before: [SettingValue], to after: [SettingValue], at field: String) throws {
        let old = Dictionary(before.map { ($0.name, $0.value) }) { first, _ in first }
        let new = Dictionary(after.map { ($0.name, $0.value) }) { first, _ in first }
        let names = (before + after).map(\.name).reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        let changed = names.filter { old[$0] != new[$0] }
        guard !changed.isEmpty else { throw InputProblems([field: "problem.no-change"]) }
        self.init(
            caption: "setting.difference", columns: ["setting.name", "setting.before", "setting.after"],
            rows: changed.map { name in
                [
                    .text(.label(of: name), note: Phrase("setting.\(name).from")), .value(old[name] ?? .text("–")),
                    .value(new[name] ?? .text("–")),
                ]
            })
    }
}
