import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire

/// Withdraws the caller's member at once.
package struct Withdraw: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> Empty {
        // A repeated call has ended its own session, so there is no session to check.
        try await work.transact(once: .answered { done, _ in done }) { change, tx in
            let account = try work.player(leaving: true, in: tx).account
            try WithdrawalRules.withdraw(account, change, in: tx)
            return Empty()
        }
    }
}

/// Begins the grace period after which the caller's member is withdrawn.
package struct RequestWithdrawal: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> MemberChange {
        try await work.memberChange(
            try await work.decide(once: .replayed) { change, tx in
                try WithdrawalRules.request(work.player(in: tx).account, change, in: tx)
            })
    }
}

/// Cancels the pending withdrawal of the caller's member.
package struct CancelWithdrawal: PlayerChange {
    package init() {}

    package func perform(_ work: Work) async throws -> MemberChange {
        try await work.memberChange(
            try await work.decide(once: .replayed) { change, tx in
                try WithdrawalRules.cancel(work.player(in: tx).account, change, in: tx)
            })
    }
}

extension Work {
    fileprivate func memberChange(_ member: Member) async throws -> MemberChange {
        MemberChange(
            member: member,
            standing: StandingRules.standing(of: member, status: try await launchingStatus(), context),
            serverDate: moment.milliseconds)
    }
}

/// The withdrawal of members (WITHDRAW).
enum WithdrawalRules {
    /// Deletes all identities and personal data of the member, in this transaction. What needs the network follows as jobs. The user id
    /// stays in the ledger, and is never used again.
    static func withdraw(_ account: Account, _ change: Change, in tx: Transaction) throws {
        let user = account.user
        let app = account.app
        for provider in try IdentityTokenRules.providers(of: user, app: app, in: tx) {
            try IdentityTokenRules.revoke(provider, of: user, at: .withdrawal, change, in: tx)
        }
        // An identity that came from another member is recorded there, so that the move can be undone. That record is deleted, because
        // the person has withdrawn.
        for mapping in account.mappings {
            try FormerIdentityQueries.deleteAll(naming: mapping, of: user, app: app, in: tx)
        }
        try MemberQueries.update(account, status: .withdrawn, holds: Holds(), in: tx)
        // While the identities and sessions still say which devices are the member's.
        try RefusalRules.deleteAll(of: account, in: tx)
        try MemberQueries.deleteIdentities(of: user, app: app, in: tx)
        try FormerIdentityQueries.deleteAll(of: user, app: app, in: tx)
        try MappingRules.deleteTickets(about: user, app: app, in: tx)
        try TransferRules.deleteAll(of: user, app: app, in: tx)
        try NoteRules.deleteAll(of: user, app: app, in: tx)
        try LegacyRules.erase(user, change, in: tx)
        try SessionRules.deleteAll(of: user, change, in: tx)
        try change.record(.withdrawn(WithdrawalEvent(change.origin)), of: user, in: tx)
    }

    static func now(_ user: UserID, _ change: Change, in tx: Transaction) throws {
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        guard account.status != .withdrawn else { throw Refusal(.authNotExistMember, reason: .withdrawn) }
        try withdraw(account, change, in: tx)
    }

    static func request(_ account: Account, _ change: Change, in tx: Draft) throws -> Member {
        guard account.holds.withdrawsAt == nil else { throw Refusal(.authWithdrawAlreadyTemporaryWithdraw) }
        let end = change.moment.adding(seconds: Int64(change.app.policy.withdrawalGraceDays) * 86_400)
        return try request(account, end: end, change, in: tx)
    }

    static func request(_ account: Account, end: Moment, _ change: Change, in tx: Draft) throws -> Member {
        try set(end, of: account, .withdrawalRequested(end: end), change, in: tx)
    }

    /// Cancels a pending withdrawal. After the deadline this is not reached, because the member has been withdrawn.
    static func cancel(_ account: Account, _ change: Change, in tx: Draft) throws -> Member {
        guard account.holds.withdrawsAt != nil else {
            // The member may have withdrawn since it was read.
            let status = try MemberQueries.account(account.user, app: account.app, in: tx)?.status
            guard status != .withdrawn else { throw Refusal(.authInvalidGatehouseToken, reason: .withdrawn) }
            throw Refusal(.authWithdrawNotTemporaryWithdraw)
        }
        return try set(nil, of: account, .withdrawalCancelled, change, in: tx)
    }

    private static func set(
        _ end: Moment?, of account: Account, _ event: AccountEvent, _ change: Change, in tx: Draft
    ) throws -> Member {
        let changed = try MemberRules.update(account, in: tx) { $0.withdrawsAt = end }
        try change.record(event, of: account.user, in: tx)
        return try MemberRules.member(changed, in: tx)
    }
}

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
