package import GatehouseSecurity
package import GatehouseWire

/// An identity that a player's forced mapping has lately taken from another member, and that is still with the one that took it.
package struct IdentityMove: Sendable, Hashable {
    /// How the identity can be given back.
    package enum Return: Sendable {
        /// The former member has nothing else, and is restored with it.
        case restoration
        /// The former member has other identities, and the identity is moved to it.
        case move
    }

    package let provider: Provider
    /// The member that has the identity now.
    package let holder: UserID
    /// The member that had it before.
    package let former: UserID
    package let date: Moment
    /// Nil if it can't be given back.
    package let wayBack: Return?
}
