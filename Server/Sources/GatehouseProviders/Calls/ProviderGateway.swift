import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire
import Synchronization

/// Sends requests to identity providers, with a separate circuit breaker and limit for each app and provider. A provider that is slow,
/// down or hostile delays only its own logins, for a limited time, and after several failures they are refused for a while without a
/// request (IDP-13).
package final class ProviderGateway: Sendable {
    /// The number of consecutive failures that open the circuit breaker.
    private static let failureLimit = 5
    /// How long the breaker stays open. After that, a single trial call decides whether it closes.
    private static let pauseNanoseconds: UInt64 = 10_000_000_000
    /// The pause between two log lines with the same cause.
    private static let notePauseNanoseconds: UInt64 = 1_000_000_000
    /// The maximum number of concurrent calls of one app to one provider, and of callers waiting for one of the provider's documents.
    private static let callLimit = 64

    /// Identifies a share of the gateway, with the authorities trusted for its connections besides the system's.
    package struct Share: Hashable, Sendable {
        package let app: AppID
        package let provider: Provider
        package var trustedCertificates: [String] = []

        package init(app: AppID, provider: Provider, trustedCertificates: [String] = []) {
            self.app = app
            self.provider = provider
            self.trustedCertificates = trustedCertificates
        }
    }

    private struct State {
        var failures = 0
        var closedUntil: UInt64 = 0
        var calls = 0
        /// The number of callers waiting for the result of another caller's request.
        var waiting = 0
        /// The cause that was last logged, and when.
        var noted: (cause: String, at: UInt64)?
    }

    private let send: @Sendable (OutgoingRequest) async throws -> OutgoingResponse
    private let monotonicNanoseconds: @Sendable () -> UInt64
    private let onOutage: @Sendable (ProviderOutage) -> Void
    private let states = Mutex<[Share: State]>([:])

    package init(environment: ServerEnvironment, onOutage: @escaping @Sendable (ProviderOutage) -> Void = { _ in }) {
        send = environment.fetch
        self.onOutage = onOutage
        monotonicNanoseconds = environment.monotonicNanoseconds
    }

    /// The share's own limits have kept a request back: the breaker is open, or too many are under way. It says nothing about what the
    /// provider would have answered.
    package struct NotAsked: Error {}

    /// - Throws: ``IdentityFailure/unavailable`` when no response comes, and for a failure of the provider itself.
    package func fetch(_ request: OutgoingRequest, of share: Share) async throws -> OutgoingResponse {
        do {
            return try await ask(request, of: share)
        } catch is NotAsked {
            throw IdentityFailure.unavailable
        }
    }

    /// The same, for whom it matters whether the provider was asked.
    ///
    /// - Throws: ``NotAsked`` besides.
    package func ask(_ request: OutgoingRequest, of share: Share) async throws -> OutgoingResponse {
        try enter(share)
        var request = request
        request.trustedCertificates = share.trustedCertificates
        let response: OutgoingResponse
        do {
            response = try await send(request)
        } catch let failure as IdentityFailure {
            leave(share, hasFailed: false)
            throw failure
        } catch  where Task.isCancelled {
            // The client has disconnected, which says nothing about the provider.
            leave(share, hasFailed: nil)
            throw CancellationError()
        } catch {
            leave(share, hasFailed: true)
            note((error as? OutgoingFailure)?.words ?? "no answer comes", at: request.url, of: share)
            throw IdentityFailure.unavailable
        }
        let isFailure = response.status >= 500 || response.status == 429
        leave(share, hasFailed: isFailure)
        guard !isFailure else {
            note("it answers \(response.status)", at: request.url, of: share)
            throw IdentityFailure.unavailable
        }
        return response
    }

    /// Logs for operators why a provider can't be asked. The same cause is logged at most once a second.
    package func note(_ cause: String, at url: String, of share: Share) {
        let now = monotonicNanoseconds()
        let isNew = states.withLock { states in
            let last = states[share]?.noted
            guard last?.cause != cause || now &- (last?.at ?? 0) >= Self.notePauseNanoseconds else { return false }
            states[share, default: State()].noted = (cause, now)
            return true
        }
        guard isNew else { return }
        onOutage(
            ProviderOutage(
                app: share.app, provider: share.provider, host: URLComponents(string: url)?.host ?? "", cause: cause))
    }

    /// Waits for a request that another caller of the share makes. The number of waiting callers is limited, because a slow provider
    /// must not hold everybody's requests.
    ///
    /// - Throws: ``IdentityFailure/busy`` when too many are already waiting, or what the body throws.
    package func waiting<Value>(of share: Share, _ body: () async throws -> Value) async throws -> Value {
        let mayWait = states.withLock { states in
            guard states[share, default: State()].waiting < Self.callLimit else { return false }
            states[share, default: State()].waiting += 1
            return true
        }
        guard mayWait else { throw IdentityFailure.busy }
        defer { states.withLock { $0[share, default: State()].waiting -= 1 } }
        return try await body()
    }

    private func enter(_ share: Share) throws {
        let now = monotonicNanoseconds()
        let isOpen = states.withLock { states in
            var state = states[share, default: State()]
            defer { states[share] = state }
            guard now >= state.closedUntil, state.calls < Self.callLimit else { return false }
            // While the trial call runs, all other calls are still rejected.
            if state.failures >= Self.failureLimit { state.closedUntil = now &+ Self.pauseNanoseconds }
            state.calls += 1
            return true
        }
        guard isOpen else { throw NotAsked() }
    }

    /// - Parameter hasFailed: nil when the call says nothing about the provider.
    private func leave(_ share: Share, hasFailed: Bool?) {
        let now = monotonicNanoseconds()
        states.withLock { states in
            var state = states[share, default: State()]
            state.calls -= 1
            defer { states[share] = state }
            guard let hasFailed else { return }
            state.failures = hasFailed ? min(state.failures + 1, Self.failureLimit) : 0
            state.closedUntil = state.failures >= Self.failureLimit ? now &+ Self.pauseNanoseconds : 0
        }
    }
}

/// Why an identity provider could not be asked. The only part of the request that it contains is the host.
package struct ProviderOutage: Sendable, Hashable {
    package let app: AppID
    package let provider: Provider
    package let host: String
    package let cause: String
}
