import ArgumentParser
import GatehouseConsole
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

/// One operator's action at the terminal, in English.
struct OperatorActionRun<A: OperatorAction> {
    let administration: Administration
    let app: AppID

    private var english: PhraseFormatter { .english(at: administration.now) }
    /// The name of the languages for which a text can be given.
    private static var anyLanguage: String { "LANGUAGE" }

    /// What it asks for: name, label, and the values from which to choose.
    func fields() async throws -> [[Shown]] {
        let inputs = try await inputs()
        let unasked = inputs.unasked.map { [Shown.text($0), .text("what it is about"), .list([])] }
        return unasked
            + inputs.fields.map { field -> [Shown] in
                var choices: [String] = []
                if case .choice(let options) = field.kind { choices = options.map(\.value) }
                return [.text(field.name), .text(english.text(field.label)), .list(choices, separator: "|")]
            }
    }

    /// The action with the fields that were given, and the others as its form shows them at first.
    func action(_ fields: [String: String]) async throws -> A {
        let typed = try await named(fields)
        return try await saying {
            let shown = try await administration.run(ReadForm(of: begun(typed)), in: app)
            // An empty text takes one away. Where there is none by this name, nothing would be done, and nobody would be told.
            let missing = typed.filter { field, value in
                value.isEmpty && field.contains(".") && !shown.contains { $0.name == field }
            }
            if let field = missing.keys.min() {
                throw ValidationError("\(field) is empty, and \(A.about.name) finds no such text to take away.")
            }
            let values = Dictionary(shown.map { ($0.name, $0.value) }) { $1 }.merging(typed) { $1 }
            let asked = InputValues.Asked()
            let action = try await administration.action(in: app) { view in
                let inputs = InputValues(values, asked: asked, time: Self.time)
                return try A(on: A.target(inputs), inputs, view)
            }
            // An end beside a length that is not `until`, for example, would be passed over without a word.
            guard let unused = Set(typed.keys).subtracting(asked.names).min() else { return action }
            throw ValidationError("The field \(unused) does not count beside the others: see `gatehouse do --list`.")
        }
    }

    /// The action whose form is about to be shown.
    private func begun(_ typed: [String: String]) async throws -> A {
        let inputs = InputValues(typed)
        do {
            return try await administration.action(in: app) { view in
                try A(begun: A.target(inputs), inputs, view)
            }
        } catch let refusal as Refusal where refusal.details.parameter != nil {
            // The refusal speaks of an address, which is the console's.
            throw ValidationError("Say what it is about, with --set \(refusal.details.parameter ?? "")=VALUE.")
        }
    }

    func preview(of action: A) async throws -> ActionPreview {
        let preview = try await saying { try await administration.run(ReadPreview(of: action), in: app) }
        return ActionPreview(preview, of: A.about, in: english)
    }

    func perform(_ action: A, reason: String?) async throws -> ActionDone {
        let outcome = try await saying { try await administration.run(action, in: app, reason: reason) }
        return ActionDone(A.result(outcome), of: A.about, in: english)
    }

    private func inputs() async throws -> ReadInputs<A>.Outcome {
        try await administration.run(ReadInputs<A>(in: [Self.anyLanguage]), in: app)
    }

    /// The fields by the names that the action has for them. A text may be in any language, which has one name: under another one it would
    /// stand beside the text that it replaces.
    private func named(_ fields: [String: String]) async throws -> [String: String] {
        let inputs = try await inputs()
        let known = inputs.unasked + inputs.fields.map(\.name)
        var named: [String: String] = [:]
        for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
            var name = field
            if !known.contains(field) {
                let parts = field.split(separator: ".")
                let text = parts.dropLast().joined(separator: ".")
                guard let language = parts.last, known.contains("\(text).\(Self.anyLanguage)") else {
                    throw ValidationError(
                        "\(A.about.name) has no field \(field): its fields are \(known.joined(separator: ", ")).")
                }
                // An empty text also takes away what an earlier version has stored under a name that is no language.
                let isRemoved = value.isEmpty && LocalizedText.language(String(language)) == nil
                if !isRemoved { name = "\(text).\(try Words.language(String(language)))" }
            }
            guard named.updateValue(value, forKey: name) == nil else {
                throw ValidationError("The field \(name) is given twice.")
            }
        }
        return named
    }

    private static func time(_ text: String, _ second: Bool?) throws -> Moment {
        do {
            return try Words.date(text)
        } catch let error as ValidationError {
            throw InputProblems(["": .verbatim(error.message)])
        }
    }

    /// Does something, and says in English why it can't be done.
    private func saying<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as InputProblems {
            let lines = error.phrases.map { "\($0.key): \(english.text($0.value))" }
            throw ValidationError(lines.sorted().joined(separator: "\n"))
        } catch let error as ImpossibleAction {
            throw Refusal.parameter(error.parameter, english.text(error.phrase))
        }
    }
}
