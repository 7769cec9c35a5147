/// A secret that an operator may give a provider of a kind.
package struct ProviderSecretSlot: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        case line
        /// A key in PEM.
        case key
        /// A part of a key that is no secret.
        case open
        /// `NAME=SECRET` a line.
        case pairs
    }

    /// The name in an operator's file (``ProviderSecretChanges``).
    package let name: String
    package let form: Form
    package var isNeeded = false
}
