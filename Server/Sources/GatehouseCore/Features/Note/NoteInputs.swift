import GatehouseSecurity

extension Input {
    /// The text of a note.
    static func note(_ path: any WritableKeyPath<A, String> & Sendable, label: Phrase) -> Self {
        Input { action, _, _ in
            [
                InputField(
                    name: "text", label: label, kind: .lines, value: action[keyPath: path], help: "note.help",
                    isRequired: true, limit: MemberNote.maximumLength)
            ]
        } read: { action, values, _ in
            guard let text = values.text("text"), text.unicodeScalars.count <= MemberNote.maximumLength else {
                throw InputProblems(["text": "problem.note"])
            }
            action[keyPath: path] = text
        }
    }

    /// Which note it is.
    static func noteID(_ path: any WritableKeyPath<A, String> & Sendable) -> Self {
        Input { action, values, _ in action[keyPath: path] = values.text("note") ?? "" }
    }

    /// Whether the address has a mark.
    static func mark(_ path: any WritableKeyPath<A, Bool> & Sendable, _ name: String) -> Self {
        Input { action, values, _ in action[keyPath: path] = values.text(name) != nil }
    }
}
