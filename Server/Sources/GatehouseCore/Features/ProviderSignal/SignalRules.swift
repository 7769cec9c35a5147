import Crypto
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reports from identity providers about persons: Apple's notifications, Kakao's unlink webhook, Facebook's deletion callback. After
/// verification all become one kind of event with one policy.
enum SignalRules {
    /// How long reports are remembered: the same report within this time is a repetition.
    static let keptSeconds: Int64 = 30 * 86_400

    enum Outcome: String, Sendable {
        case done, repeated
        /// No member has the identity.
        case unknown
    }

    static func take(_ event: ProviderSignal, _ change: Change, in tx: Transaction) throws -> Outcome {
        let app = change.app.id
        let hash = Array(SHA256.hash(data: Data("\(event.identity.provider)\0\(event.id)".utf8)))
        guard try SignalQueries.insert(hash, app: app, at: change.moment, in: tx) else { return .repeated }
        guard let user = try MemberQueries.owner(of: event.identity, app: app, in: tx),
            let account = try MemberRules.takeIfThere(user, app: app, at: change.moment, in: tx)
        else { return .unknown }
        let policy = change.app.policy.signals
        let action = event.kind == .accountDeleted ? policy.accountDeleted : policy.consentRevoked
        let provider = event.identity.provider
        try change.record(.providerSignal(provider, event.kind, action), of: user, in: tx)
        guard action != .record else { return .done }
        // The provider itself has already revoked them.
        try IdentityTokenRules.forget(provider, of: user, change, in: tx)
        try SessionRules.endAll(openedWith: provider, of: account, reason: .consentRevoked, change, in: tx)
        try MemberQueries.setRevoked(change.moment, provider, of: user, app: app, in: tx)
        switch action {
        case .withdraw:
            try WithdrawalRules.withdraw(account, change, in: tx)
        case .remove: try remove(provider, from: account, change, in: tx)
        case .record, .endSessions: try MemberQueries.step(account, in: tx)
        }
        return .done
    }

    private static func remove(
        _ provider: Provider, from account: Account, _ change: Change, in tx: Draft
    ) throws {
        guard account.mappings.count > 1 else {
            if account.holds.withdrawsAt == nil { _ = try WithdrawalRules.request(account, change, in: tx) }
            return
        }
        try MemberQueries.step(account, in: tx)
        // Its sessions have already ended.
        try MemberQueries.deleteIdentity(provider, of: account.user, app: account.app, in: tx)
        try change.record(.mappingRemoved(provider), of: account.user, in: tx)
    }
}

/// Table `provider_signals`.
enum SignalQueries {
    /// False for a report that was received before.
    static func insert(_ hash: [UInt8], app: AppID, at moment: Moment, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            INSERT INTO provider_signals (signal_hash, app_id, received_at) VALUES (\(hash), \(app), \(moment))
            ON CONFLICT (signal_hash, app_id) DO NOTHING
            """) == 1
    }
}
