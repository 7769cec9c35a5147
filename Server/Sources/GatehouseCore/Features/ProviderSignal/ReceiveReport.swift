package import GatehouseProviders
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
