import Foundation
import LoadGenerator

/// Logins of known devices at a low and steady rate, until they are stopped.
final class SteadyLogins: @unchecked Sendable {  // What changes is touched with the lock held.
    /// Logins a second: so few that they leave the machine to what is measured beside them.
    static let rate = 50
    /// The seconds of a round. Requests are signed right before they are sent, and the last round ends soon after the stop.
    private static let round = 1.0

    private let lock = NSLock()
    private let over = DispatchSemaphore(value: 0)
    private var isStopped = false
    private var result = Load.Result()

    init(of app: TestApp, _ devices: [Device], port: Int, connections: Int) {
        let thread = Thread { [self] in
            let load = Load(port: port, connections: connections, seconds: Self.round, rate: Double(Self.rate))
            var next = 0
            while !lock.withLock({ isStopped }) {
                let count = Int(Self.round * Double(Self.rate))
                let answered = load.run(app.logins((next..<next + count).map { devices[$0 % devices.count] }))
                lock.withLock { result.add(answered) }
                next += count
            }
            over.signal()
        }
        thread.start()
    }

    /// Ends the logins; returns how they went.
    func stop() -> Load.Result {
        lock.withLock { isStopped = true }
        over.wait()
        return lock.withLock { result }
    }
}
