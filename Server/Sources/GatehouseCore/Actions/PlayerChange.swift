/// A change by a player of the player's own account. Every one is counted against its device and its member.
package protocol PlayerChange: Action {}

extension PlayerChange {
    package static var permission: Permission { .play }
    package static var limits: [Limit] {
        // way: guest 360, google 390, conflict 380, transfer 350
        [.changes]
    }
}
