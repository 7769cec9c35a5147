import GatehouseCore
import GatehousePlatform
import GatehouseSecurity

/// A setting with its value in words. Its name is that of its field, and of its texts: `setting.NAME` is the label, `.help` the meaning,
/// `.from` for whom a change counts from when.
struct Setting: Sendable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension Visit {
    /// A table of settings with their defaults and meanings.
    func table(of settings: [Setting], standard: [Setting], caption: String) -> Table {
        let defaults = Dictionary(standard.map { ($0.name, $0.value) }) { first, _ in first }
        return Table(
            caption,
            [words("setting.name"), words("setting.now"), words("setting.default"), words("setting.counts")],
            settings.map { setting in
                TableRow([
                    Cell(words("setting.\(setting.name)"), note: words("setting.\(setting.name).help")),
                    Cell(setting.value), Cell(defaults[setting.name] ?? "–"),
                    Cell(words("setting.\(setting.name).from")),
                ])
            }, empty: "")
    }

    /// What a change makes different, for its confirmation.
    ///
    /// - Parameter field: the field at which the form says that nothing is different.
    func difference(_ before: [Setting], _ after: [Setting], at field: String) throws -> Table {
        let old = Dictionary(before.map { ($0.name, $0.value) }) { first, _ in first }
        let new = Dictionary(after.map { ($0.name, $0.value) }) { first, _ in first }
        let names = (before + after).map(\.name).reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        let rows = names.filter { old[$0] != new[$0] }.map { name in
            TableRow([
                Cell(words("setting.\(name)"), note: words("setting.\(name).from")), Cell(old[name] ?? "–"),
                Cell(new[name] ?? "–"),
            ])
        }
        guard !rows.isEmpty else { throw FormProblems([field: words("problem.no-change")]) }
        return Table(
            words("setting.difference"), [words("setting.name"), words("setting.before"), words("setting.after")], rows,
            empty: "")
    }

    /// The state before an earlier change, whose values an undo offers again; nil if the address names none.
    func earlier(_ values: FormValues) async throws -> DeedState? {
        guard let id = values["earlier"], id.utf8.count <= 64 else { return nil }
        return try await run(ReadDeed(id: id))?.before
    }

    func onOff(_ isOn: Bool) -> String { words(isOn ? "setting.on" : "setting.off") }

    /// A choice between on and off.
    func switchField(_ name: String, _ isOn: Bool) -> Field {
        settingField(
            name, .choice(["on", "off"].map { Field.Option($0, onOff($0 == "on")) }), value: isOn ? "on" : "off")
    }

    /// The field of a setting, with the setting's label and meaning.
    func settingField(
        _ name: String, _ kind: Field.Kind, value: String, isRequired: Bool = false, limit: Int? = nil
    ) -> Field {
        Field(
            name, words("setting.\(name)"), kind, value: value, help: words("setting.\(name).help"),
            isRequired: isRequired, limit: limit)
    }
}

/// Reads the fields of a form, and collects what is wrong with them.
struct FormReader {
    let values: FormValues
    let words: Words
    private(set) var problems: [String: String] = [:]

    init(_ values: FormValues, _ visit: Visit) {
        self.values = values
        words = visit.words
    }

    mutating func report(_ name: String, _ problem: String) {
        problems[name] = problem
    }

    mutating func number(_ name: String, _ range: ClosedRange<Int>) -> Int {
        guard let number = values[name].flatMap({ Int($0) }), range.contains(number) else {
            let limits = ["from": String(range.lowerBound), "to": String(range.upperBound)]
            report(name, words("problem.range", limits))
            return range.lowerBound
        }
        return number
    }

    mutating func choice<Value: RawRepresentable>(_ name: String, or standard: Value) -> Value
    where Value.RawValue == String {
        guard let value = Value(rawValue: values[name] ?? "") else {
            report(name, words("problem.choice"))
            return standard
        }
        return value
    }

    mutating func isOn(_ name: String) -> Bool {
        let value = values[name]
        if value != "on", value != "off" { report(name, words("problem.choice")) }
        return value == "on"
    }

    /// A short text without control characters; nil if it is empty.
    mutating func text(_ name: String, bytes: Int) -> String? {
        guard let text = values[name] else { return nil }
        guard text.utf8.count <= bytes, !text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 })
        else {
            report(name, words("problem.text", ["count": String(bytes)]))
            return nil
        }
        return text
    }

    /// The address of a page; nil if it is empty.
    mutating func page(_ name: String) -> String? {
        guard let text = text(name, bytes: 1_024) else { return nil }
        guard text.begins(with: "https://") || text.begins(with: "http://"),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            report(name, words("problem.address"))
            return nil
        }
        return text
    }

    /// The texts by language of fields such as `message.en`.
    mutating func texts(_ name: String) -> [String: String] {
        let texts = values.texts(name)
        for (language, text) in texts where text.utf8.count > Self.textBytes {
            report("\(name).\(language)", words("problem.text", ["count": String(Self.textBytes)]))
        }
        return texts.filter { LocalizedText.isLanguage($0.key) }
    }

    static let textBytes = 2_000

    func finish() throws {
        guard problems.isEmpty else { throw FormProblems(problems) }
    }
}
