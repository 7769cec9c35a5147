package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire
import Synchronization

/// Refused calls on their way to the database. A call only adds to a buffer; about every second the buffer is written in one batch. What
/// a crash loses is lost, and what comes faster than it can be written is dropped, because nobody may slow logins down with errors.
package final class RefusalLog: Sendable {
    /// Upper bound on the waiting refusals.
    static let capacity = 2_000
    /// Upper bound on the waiting refusals while another one says only that the server has too much to do.
    static let capacityForOverload = 200
    private static let rowsPerTransaction = 250

    private struct Waiting: Sendable {
        let refusal: Refusal
        let caller: RefusedCaller
        let app: AppID
        let transactionID: TransactionID
    }

    private struct State {
        var waiting: [Waiting] = []
        /// The number of rows that this process has written since the app's rows were last counted.
        var written: [AppID: Int] = [:]

        /// Takes the oldest of the app that waits longest: a transaction writes for one app only.
        mutating func takeBatch(atMost limit: Int) -> [Waiting] {
            guard let app = waiting.first?.app else { return [] }
            var (batch, rest): ([Waiting], [Waiting]) = ([], [])
            for one in waiting {
                if one.app == app, batch.count < limit { batch.append(one) } else { rest.append(one) }
            }
            waiting = rest
            return batch
        }
    }

    private let state = Mutex(State())

    init() {}

    package func keep(_ refusal: Refusal, of caller: RefusedCaller, app: AppID, transactionID: TransactionID) {
        guard refusal.status != 499, !Self.isRoutine(refusal) else { return }
        let capacity = [429, 503].contains(refusal.status) ? Self.capacityForOverload : Self.capacity
        state.withLock { state in
            guard state.waiting.count < capacity else { return }
            state.waiting.append(
                Waiting(refusal: refusal, caller: caller, app: app, transactionID: transactionID))
        }
    }

    /// Whether every game gets this refusal now and then, and goes on without its player.
    private static func isRoutine(_ refusal: Refusal) -> Bool { refusal.reason == .tokenExpired }

    /// Writes what waits. After a failure it waits for the next time, as far as there is room.
    ///
    /// - Returns: the number of written rows.
    @discardableResult
    package func write(with services: Services) async throws -> Int {
        var count = 0
        while true {
            let batch = state.withLock { $0.takeBatch(atMost: Self.rowsPerTransaction) }
            guard !batch.isEmpty else { return count }
            do {
                try await services.database.transact { [random = services.random] tx in
                    for waiting in batch { try RefusalQueries.insert(Self.row(waiting, random, in: tx), in: tx) }
                }
            } catch {
                guard Self.mayPass(error) else { throw error }
                state.withLock { state in
                    let room = max(0, Self.capacity - state.waiting.count)
                    state.waiting.insert(contentsOf: batch.prefix(room), at: 0)
                }
                throw error
            }
            count += batch.count
            state.withLock { state in
                for waiting in batch { state.written[waiting.app, default: 0] += 1 }
            }
        }
    }

    /// Whether the same batch can be written later. Any other batch is dropped, because it would block the ones after it.
    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case StorageError.unavailable, StorageError.overloaded, StorageError.conflict: true
        default: false
        }
    }

    private static func row(_ waiting: Waiting, _ random: RandomSource, in tx: Reader) throws -> RefusedCall {
        let (refusal, caller) = (waiting.refusal, waiting.caller)
        let user = try RefusalRules.user(of: refusal, caller, app: waiting.app, in: tx)
        // Somebody who has withdrawn meanwhile leaves nothing behind that leads to the device.
        let isGone = try user.map { try RefusalRules.hasWithdrawn($0, app: waiting.app, in: tx) } ?? false
        return RefusedCall(
            id: TimeOrderedID.entry(at: caller.moment, random: random), app: waiting.app,
            transactionID: waiting.transactionID.rawValue, code: refusal.code, reason: refusal.reason,
            call: caller.call, provider: caller.provider,
            key: isGone ? nil : caller.key, user: isGone ? nil : user, client: isGone ? nil : caller.client,
            date: caller.moment)
    }

    /// Returns the apps with at least this number of newly written rows, and resets their counters.
    func takeGrown(by rows: Int) -> [AppID] {
        state.withLock { state in
            let apps = state.written.filter { $0.value >= rows }.map(\.key)
            for app in apps { state.written[app] = 0 }
            return apps
        }
    }
}
