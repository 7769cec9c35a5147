import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
import Synchronization

/// One thing that has to be chosen for an operator's action: the fields that ask for it, and how they fill in the action.
package struct Input<A: OperatorAction>: Sendable {
    /// The fields of a form; none for what the address says alone.
    let fields: @Sendable (A, OperatorContext, Reader) throws -> [InputField]
    /// Fills in the action.
    ///
    /// - Throws: ``InputProblems``
    let read: @Sendable (inout A, InputValues, OperatorContext) throws -> Void
    let isHidden: Bool

    /// - Parameter fields: nil for what the address says alone.
    init(
        fields: (@Sendable (A, OperatorContext, Reader) throws -> [InputField])? = nil,
        read: @escaping @Sendable (inout A, InputValues, OperatorContext) throws -> Void
    ) {
        self.fields = fields ?? { _, _, _ in [] }
        self.read = read
        isHidden = fields == nil
    }

    private init(of input: Input, unless isLeftOut: @escaping @Sendable (A) -> Bool) {
        fields = { isLeftOut($0) ? [] : try input.fields($0, $1, $2) }
        read = { if !isLeftOut($0) { try input.read(&$0, $1, $2) } }
        isHidden = input.isHidden
    }

    /// The same input with its fields arranged among the others.
    func arranged(_ arrangement: InputField.Arrangement) -> Input {
        Input(
            fields: { [fields] action, context, tx in
                try fields(action, context, tx).map { field in
                    var field = field
                    field.arrangement = arrangement
                    return field
                }
            }, read: read)
    }

    /// An input that is neither asked nor read if the address says something else.
    func unless(_ path: any KeyPath<A, Bool> & Sendable) -> Input { Input(of: self) { $0[keyPath: path] } }
}

extension OperatorAction {
    /// The action as a form describes it.
    ///
    /// - Throws: ``InputProblems`` with everything that is wrong.
    package init(on target: ActionTarget, _ values: InputValues, _ context: OperatorContext) throws {
        guard values.tooLong.isEmpty else {
            let problem = Phrase("problem.text", ["count": .count(InputValues.mostBytes)])
            throw InputProblems(Dictionary(values.tooLong.map { ($0, problem) }) { first, _ in first })
        }
        try self.init(on: target)
        var problems = InputProblems()
        for input in Self.inputs {
            do {
                try input.read(&self, values, context)
            } catch let found as InputProblems {
                problems.phrases.merge(found.phrases) { first, _ in first }
            }
        }
        guard problems.phrases.isEmpty else { throw problems }
    }

    /// The action whose form is about to be shown: only what the address says is read.
    package init(begun target: ActionTarget, _ values: InputValues, _ context: OperatorContext) throws {
        try self.init(on: target)
        for input in Self.inputs where input.isHidden { try input.read(&self, values, context) }
    }
}

extension OperatorAction {
    /// The names of the values for which the action asks, as far as no form is needed to know them.
    package static func askedNames(_ context: OperatorContext) -> [String] {
        let asked = InputValues.Asked()
        let sample = InputValues(sample: "0", asked: asked)
        guard var action = try? Self(on: target(sample)) else { return [] }
        // What is wrong with the sample does not matter: it has been asked for.
        for input in inputs { try? input.read(&action, sample, context) }
        return asked.names
    }
}

