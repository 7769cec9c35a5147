package import GatehouseSecurity
package import GatehouseWire

/// How far an app is on the way to its first players, as its data show.
package struct FirstHour: Sendable, Hashable {
    package enum Step: String, Sendable, CaseIterable {
        /// A player has logged in.
        case player
        /// A game server has called with a secret key.
        case secret
        /// An identity provider beside guests is switched on.
        case provider
        /// A test of a provider's present settings has found nothing wrong.
        case test
        /// A device is allowed to play whatever the status of the service is.
        case device
        /// Players have a text to read while the service is closed.
        case maintenance
        /// A second person can do what only owners may.
        case owner
    }

    package struct Done: Sendable, Hashable {
        /// Nil if it is not known.
        package let since: Moment?
    }

    package internal(set) var done: [Step: Done] = [:]
    /// The first player.
    package internal(set) var player: UserID?

    package var isDone: Bool { done.count == Step.allCases.count }
}
