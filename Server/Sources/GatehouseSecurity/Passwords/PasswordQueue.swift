import Dispatch
import GatehousePlatform
package import GatehouseWire
import Synchronization

/// The queue of waiting hashes, with the threads that compute them.
package final class PasswordQueue: Sendable {
    package struct Work: Sendable {
        package let password: String
        package let cost: PasswordHash.Cost
        /// An additional cost that is computed and discarded.
        package let rest: PasswordHash.Cost?
        package let salt: [UInt8]
        package let origin: HashShares.Origin

        package func compute() throws -> PasswordHash {
            if let rest { _ = try PasswordHash(of: password, cost: rest, salt: salt) }
            return try PasswordHash(of: password, cost: cost, salt: salt)
        }
    }

    private struct Waiting: Sendable {
        let work: Work
        let done: CheckedContinuation<PasswordHash, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var shares: HashShares
        var hasBegun = false
        var isClosed = false
        var threads = 0
        /// The callers that wait for the threads to end.
        var enders: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let signal = DispatchSemaphore(value: 0)
    private let threads: Int
    private let compute: @Sendable (Work) throws -> PasswordHash

    package init(threads: Int, limit: Int, compute: @escaping @Sendable (Work) throws -> PasswordHash) {
        self.threads = threads
        self.compute = compute
        state = Mutex(State(shares: HashShares(limit: limit)))
    }

    package func hash(_ work: Work) async throws -> PasswordHash {
        try await withCheckedThrowingContinuation { continuation in
            let (isTaken, isFirst) = state.withLock { state in
                guard !state.isClosed, state.shares.take(work.origin) else { return (false, false) }
                state.waiting.append(Waiting(work: work, done: continuation))
                guard !state.hasBegun else { return (true, false) }
                state.hasBegun = true
                state.threads = threads
                return (true, true)
            }
            guard isTaken else { return continuation.resume(throwing: Refusal.overloaded) }
            if isFirst { start() }
            signal.signal()
        }
    }

    /// The number of hashes that wait or are being computed.
    package var underway: Int { state.withLock { $0.shares.held } }
    package var runningThreads: Int { state.withLock { $0.threads } }
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Refuses new work. The threads end when the waiting work is done.
    package func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        for _ in 0..<threads { signal.signal() }
    }

    /// Returns when no thread is running.
    package func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.threads > 0 else { return true }
                state.enders.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Starts the threads with the first hash, because many servers never need one.
    private func start() {
        for _ in 0..<threads {
            SystemThread.start("gatehouse-passwords") { [self] in run() }
        }
    }

    private func run() {
        Self.stepBack()
        // There is a signal for each hash, and one for each thread at the end, so a thread that finds nothing ends.
        while next() {}
        let enders = state.withLock { state in
            state.threads -= 1
            guard state.threads == 0 else { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.enders = [] }
            return state.enders
        }
        for ender in enders { ender.resume() }
    }

    /// Computes one hash; false when the queue is closed and empty.
    private func next() -> Bool {
        signal.wait()
        let next = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        guard let next else { return false }
        let result = Result { try compute(next.work) }
        state.withLock { $0.shares.giveBack(next.work.origin) }
        next.done.resume(with: result)
        return true
    }

    /// Lowers the thread's priority, because logins come first: a player can wait a little longer for a transfer.
    private static func stepBack() {
        #if os(Linux)
        // On Linux each thread has its own priority, and 0 means the calling thread.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        #else
        Thread.current.threadPriority = 0
        #endif
    }
}

/// Limits how many places in the queue of slow hashes each app and each network may hold, so that nobody can fill it alone.
///
/// The limits shrink with the free places. An app may hold half of the places, and never more than are left for others. A network may
/// hold up to four, and never more than an eighth of what it and the rest of its app may still take. Callers without a network may hold
/// half of that. A caller without a place gets one as long as its app has any left.
package struct HashShares: Sendable {
    /// The app and network for which a hash is computed.
    package struct Origin: Sendable, Hashable {
        package let app: AppID
        /// The player's network; nil if it isn't known, and for the game's own server, which calls for many players.
        package let network: ClientAddress.Network?

        /// Somebody who signs in to the console.
        package static func console(_ address: ClientAddress?) -> Origin {
            Origin(app: AppID("*"), network: address?.network)
        }

        package init(app: AppID, network: ClientAddress.Network?) {
            self.app = app
            self.network = network
        }
    }

    private static let perNetwork = 4

    package let limit: Int
    package private(set) var held = 0
    private var apps: [AppID: Int] = [:]
    private var origins: [Origin: Int] = [:]

    package init(limit: Int) {
        self.limit = limit
    }

    /// False when the origin must wait until places are returned.
    package mutating func take(_ origin: Origin) -> Bool {
        let ofApp = apps[origin.app, default: 0]
        let ofOrigin = origins[origin, default: 0]
        let free = limit - held
        let freeForApp = min(max(1, limit / 2) - ofApp, free)
        guard ofApp < free, freeForApp > 0 else { return false }
        let own = freeForApp + ofOrigin
        let share = origin.network == nil ? own / 2 : min(Self.perNetwork, own / 8)
        guard ofOrigin < max(1, share) else { return false }
        held += 1
        apps[origin.app] = ofApp + 1
        origins[origin] = ofOrigin + 1
        return true
    }

    /// Returns a place. Call it once after each successful ``take(_:)``.
    package mutating func giveBack(_ origin: Origin) {
        held -= 1
        let ofApp = apps[origin.app, default: 1] - 1
        apps[origin.app] = ofApp > 0 ? ofApp : nil
        let ofOrigin = origins[origin, default: 1] - 1
        origins[origin] = ofOrigin > 0 ? ofOrigin : nil
    }
}
