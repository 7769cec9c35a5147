import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

// The kinds of input that several actions have.
extension Input {
    /// A short text without control characters; nil if it is empty.
    ///
    /// - Parameters:
    ///   - bytes: upper bound on its UTF-8.
    ///   - limit: upper bound on what the form takes, in letters.
    ///   - label: nil for that of a setting.
    ///   - help: nil for that of a setting, if it has the label of one.
    static func text(
        _ name: String, _ path: any WritableKeyPath<A, String?> & Sendable, bytes: Int, limit: Int? = nil,
        label: Phrase? = nil, help: Phrase? = nil
    ) -> Self {
        Input { action, _, _ in
            let value = action[keyPath: path] ?? ""
            return [
                label.map { InputField(name: name, label: $0, kind: .text, value: value, help: help, limit: limit) }
                    ?? .setting(name, .text, value: value, help: help, limit: limit)
            ]
        } read: { action, values, _ in
            action[keyPath: path] = try values.text(name, bytes: bytes)
        }
    }

    /// The address of a page; nil if it is empty.
    static func page(
        _ name: String, _ path: any WritableKeyPath<A, String?> & Sendable, help: Phrase? = nil
    ) -> Self {
        Input { action, _, _ in
            [.setting(name, .text, value: action[keyPath: path] ?? "", help: help, limit: 1_024)]
        } read: { action, values, _ in
            action[keyPath: path] = try values.page(name)
        }
    }

    static func number(
        _ name: String, _ path: any WritableKeyPath<A, Int> & Sendable, _ range: ClosedRange<Int>, limit: Int
    ) -> Self {
        Input { action, _, _ in
            [.setting(name, .number, value: String(action[keyPath: path]), isRequired: true, limit: limit)]
        } read: { action, values, _ in
            action[keyPath: path] = try values.number(name, range)
        }
    }

    /// One of several values.
    static func choice<Value: RawRepresentable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<A, Value> & Sendable,
        _ options: [(value: Value, label: Phrase)]
    ) -> Self where Value.RawValue == String {
        Input { action, _, _ in
            [
                .setting(
                    name, .choice(options.map { .init(value: $0.value.rawValue, label: $0.label) }),
                    value: action[keyPath: path].rawValue)
            ]
        } read: { action, values, _ in
            guard let chosen = options.first(where: { $0.value.rawValue == values.text(name) }) else {
                throw InputProblems([name: "problem.choice"])
            }
            action[keyPath: path] = chosen.value
        }
    }

    /// A choice between on and off.
    static func onOff(_ name: String, _ path: any WritableKeyPath<A, Bool> & Sendable) -> Self {
        Input { action, _, _ in
            [
                .setting(
                    name, .choice(["on", "off"].map { .init(value: $0, label: Phrase("setting.\($0)")) }),
                    value: action[keyPath: path] ? "on" : "off")
            ]
        } read: { action, values, _ in
            let value = values.text(name)
            guard value == "on" || value == "off" else { throw InputProblems([name: "problem.choice"]) }
            action[keyPath: path] = value == "on"
        }
    }

    /// A text in each language: those of the console, and those that have a text already.
    ///
    /// - Parameters:
    ///   - label: takes the language's name as `language`.
    ///   - help: beside each text but that of the app's own language.
    ///   - defaultHelp: beside the text of the app's own language.
    static func texts(
        _ name: String, _ path: any WritableKeyPath<A, [String: String]> & Sendable,
        label: String = "launching.text", help: Phrase? = nil, defaultHelp: Phrase? = "launching.text-default"
    ) -> Self {
        Input { action, context, _ in
            let texts = action[keyPath: path]
            let others = Set(texts.keys).subtracting(context.formLanguages).sorted()
            return (context.formLanguages + others).map { language in
                InputField(
                    name: "\(name).\(language)", label: Phrase(label, ["language": .language(language)]),
                    kind: .lines, value: texts[language] ?? "",
                    help: language == context.app.defaultLanguage ? defaultHelp : help,
                    limit: 1_000)
            }
        } read: { action, values, _ in
            action[keyPath: path] = try values.localized(name)
        }
    }

    /// The id of an earlier action that this one takes back; nil for none.
    static func earlier(_ path: any WritableKeyPath<A, String?> & Sendable) -> Self {
        Input { action, values, _ in action[keyPath: path] = values.text("earlier") }
    }

    /// Whether the address has a mark.
    static func mark(_ path: any WritableKeyPath<A, Bool> & Sendable, _ name: String) -> Self {
        Input { action, values, _ in action[keyPath: path] = values.text(name) != nil }
    }
}

extension InputField {
    /// The field of a setting, with the setting's label and, without another help, its meaning.
    static func setting(
        _ name: String, _ kind: Kind, value: String = "", help: Phrase? = nil, isRequired: Bool = false,
        limit: Int? = nil
    ) -> InputField {
        InputField(
            name: name, label: .label(of: name), kind: kind, value: value, help: help ?? .help(of: name),
            isRequired: isRequired, limit: limit)
    }
}

extension InputValues {
    /// A short text without control characters; nil if it is empty.
    ///
    /// - Throws: ``InputProblems``
    func text(_ name: String, bytes: Int) throws -> String? {
        guard let text = text(name) else { return nil }
        guard text.utf8.count <= bytes, !text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 })
        else { throw InputProblems([name: Phrase("problem.text", ["count": .count(bytes)])]) }
        return text
    }

    /// The address of a page; nil if it is empty.
    ///
    /// - Throws: ``InputProblems``
    func page(_ name: String) throws -> String? {
        guard let text = try text(name, bytes: 1_024) else { return nil }
        guard text.begins(with: "https://") || text.begins(with: "http://"),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw InputProblems([name: "problem.address"]) }
        return text
    }

    /// - Throws: ``InputProblems``
    func number(_ name: String, _ range: ClosedRange<Int>) throws -> Int {
        guard let number = text(name).flatMap({ Int($0) }), range.contains(number) else {
            throw InputProblems([
                name: Phrase(
                    "problem.range", ["from": .count(range.lowerBound), "to": .count(range.upperBound)])
            ])
        }
        return number
    }

    /// What players read, by language.
    ///
    /// - Parameter bytes: upper bound on the UTF-8 of each text.
    /// - Throws: ``InputProblems``, also for a text in what is no language: nobody would read it.
    func localized(_ name: String, bytes: Int = 2_000) throws -> [String: String] {
        var found: [String: String] = [:]
        var problems = InputProblems()
        for (typed, text) in texts(name).sorted(by: { $0.key < $1.key }) {
            if text.utf8.count > bytes {
                problems.phrases["\(name).\(typed)"] = Phrase("problem.text", ["count": .count(bytes)])
            } else if let language = LocalizedText.language(typed) {
                found[language] = text
            } else {
                problems.phrases["\(name).\(typed)"] = "problem.language"
            }
        }
        guard problems.phrases.isEmpty else { throw problems }
        return found
    }
}

extension Phrase {
    /// The label of a setting's field, and its meaning.
    static func label(of setting: String) -> Phrase { Phrase("setting.\(setting)") }
    static func help(of setting: String) -> Phrase { Phrase("setting.\(setting).help") }
}