/// What was typed, by the names of the fields.
package struct InputValues: Sendable {
    /// The names of the values for which an action has asked, in that order.
    package final class Asked: Sendable {
        private let asked = Mutex<[String]>([])

        package init() {}

        package var names: [String] { asked.withLock(\.self) }

        fileprivate func add(_ name: String) {
            asked.withLock { if !$0.contains(name) { $0.append(name) } }
        }
    }

    /// Upper bound on the bytes of a value. It is that of the longest field, a list of members in letters of four bytes.
    package static let mostBytes = 16_384

    private let values: [String: String]
    /// The names of the values that are longer than any field takes. They are not looked at: an action reads them as missing.
    let tooLong: Set<String>
    /// The value of every name that has none of its own.
    private let other: String?
    private let asked: Asked?
    private let time: @Sendable (_ text: String, _ second: Bool?) throws -> Moment

    /// - Parameters:
    ///   - asked: takes the names for which the action asks.
    ///   - time: reads a time of the person's zone, and of two equal hours the one that is meant. It throws ``InputProblems`` without a
    ///     name.
    package init(
        _ values: [String: String], asked: Asked? = nil,
        time: @escaping @Sendable (_ text: String, _ second: Bool?) throws -> Moment = { _, _ in throw InputProblems() }
    ) {
        let tooLong = Set(values.lazy.filter { $0.value.utf8.count > Self.mostBytes }.map { $0.key })
        self.tooLong = tooLong
        self.values = tooLong.isEmpty ? values : values.filter { !tooLong.contains($0.key) }
        other = nil
        self.asked = asked
        self.time = time
    }

    /// Values of an action that is only described: the same for every name.
    init(sample: String, asked: Asked) {
        values = [:]
        tooLong = []
        other = sample
        self.asked = asked
        time = { _, _ in throw InputProblems() }
    }

    /// A text without the white space around it; nil if there is none.
    func text(_ name: String) -> String? {
        asked?.add(name)
        guard let value = (values[name] ?? other)?.trimmingWhitespace(), !value.isEmpty else { return nil }
        return value
    }

    /// The texts by language of fields such as `message.en`.
    func texts(_ name: String) -> [String: String] {
        var texts: [String: String] = [:]
        for field in values.keys where field.begins(with: "\(name).") {
            texts[String(field.utf8.dropFirst(name.utf8.count + 1)) ?? ""] = text(field)
        }
        return texts
    }

    /// A time in the person's zone.
    ///
    /// - Parameter second: which of two equal hours is meant, when the clocks are set back.
    /// - Throws: ``InputProblems`` for what is none.
    func moment(_ name: String, second: Bool? = nil) throws -> Moment {
        do {
            return try time(text(name) ?? "", second)
        } catch let problems as InputProblems {
            throw InputProblems(Dictionary(uniqueKeysWithValues: problems.phrases.map { (name, $0.value) }))
        }
    }

    /// The moments that a time can mean: none for what is no time, and two when the clocks are set back.
    func moments(_ name: String) -> [Moment] {
        guard let text = text(name) else { return [] }
        return Set([false, true].compactMap { try? time(text, $0) }).sorted()
    }

    /// A short name in an address, such as a member's id.
    ///
    /// - Throws: 3 for none.
    func name(_ field: String, _ kind: String) throws -> String {
        guard let name = text(field), name.utf8.count <= 64, name.unicodeScalars.allSatisfy({ $0.value >= 32 })
        else { throw Refusal.parameter(field, "The address names no \(kind).") }
        return name
    }
}

/// A field of a form, without a language.
package struct InputField: Sendable {
    package enum Kind: Sendable {
        case text, lines, time, number, check, hidden
        /// What no page shows again.
        case secret
        case choice([Option])
    }

    package struct Option: Sendable {
        package let value: String
        package let label: Phrase
    }

    package let name: String
    package let label: Phrase
    package let kind: Kind
    package var value = ""
    package var help: Phrase?
    package var isRequired = false
    /// Upper bound on its letters.
    package var limit: Int?
    /// The value of a time, which the form shows in the person's zone.
    package var moment: Moment?
    package var arrangement = Arrangement.line
    /// Whether it is a name for signing in, which no keyboard begins with a capital.
    package var isName = false

    /// How it stands among the fields before and after.
    package enum Arrangement: Sendable, Hashable {
        /// It has a line of its own.
        case line
        /// Two short ones share a line.
        case half
        /// It is folded with its neighbours of the same heading, because most forms leave it empty.
        case folded(Phrase)
    }
}

/// What is wrong with what was chosen, by the names of the fields.
package struct InputProblems: Error, Sendable {
    package var phrases: [String: Phrase]

    package init(_ phrases: [String: Phrase] = [:]) {
        self.phrases = phrases
    }
}

/// Reads what an operator's action asks for, whatever it is about: for the command and the reference page.
package struct ReadInputs<A: OperatorAction>: UseCase {
    package let permission = Permission.administer
    package var roles: OperatorRoles { A.about.roles }

    package struct Outcome: Sendable {
        /// What it is about, and what else no form asks for.
        package let unasked: [String]
        /// The fields of its form, with what they show where nothing is known of the subject.
        package let fields: [InputField]
    }

    let languages: [String]

    /// - Parameter languages: those for which the form has a field, where players read a text.
    package init(in languages: [String]) {
        self.languages = languages
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let seen = OperatorContext(of: work, formLanguages: languages)
        let asked = InputValues.Asked()
        // A number, which every kind of subject can be named by.
        let sample = InputValues(sample: "0", asked: asked)
        let action = try A(begun: A.target(sample), sample, seen)
        let fields = try await work.report { tx in
            try A.inputs.flatMap { try $0.fields(action, seen, tx) }
        }
        let unasked = asked.names.filter { name in !fields.contains { $0.name == name } }
        return Outcome(unasked: unasked, fields: fields)
    }
}
