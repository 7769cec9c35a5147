import Crypto
import GatehousePlatform
package import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Carries out what an identity provider reports about a person: a revoked consent, or a deleted account.
package struct ReceiveReport: Action {
    package static let permission = Permission.report

    let message: SignalReader.Message
    let provider: Provider

    package init(message: SignalReader.Message, provider: Provider) {
        self.message = message
        self.provider = provider
    }

    /// Returns the provider's kind, which determines the form of the answer.
    package func perform(_ work: Work) async throws -> ProviderKind {
        do {
            let reader = try await work.services.providers.signalReader(
                for: try work.client(for: provider), at: work.moment)
            guard let event = try await reader.event(in: message, at: work.moment) else {
                note("ignored", work)
                return reader.client.configuration.kind
            }
            let outcome = try await work.transact { change, tx in try SignalRules.take(event, change, in: tx) }
            if outcome != .done { note(outcome.rawValue, work) }
            return reader.client.configuration.kind
        } catch let failure as IdentityFailure {
            // If the provider can't be asked now, it sends the report again.
            throw failure.refusal(rejected: .userPermission, misconfigured: .notSupported)
        }
    }

    private func note(_ outcome: String, _ work: Work) {
        work.note("provider.signal", ["idp": provider.rawValue, "outcome": outcome])
    }
}

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

/// What an app does when a provider reports that a person has revoked the consent or deleted the account there.
public struct SignalPolicy: Codable, Sendable, Hashable {
    public enum Action: String, Codable, Sendable, Hashable, CaseIterable {
        /// The report is only recorded in the ledger.
        case record
        /// The sessions that were opened with the provider end, and its stored tokens are deleted. The standing of other sessions
        /// reports it, so that the game can remove the mapping. The person may log in again.
        case endSessions = "end-sessions"
        /// The mapping is removed. A member without another identity withdraws, after the app's grace period.
        case remove
        /// The member withdraws at once, as with Gamebase.
        case withdraw
    }

    public var consentRevoked = Action.endSessions
    public var accountDeleted = Action.remove

    public init() {}
}
