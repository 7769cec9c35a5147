import GatehouseStorage
import GatehouseWire

/// How a member came to withdraw, in Gamebase's letters.
enum WithdrawalEvent: String, Sendable, Hashable, CaseIterable {
    /// By the player, in the game.
    case player = "WAA"
    /// By an operator.
    case `operator` = "WACS"
    /// By a server: the game's, or an identity provider's that has no letters of its own.
    case server = "WAES"
    /// The account at Apple is gone.
    case apple = "WAAI"
    /// The account at Hangame is gone.
    case hangame = "WAHI"
    /// The account at Hangame sleeps: nothing here reports that.
    case hangameDormant = "WAHD"
    /// The grace period has passed.
    case graceExpired = "WAGE"
    /// A grace period has begun: not a withdrawal yet.
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

/// Withdrawals over all members of an app, page by page: from the ledger, which names no person (WITHDRAW-5).
struct WithdrawalHistory: Sendable {
    let database: Database

    struct Row: Sendable {
        let user: UserID
        let date: Moment
        /// Who did it; nil for the player.
        let registeredBy: String?
    }

    /// - Parameter event: nil for every withdrawal that has happened.
    func withdrawals(
        _ event: WithdrawalEvent?, in period: Period, _ page: Page, app: AppID
    ) async throws -> Paged<Row> {
        let (ledgerEvent, details): (LedgerEvent, [String: String]?) =
            switch event {
            case nil: (.withdrawn, nil)
            case .graceBegun: (.withdrawalRequested, nil)
            case .graceCancelled: (.withdrawalCancelled, nil)
            // The entry of a withdrawal has no other details than its event.
            case let event?: (.withdrawn, ["event": event.rawValue])
            }
        let entries = try await database.read { tx in
            try LedgerRules.withdrawals(of: app, event: ledgerEvent, details: details, in: period, page, in: tx)
        }
        return entries.map { entry in
            Row(
                user: entry.user, date: Moment(milliseconds: entry.date),
                registeredBy: entry.origin.actor == .player ? nil : entry.origin.name ?? "SYSTEM")
        }
    }
}
