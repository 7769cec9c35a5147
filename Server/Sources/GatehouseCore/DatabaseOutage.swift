package import GatehouseSecurity
import GatehouseWire
import Synchronization

/// Since when the database does not answer, as far as the calls of this process have shown it.
package final class DatabaseOutage: Sendable {
    /// After this time without a failure another one begins a new outage, in case nobody has noted that the database has answered.
    private static let pauseSeconds: Int64 = 180

    private struct State {
        let since: Moment
        var last: Moment
    }

    private let state = Mutex<State?>(nil)

    func noteFailure(at moment: Moment) {
        state.withLock { state in
            if let known = state, moment < known.last.adding(seconds: Self.pauseSeconds) {
                state?.last = moment
            } else {
                state = State(since: moment, last: moment)
            }
        }
    }

    func noteAnswer() { state.withLock { $0 = nil } }

    /// Nil if the database has answered since the last failure, or has not failed.
    package var since: Moment? { state.withLock { $0?.since } }
}
