/// An attempt of a transaction has failed for a reason that ``Work`` can remove before the next attempt.
enum AttemptFailure: Error {
    /// The member's due change must be made first.
    case unsettled(LapsedMember)
}
