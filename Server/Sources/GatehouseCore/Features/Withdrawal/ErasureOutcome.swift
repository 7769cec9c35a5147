/// The result of repeating a step.
package enum ErasureOutcome: Sendable, Hashable {
    case withdrawn, willWithdraw, stays
    /// The member has withdrawn or never existed, or the database has a later step.
    case nothingToDo
}
