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
