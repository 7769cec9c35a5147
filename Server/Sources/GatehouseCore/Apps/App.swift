package import GatehouseProviders
package import GatehouseSecurity
package import GatehouseWire

/// A game, as the server stores it.
package struct App: Sendable, Hashable {
    package var id: AppID
    package var name: String
    /// The status as it was set. Players get ``currentStatus(at:)``.
    package var status: LaunchingStatus
    /// The message to players while the app is not in service, by language (BCP 47).
    package var statusMessage: LocalizedText
    package var maintenance: MaintenanceWindow?
    /// The language of messages that are not available in the player's.
    package var defaultLanguage: String
    package var limits = AppLimits()
    /// How accounts are transferred, restored and withdrawn, and how their players can contact the operator.
    package var policy = AccountPolicy()
    /// The last time all members were kicked out.
    var kickOut: KickOut?
    /// The identity providers beside `guest`, enabled or not.
    package var providers: [Provider: ProviderConfiguration] = [:]
    /// What clients of some systems, stores and versions get instead of ``status``, in their order.
    package var clientRules: [ClientRule] = []
    var createdAt: Moment

    /// From `begin` (inclusive) to `end` (exclusive).
    package struct MaintenanceWindow: Sendable, Hashable {
        package var begin: Moment
        package var end: Moment
        package var message: LocalizedText
        package var url: String?
        /// The reason as one word, for operators and game servers.
        package var reason: String?

        package init(
            begin: Moment, end: Moment, message: LocalizedText, url: String? = nil, reason: String? = nil
        ) {
            self.begin = begin
            self.end = end
            self.message = message
            self.url = url
            self.reason = reason
        }
    }

    /// What the app is at a moment for every player whose client no rule is about: under maintenance while a window is open, and else as
    /// it was set.
    package func currentStatus(at moment: Moment) -> LaunchingStatus {
        status.isPlayable && openMaintenance(at: moment) != nil ? .maintenance : status
    }

    /// The maintenance that runs.
    func openMaintenance(at moment: Moment) -> MaintenanceWindow? {
        maintenance.flatMap { $0.begin <= moment && moment < $0.end ? $0 : nil }
    }

    /// The end of all members' sessions.
    package struct KickOut: Sendable, Hashable {
        var at: Moment
        var message: LocalizedText

        /// The time during which a node may not know of a kick-out yet: its information about apps is up to a second old
        /// (``AppDirectory``), and another second allows for the write itself. Until then it signs access tokens for sessions that have
        /// ended.
        private static let delaySeconds: Int64 = 2

        /// Sessions opened before this moment have ended. It is a full second, because access tokens have times in seconds, and game
        /// servers that verify tokens offline must refuse all of them. A session that a node with knowledge of the kick-out opens
        /// earlier gets this moment as its beginning.
        var end: Moment { Moment(milliseconds: (at.milliseconds / 1_000 + 1 + Self.delaySeconds) * 1_000) }
    }
}
