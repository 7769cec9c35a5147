package import GatehouseSecurity

/// What an operator has written about a member for the other operators.
package struct MemberNote: Sendable, Hashable {
    /// What a note said before a change.
    package struct Version: Sendable, Hashable {
        package let author: String
        package let text: String
        package let date: Moment
    }

    /// Ids sort in chronological order.
    package let id: String
    package let author: String
    package let text: String
    package let date: Moment
    /// Whether it stands before the others.
    package var isPinned = false
    /// Who has changed it last; nil if it is as it was written.
    package var editor: String?
    package var editedAt: Moment?
    /// What it said before, newest first.
    package var earlier: [Version] = []

    /// Upper bound on a note's letters.
    package static let maximumLength = 2_000
}
