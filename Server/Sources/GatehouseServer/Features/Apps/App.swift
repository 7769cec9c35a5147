import GatehouseWire

/// One game, as the server knows it.
struct App: Sendable, Hashable {
    var id: AppID
    var name: String
    var status: LaunchingStatus
    /// What players read while the app is not in service, by language (BCP 47).
    var statusMessage: LocalizedText
    var maintenance: MaintenanceWindow?
    /// The language of messages where the player's own has none.
    var defaultLanguage: String
    var limits = AppLimits()
    /// How accounts are transferred, restored and withdrawn, and where their players can ask.
    var policy = AccountPolicy()
    /// The last time at which everyone's sessions were ended.
    var kickOut: KickOut?
    /// The identity providers beside `guest`, enabled or not.
    var providers: [Provider: ProviderConfiguration] = [:]
    var createdAt: Moment

    /// From `begin` to before `end`.
    struct MaintenanceWindow: Sendable, Hashable {
        var begin: Moment
        var end: Moment
        var message: LocalizedText
        var url: String?
        /// In a word, for operators and game servers.
        var reason: String?
    }

    /// Everyone's sessions ended.
    struct KickOut: Sendable, Hashable {
        var at: Moment
        var message: LocalizedText

        /// For so long a node may not have heard of it: what it knows of apps is a second old (``AppDirectory``), and another second
        /// is for the write itself. Until then it signs access tokens for sessions that are over.
        private static let delaySeconds: Int64 = 2

        /// Sessions that were opened before this moment are over: a full second, because access tokens tell their time in seconds, and
        /// who checks them without the server must find all of them refused. Sessions that are opened earlier by a node which
        /// has heard of the kick-out begin with this moment.
        var end: Moment { Moment(milliseconds: (at.milliseconds / 1_000 + 1 + Self.delaySeconds) * 1_000) }
    }
}
