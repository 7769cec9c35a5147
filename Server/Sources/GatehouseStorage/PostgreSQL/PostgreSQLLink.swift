import Synchronization

/// Whether the server was unreachable a moment ago. For a short time every call then fails at once, because calls that each wait for a
/// connection would only make the queue long.
final class Outage: Sendable {
    private struct State {
        var tryAgainAt: UInt64 = 0
        var reason = ""
    }

    private let state = Mutex(State())

    func current(at now: UInt64) -> StorageError? {
        state.withLock { now < $0.tryAgainAt ? .unavailable($0.reason) : nil }
    }

    func begin(_ reason: String, at now: UInt64) {
        state.withLock { $0 = State(tryAgainAt: now + 250_000_000, reason: reason) }
    }
}

/// A connection that is opened when needed, and again after it was lost. It is used by one thread.
final class PostgreSQLLink {
    private let url: String
    private let purpose: PostgreSQLConnection.Purpose
    private var connection: PostgreSQLConnection?
    private let outage: Outage
    private let events: StorageEvents

    init(
        url: String, for purpose: PostgreSQLConnection.Purpose, connection: PostgreSQLConnection? = nil,
        outage: Outage, events: StorageEvents
    ) {
        self.url = url
        self.purpose = purpose
        self.connection = connection
        self.outage = outage
        self.events = events
    }

    func connected() throws -> PostgreSQLConnection {
        if let connection { return connection }
        let now = MonotonicClock.nanoseconds
        if let error = outage.current(at: now) { throw error }
        do {
            let connection = try PostgreSQLConnection(url: url, for: purpose, noticed: events.noticed)
            self.connection = connection
            return connection
        } catch {
            if case .unavailable(let reason)? = error as? StorageError { outage.begin(reason, at: now) }
            throw error
        }
    }

    var isLost: Bool { connection?.isLost == true }

    /// Closes a lost connection.
    func forgetIfLost(_ reason: any Error) {
        if isLost { forget("\(reason)") }
    }

    /// Rolls the transaction back. If this fails, the connection is not used again.
    func undo() {
        do { try connection?.rollBack() } catch { forget("\(error)") }
    }

    /// Ends what a failed call has left: a lost connection is closed, and the transaction of another is rolled back, because in a failed
    /// one PostgreSQL refuses every later statement.
    func settle(after reason: any Error) {
        forgetIfLost(reason)
        undo()
    }

    func forget(_ reason: String) {
        guard connection != nil else { return }
        connection = nil
        events.disconnected(reason)
    }

    /// Closes the connection at the end of its thread.
    func close() { connection = nil }
}
