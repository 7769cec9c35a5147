package import GatehouseWire

/// A member of which a deadline has passed, so that a change is due.
package struct LapsedMember: Sendable {
    package let app: AppID
    package let user: UserID
}
