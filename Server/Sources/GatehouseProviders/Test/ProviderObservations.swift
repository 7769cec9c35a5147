import GatehousePlatform
package import GatehouseSecurity
import Synchronization

/// What a test sees of a provider beside its answers: why it can't be asked, how long it takes, and its clock.
package final class ProviderObservations: Sendable {
    private struct State {
        var outage: ProviderOutage?
        var slowestNanoseconds: UInt64 = 0
        /// How many seconds the server's clock is ahead of the provider's.
        var secondsAhead: Int64?
    }

    private let state = Mutex(State())

    package init() {}

    package func add(_ outage: ProviderOutage) { state.withLock { $0.outage = outage } }
    package var outage: ProviderOutage? { state.withLock { $0.outage } }
    package var slowestSeconds: Double { Double(state.withLock { $0.slowestNanoseconds }) / 1_000_000_000 }
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
                state.slowestNanoseconds = max(state.slowestNanoseconds, taken)
                if let date { state.secondsAhead = now - date }
            }
            return response
        }
        return watched
    }
}

/// The date of an HTTP response (RFC 9110 section 5.6.7), in its preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The seconds since 1970; nil for another form.
    package static func seconds(_ text: String) -> Int64? {
        let parts = text.parts(at: " ")
        guard text.utf8.count == 29, parts.count == 6, parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let numbers = ([parts[1], parts[3]] + parts[4].parts(at: ":")).compactMap { Int($0) }
        guard numbers.count == 5, (1_970...9_999).contains(numbers[1]) else { return nil }
        let components = DateComponents(
            year: numbers[1], month: month + 1, day: numbers[0], hour: numbers[2], minute: numbers[3],
            second: numbers[4])
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(from: components).map { Int64($0.timeIntervalSince1970) }
    }
}
