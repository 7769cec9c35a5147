package import GatehouseWire

/// Limits how many places in the queue of slow hashes each app and each network may hold, so that nobody can fill it alone.
///
/// The limits shrink with the free places. An app may hold half of the places, and never more than are left for others. A network may
/// hold up to four, and never more than an eighth of what it and the rest of its app may still take. Callers without a network may hold
/// half of that. A caller without a place gets one as long as its app has any left.
package struct HashShares: Sendable {
    /// The app and network for which a hash is computed.
    package struct Origin: Sendable, Hashable {
        package let app: AppID
        /// The player's network; nil if it isn't known, and for the game's own server, which calls for many players.
        package let network: ClientAddress.Network?

        /// Somebody who signs in to the console.
        package static func console(_ address: ClientAddress?) -> Origin {
            Origin(app: AppID("*"), network: address?.network)
        }

        package init(app: AppID, network: ClientAddress.Network?) {
            self.app = app
            self.network = network
        }
    }

    private static let perNetwork = 4

    package let limit: Int
    package private(set) var held = 0
    private var apps: [AppID: Int] = [:]
    private var origins: [Origin: Int] = [:]

    package init(limit: Int) {
        self.limit = limit
    }

    /// False when the origin must wait until places are returned.
    package mutating func take(_ origin: Origin) -> Bool {
        let ofApp = apps[origin.app, default: 0]
        let ofOrigin = origins[origin, default: 0]
        let free = limit - held
        let freeForApp = min(max(1, limit / 2) - ofApp, free)
        guard ofApp < free, freeForApp > 0 else { return false }
        let own = freeForApp + ofOrigin
        let share = origin.network == nil ? own / 2 : min(Self.perNetwork, own / 8)
        guard ofOrigin < max(1, share) else { return false }
        held += 1
        apps[origin.app] = ofApp + 1
        origins[origin] = ofOrigin + 1
        return true
    }

    /// Returns a place. Call it once after each successful ``take(_:)``.
    package mutating func giveBack(_ origin: Origin) {
        held -= 1
        let ofApp = apps[origin.app, default: 1] - 1
        apps[origin.app] = ofApp > 0 ? ofApp : nil
        let ofOrigin = origins[origin, default: 1] - 1
        origins[origin] = ofOrigin > 0 ? ofOrigin : nil
    }
}
