/// A setting that an operator may give a provider of a kind, as a form asks for it.
package struct ProviderSetting: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        case text
        case flag
        /// One value a line.
        case list
        /// `NAME=VALUE` a line.
        case pairs
        /// `REGION=CLIENT ID` a line.
        case regions
        case json
        case certificates
        case choice([String])
    }

    /// The name in an operator's file.
    package let name: String
    package let form: Form
    /// Whether the provider does not work without it.
    package var isNeeded = false
    /// Whether most operators never need it.
    package var isRare = false

    init(_ name: String, _ form: Form, isNeeded: Bool = false, isRare: Bool = false) {
        self.name = name
        self.form = form
        self.isNeeded = isNeeded
        self.isRare = isRare
    }
}
