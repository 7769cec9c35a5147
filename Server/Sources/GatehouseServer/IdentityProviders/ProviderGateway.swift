import Foundation
import GatehouseWire
import Synchronization

/// The way to identity providers: each app's own share of it. A provider that is slow, down or hostile costs its own logins a
/// bounded time, and after a few failures none at all for a while (IDP-13).
final class ProviderGateway: Sendable {
    /// Failures in a row that close the way.
    private static let failureLimit = 5
    /// For how long: then one call finds out.
    private static let pauseNanoseconds: UInt64 = 10_000_000_000
    /// Between two lines of the log with the same cause.
    private static let notePauseNanoseconds: UInt64 = 1_000_000_000
    /// Calls of one app to one provider at a time, and as many who wait for a document of the provider's.
    private static let callLimit = 64

    /// Whose share, and whom its connections may lead to beside those whom the system trusts.
    struct Share: Hashable, Sendable {
        let app: AppID
        let provider: Provider
        var trustedCertificates: [String] = []
    }

    private struct State {
        var failures = 0
        var closedUntil: UInt64 = 0
        var calls = 0
        /// Those who wait for what another's call will bring.
        var waiting = 0
        /// What operators were told last, and when.
        var noted: (cause: String, at: UInt64)?
    }

    private let send: @Sendable (OutgoingRequest) async throws -> OutgoingResponse
    private let monotonicNanoseconds: @Sendable () -> UInt64
    private let onOutage: @Sendable (ProviderOutage) -> Void
    private let states = Mutex<[Share: State]>([:])

    init(environment: ServerEnvironment, onOutage: @escaping @Sendable (ProviderOutage) -> Void = { _ in }) {
        send = environment.fetch
        self.onOutage = onOutage
        monotonicNanoseconds = environment.monotonicNanoseconds
    }

    /// - Throws: ``IdentityFailure/unavailable`` when no answer comes, and for a failure of the provider's own.
    func fetch(_ request: OutgoingRequest, of share: Share) async throws -> OutgoingResponse {
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
            // The client has gone: that says nothing of the provider.
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

    /// Tells operators why a provider can't be asked: the same cause once a second, however many calls fail of it.
    func note(_ cause: String, at url: String, of share: Share) {
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

    /// Waits for a call that somebody else of the share makes. More than a bounded number don't wait: a slow provider must not
    /// hold the requests of everybody.
    ///
    /// - Throws: ``IdentityFailure/unavailable`` when too many wait already, or what the body throws.
    func waiting<Value>(of share: Share, _ body: () async throws -> Value) async throws -> Value {
        let mayWait = states.withLock { states in
            guard states[share, default: State()].waiting < Self.callLimit else { return false }
            states[share, default: State()].waiting += 1
            return true
        }
        guard mayWait else { throw IdentityFailure.unavailable }
        defer { states.withLock { $0[share, default: State()].waiting -= 1 } }
        return try await body()
    }

    private func enter(_ share: Share) throws {
        let now = monotonicNanoseconds()
        let isOpen = states.withLock { states in
            var state = states[share, default: State()]
            defer { states[share] = state }
            guard now >= state.closedUntil, state.calls < Self.callLimit else { return false }
            // The one that finds out keeps the others out until it has.
            if state.failures >= Self.failureLimit { state.closedUntil = now &+ Self.pauseNanoseconds }
            state.calls += 1
            return true
        }
        guard isOpen else { throw IdentityFailure.unavailable }
    }

    /// - Parameter hasFailed: nil when the call has told nothing of the provider.
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

/// Why an identity provider could not be asked. Nothing of a request is in it but the host that it went to.
struct ProviderOutage: Sendable, Hashable {
    let app: AppID
    let provider: Provider
    let host: String
    let cause: String
}
