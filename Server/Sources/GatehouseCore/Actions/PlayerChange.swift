/// A change by a player of the player's own account. Every one is counted against its device and its member.
package protocol PlayerChange: Action {}

extension PlayerChange {
    package static var permission: Permission { .play }
    package static var limits: [Limit] {
        [.changes]
    }
}
