package import GatehouseWire

/// What came of an operator's action, beside the fact that it was done.
package struct ActionResult: Sendable {
    /// What is shown now and never again, each with its label.
    package var secrets: [(label: Phrase, text: String)] = []
    /// Another member whom it has concerned.
    package var other: UserID?
    /// The members to whom it was not done.
    package var failed: [UserID] = []
}
