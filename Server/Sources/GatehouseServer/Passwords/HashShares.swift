import GatehouseWire

/// How many places of the queue of slow hashes each app and each network of it may hold, so that nobody fills it alone.
///
/// The shares shrink with what is free: an app may hold half of the places, and never more than are left for others; a network
/// up to four, and never more than an eighth of what it and the rest of its app may still take. Callers without a network may
/// hold half of that. Whoever holds none gets one as long as its app has any left.
struct HashShares: Sendable {
    /// Whose work a hash is.
    struct Origin: Sendable, Hashable {
        let app: AppID
        /// Where the player is; nil where that isn't known, and for the game's own server, which asks for many players.
        let network: ClientAddress.Network?
    }

    private static let perNetwork = 4

    let limit: Int
    private(set) var held = 0
    private var apps: [AppID: Int] = [:]
    private var origins: [Origin: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// False when the origin has to wait until places are given back.
    mutating func take(_ origin: Origin) -> Bool {
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

    /// After one successful ``take(_:)``.
    mutating func giveBack(_ origin: Origin) {
        held -= 1
        let ofApp = apps[origin.app, default: 1] - 1
        apps[origin.app] = ofApp > 0 ? ofApp : nil
        let ofOrigin = origins[origin, default: 1] - 1
        origins[origin] = ofOrigin > 0 ? ofOrigin : nil
    }
}
