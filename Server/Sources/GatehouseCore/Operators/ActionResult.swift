package import GatehouseSecurity
package import GatehouseWire

/// What came of an operator's action, beside the fact that it was done.
package struct ActionResult: Sendable {
    /// What is shown now and never again, each with its label.
    package var secrets: [(label: Phrase, text: String)] = []
    /// The time after which the secrets cannot be used; nil if they have no end.
    package var secretsEnd: Moment?
    /// Another member whom it has concerned.
    package var other: UserID?
    /// The members to whom it was not done.
    package var failed: [UserID] = []
}
