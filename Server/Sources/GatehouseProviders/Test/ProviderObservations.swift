import GatehousePlatform
package import GatehouseSecurity
import Synchronization

/// What a test sees of a provider beside its answers: why it can't be asked, how long it takes, and its clock.
package final class ProviderObservations: Sendable {
    private struct State {
        var outage: ProviderOutage?
        var fastestNanoseconds: UInt64?
        /// How many seconds the server's clock is ahead of the provider's.
        var secondsAhead: Int64?
    }

    private let state = Mutex(State())

    package init() {}

    package func add(_ outage: ProviderOutage) { state.withLock { $0.outage = outage } }
    package var outage: ProviderOutage? { state.withLock { $0.outage } }
    /// How long the fastest answer took; 0 without one. One slow answer can be this machine's fault, when it is busy.
    package var fastestSeconds: Double { Double(state.withLock { $0.fastestNanoseconds } ?? 0) / 1_000_000_000 }
    package var secondsAhead: Int64? { state.withLock { $0.secondsAhead } }

    /// The same environment, with an eye on every answer.
    package func watching(_ environment: ServerEnvironment) -> ServerEnvironment {
        var watched = environment
        watched.fetch = { [self] request in
            let begin = environment.monotonicNanoseconds()
            let response = try await environment.fetch(request)
            let taken = environment.monotonicNanoseconds() &- begin
            let date = response.date.flatMap(HTTPDate.seconds)
            let now = environment.now().milliseconds / 1_000
            state.withLock { state in
                state.fastestNanoseconds = min(state.fastestNanoseconds ?? taken, taken)
                if let date { state.secondsAhead = now - date }
            }
            return response
        }
        return watched
    }
}
