/// The order of a list of members.
package struct MemberOrder: Sendable, Hashable {
    package enum Key: Sendable, Hashable {
        case registration, lastLogin
    }

    package let key: Key
    package let isAscending: Bool

    package init(_ key: Key, isAscending: Bool) {
        self.key = key
        self.isAscending = isAscending
    }

    /// The members that registered last come first.
    package static let newest = MemberOrder(.registration, isAscending: false)
    package static let oldest = MemberOrder(.registration, isAscending: true)
}
