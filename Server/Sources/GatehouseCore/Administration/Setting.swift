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

/// A setting of an app as an operator changes it: what the form asks, and what stands of it in a list and in a difference. The list of an
/// action's settings is all that names them.
struct Setting<A: OperatorAction>: Sendable {
    let name: String
    let input: Input<A>
    private let value: @Sendable (A) -> Phrase.Value

    /// - Parameters:
    ///   - input: the field with this name.
    ///   - value: in words.
    init(_ name: String, _ input: (String) -> Input<A>, value: @escaping @Sendable (A) -> Phrase.Value) {
        self.name = name
        self.input = input(name)
        self.value = value
    }

    func value(of action: A) -> SettingValue { SettingValue(name, value(action)) }
}

extension Phrase.Value {
    static func days(_ count: Int) -> Phrase.Value { .phrase(Phrase("time.days", ["count": .count(count)])) }

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
