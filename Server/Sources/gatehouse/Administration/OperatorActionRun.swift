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
    func fields() async throws -> [[String]] {
        let inputs = try await inputs()
        return inputs.unasked.map { [$0, "what it is about", ""] }
            + inputs.fields.map { field in
                var choices = ""
                if case .choice(let options) = field.kind { choices = options.map(\.value).joined(separator: "|") }
                return [field.name, english.text(field.label), choices]
            }
    }

    /// The action with the fields that were given, and the others as its form shows them at first.
    func action(_ typed: [String: String]) async throws -> A {
        try await requireFields(Set(typed.keys))
        return try await saying {
            let shown = try await administration.run(ReadForm(of: begun(typed)), in: app)
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

    private func requireFields(_ names: Set<String>) async throws {
        let inputs = try await inputs()
        let known = inputs.unasked + inputs.fields.map(\.name)
        let unknown = names.sorted().first { name in
            // A text may be in any language.
            let anyText = name.split(separator: ".").dropLast().joined(separator: ".") + ".\(Self.anyLanguage)"
            return !known.contains(name) && !known.contains(anyText)
        }
        guard let unknown else { return }
        throw ValidationError(
            "\(A.about.name) has no field \(unknown): its fields are \(known.joined(separator: ", ")).")
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
