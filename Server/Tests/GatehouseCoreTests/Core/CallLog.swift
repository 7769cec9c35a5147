import GatehouseSecurity
import GatehouseWire
import Synchronization

@testable import GatehouseCore

/// Records what actions tell after their commits: audit lines and counted events.
final class CallLog: Sendable {
    private struct State {
        var lines: [AuditLog.Entry] = []
        var counts: [EventName: Int] = [:]
        var isBroken = false
    }

    private let state = Mutex(State())

    var reporter: EventReporter {
        EventReporter(
            audit: AuditLog { [self] entry in state.withLock { if !$0.isBroken { $0.lines.append(entry) } } },
            count: { [self] event in state.withLock { if !$0.isBroken { $0.counts[event.name, default: 0] += 1 } } })
    }

    var lines: [AuditLog.Entry] { state.withLock { $0.lines } }
    /// The names of the lines, in order.
    var events: [String] { lines.map(\.event) }
    var counts: [EventName: Int] { state.withLock { $0.counts } }

    func lines(_ event: EventName) -> [AuditLog.Entry] { lines.filter { $0.event == event.rawValue } }

    func clear() { state.withLock { $0 = State() } }

    /// Loses everything from now on, as a process that ends between a commit and its line.
    func crash() { state.withLock { $0.isBroken = true } }
}
