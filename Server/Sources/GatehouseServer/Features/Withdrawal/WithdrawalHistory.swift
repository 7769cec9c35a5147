import GatehouseStorage
import GatehouseWire

/// The cause of a withdrawal, in Gamebase's letters.
enum WithdrawalEvent: String, Sendable, Hashable, CaseIterable {
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
        case (.system, .provider, Provider.apple.rawValue): self = .apple
        case (.system, .provider, Provider.hangame.rawValue): self = .hangame
        case (.system, .provider, _): self = .server
        case (.system, _, _): self = .graceExpired
        }
    }
}

/// Withdrawals of all members of an app, page by page, from the ledger, which names no person (WITHDRAW-5).
struct WithdrawalHistory: Sendable {
    let database: Database

    struct Row: Sendable {
        let user: UserID
        let date: Moment
        /// The actor; nil for the player.
        let registeredBy: String?
    }

    /// - Parameter event: nil for every completed withdrawal.
    func withdrawals(
        _ event: WithdrawalEvent?, in period: Period, _ page: Page, app: AppID
    ) async throws -> Paged<Row> {
        let (ledgerEvent, details): (LedgerEvent, [String: String]?) =
            switch event {
            case nil: (.withdrawn, nil)
            case .graceBegun: (.withdrawalRequested, nil)
            case .graceCancelled: (.withdrawalCancelled, nil)
            // A completed withdrawal's entry has no details except its event.
            case let event?: (.withdrawn, ["event": event.rawValue])
            }
        let entries = try await database.report { tx in
            try LedgerRules.withdrawals(of: app, event: ledgerEvent, details: details, in: period, page, in: tx)
        }
        return entries.map { entry in
            Row(
                user: entry.user, date: Moment(milliseconds: entry.date),
                registeredBy: entry.origin.actor == .player ? nil : entry.origin.name ?? "SYSTEM")
        }
    }
}
