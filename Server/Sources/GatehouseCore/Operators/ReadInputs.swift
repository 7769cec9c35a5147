import GatehouseSecurity
import GatehouseStorage

/// Reads what an operator's action asks for, whatever it is about: for the command and the reference page.
package struct ReadInputs<A: OperatorAction>: Action {
    package static var permission: Permission { .administer }
    package static var role: OperatorRole { A.about.role }

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
        let seen = OperatorView(of: work, formLanguages: languages)
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
