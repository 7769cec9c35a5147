package import GatehouseSecurity
package import GatehouseWire

/// What an operator's action would do: its confirmation page.
package struct Preview: Sendable {
    /// The question, such as "Ban 9BM7 …?".
    package var title: Phrase
    /// What will happen, in sentences.
    package var consequences: [Phrase]
    /// What can be undone, and until when.
    package var undo: Phrase
    /// The words of the button; nil for the action's own.
    package var button: Phrase?
    /// What the player will read, by language or for ``everyLanguage``.
    package var playerReads: [(language: String, text: String)] = []
    /// What has to be typed, at the step ``OperatorActionAbout/Step/typed``.
    package var typed: String?
    package var isDangerous = false
    /// What stands before this change, if it is more than before others of its kind.
    package var step = OperatorActionAbout.Step.plain
    /// What happens to each of several subjects.
    package var table: Table?

    package init(_ title: Phrase, _ consequences: [Phrase], undo: Phrase) {
        self.title = title
        self.consequences = consequences
        self.undo = undo
    }

    /// Stands for a language before what all players read.
    package static let everyLanguage = "*"
    /// A text that players read, in each of its languages.
    static func readings(_ texts: [String: String]) -> [(language: String, text: String)] {
        texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    package struct Table: Sendable {
        package let caption: Phrase
        package let columns: [Phrase]
        package let rows: [[Cell]]
    }

    package enum Cell: Sendable {
        /// - Parameter isKnown: whether there is a page about it.
        case member(UserID, isKnown: Bool)
        /// A member's state; nil for an unknown one.
        case state(MemberStatus?)
        case mark(Phrase, Mood)
        /// - Parameter note: what stands small below it.
        case text(Phrase, note: Phrase? = nil)
        /// The names of identity providers, in this order.
        case providers([Provider])
        case value(Phrase.Value)
    }

    /// How a mark looks.
    package enum Mood: String, Sendable {
        case good, bad, warn, plain
    }
}

/// What came of an operator's action, beside the fact that it was done.
package struct ActionResult: Sendable {
    /// What is shown now and never again, each with its label.
    package var secrets: [(label: Phrase, text: String)] = []
    /// The secret of the link with which a person enrols. Only the door knows where the link leads.
    package var enrolment: OperatorToken?
    /// The app that was made. Its first page shows the result.
    package var app: AppID?
    /// The time after which the secrets cannot be used; nil if they have no end.
    package var secretsEnd: Moment?
    /// Another member whom it has concerned.
    package var other: UserID?
    /// The members to whom it was not done.
    package var failed: [UserID] = []
}

/// An action that can't be done, whatever is chosen.
package struct ImpossibleAction: Error, Sendable {
    package let phrase: Phrase
    /// The part of the address that is the reason.
    package let parameter: String
    /// Whether the person's role is the reason.
    package var isForbidden = false
    /// Whether the address names nothing that is there.
    package var isMissing = false
}
