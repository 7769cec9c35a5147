package import GatehouseSecurity
import GatehouseStorage

/// One thing that has to be chosen for an operator's action: the fields that ask for it, and how they fill in the action.
package struct Input<A: OperatorAction>: Sendable {
    /// The fields of a form; none for what the address says alone.
    let fields: @Sendable (A, OperatorView, Reader) throws -> [InputField]
    /// Fills in the action.
    ///
    /// - Throws: ``InputProblems``
    let read: @Sendable (inout A, InputValues, OperatorView) throws -> Void
    let isHidden: Bool

    /// - Parameter fields: nil for what the address says alone.
    init(
        fields: (@Sendable (A, OperatorView, Reader) throws -> [InputField])? = nil,
        read: @escaping @Sendable (inout A, InputValues, OperatorView) throws -> Void
    ) {
        self.fields = fields ?? { _, _, _ in [] }
        self.read = read
        isHidden = fields == nil
    }
}

extension OperatorAction {
    /// The action as a form describes it.
    ///
    /// - Throws: ``InputProblems`` with everything that is wrong.
    package init(on target: DeedTarget, _ values: InputValues, _ view: OperatorView) throws {
        // way: ban 380
        try self.init(on: target)
        var problems = InputProblems()
        for input in Self.inputs {
            do {
                try input.read(&self, values, view)
            } catch let found as InputProblems {
                problems.phrases.merge(found.phrases) { first, _ in first }
            }
        }
        guard problems.phrases.isEmpty else { throw problems }
    }

    /// The action whose form is about to be shown: only what the address says is read.
    package init(begun target: DeedTarget, _ values: InputValues, _ view: OperatorView) throws {
        // way: ban 220
        try self.init(on: target)
        for input in Self.inputs where input.isHidden { try input.read(&self, values, view) }
    }
}

/// What was typed, by the names of the fields.
package struct InputValues: Sendable {
    /// A text without the white space around it; nil if there is none.
    let text: @Sendable (_ name: String) -> String?
    /// A time in the person's zone.
    ///
    /// - Throws: ``InputProblems`` for what is none.
    let moment: @Sendable (_ name: String) throws -> Moment

    package init(
        text: @escaping @Sendable (_ name: String) -> String?,
        moment: @escaping @Sendable (_ name: String) throws -> Moment
    ) {
        self.text = text
        self.moment = moment
    }
}

/// A field of a form, without a language.
package struct InputField: Sendable {
    package enum Kind: Sendable {
        case text, lines, time
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
}

/// What is wrong with what was chosen, by the names of the fields.
package struct InputProblems: Error, Sendable {
    package var phrases: [String: Phrase]

    package init(_ phrases: [String: Phrase] = [:]) {
        self.phrases = phrases
    }
}
