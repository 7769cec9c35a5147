import GatehouseProviders
import GatehouseWire

/// The cause of a withdrawal, in Gamebase's letters.
package enum WithdrawalEvent: String, Sendable, Hashable, CaseIterable {
    /// The player withdrew in the game.
    case player = "WAA"
    /// An operator withdrew the member.
    case `operator` = "WACS"
    /// A server withdrew the member: the game's, or that of an identity provider without its own letters.
    case server = "WAES"
    /// The account at Apple was deleted.
    case apple = "WAAI"
    /// The account at Hangame was deleted.
    case hangame = "WAHI"
    /// The account at Hangame became dormant. Nothing here reports that.
    case hangameDormant = "WAHD"
    /// The grace period has passed.
    case graceExpired = "WAGE"
    /// A grace period has begun. The member has not withdrawn yet.
    case graceBegun = "WAT"
    /// A grace period was cancelled.
    case graceCancelled = "WAC"

    init(_ origin: Origin) {
        switch (origin.actor, origin.door, origin.name) {
        case (.player, _, _): self = .player
        case (.operator, _, _): self = .operator
        case (.gameServer, _, _): self = .server
        case (.system, .provider, let name):
            let provider = ProviderName.all.first { $0.provider.rawValue == name }
            self = provider?.withdrawalCause.flatMap { WithdrawalEvent(rawValue: $0) } ?? .server
        case (.system, _, _): self = .graceExpired
        }
    }
}
