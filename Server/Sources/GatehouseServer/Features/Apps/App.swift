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
    var limits: Limits
    var createdAt: Moment

    /// From `begin` to before `end`.
    struct MaintenanceWindow: Sendable, Hashable {
        var begin: Moment
        var end: Moment
        var message: LocalizedText
        var url: String?
    }

    /// Calls per minute that one address may make; 0 is without limit. A carrier may put a whole city behind one address:
    /// the defaults stop a flood and not a launch day.
    struct Limits: Sendable, Hashable {
        var newGuestsPerMinute = 30_000
        var refusedProofsPerMinute = 3_000
    }
}
