import GatehouseCore
import GatehousePlatform
import GatehouseSecurity

extension Visit {
    /// A table of settings with their defaults and meanings.
    func table(of settings: [SettingValue], standard: [SettingValue], caption: String) -> Table {
        let defaults = Dictionary(standard.map { ($0.name, $0.value) }) { first, _ in first }
        return Table(
            caption,
            [words("setting.name"), words("setting.now"), words("setting.default"), words("setting.counts")],
            settings.map { setting in
                TableRow([
                    Cell(words("setting.\(setting.name)"), note: words("setting.\(setting.name).help")),
                    Cell(text(setting.value)), Cell(defaults[setting.name].map(text) ?? "–"),
                    Cell(words("setting.\(setting.name).from")),
                ])
            }, empty: "")
    }

    /// The state before an earlier change, whose values an undo offers again; nil if the address names none.
    func earlier(_ values: FormValues) async throws -> DeedState? {
        guard let id = values["earlier"], id.utf8.count <= 64 else { return nil }
        return try await run(ReadDeed(id: id))?.before
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
