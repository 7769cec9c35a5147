import Foundation
import GatehouseStorage
import Synchronization

/// Slow hashes on threads of their own: never on an event loop, never on the database's. They run behind everything else that
/// the machine has to do, and no more wait than can be served in a while (REL-9).
final class PasswordHasher: Sendable {
    private struct Work: Sendable {
        let password: String
        let cost: Int
        let salt: [UInt8]
        let done: CheckedContinuation<PasswordHash, any Error>
    }

    private struct Queue {
        var work: [Work] = []
        var hasThreads = false
        var isClosed = false
    }

    /// N = 2^cost of new hashes.
    let cost: Int
    private let limit: Int
    private let queue = Mutex(Queue())
    private let signal = DispatchSemaphore(value: 0)
    private let threads: Int

    /// - Parameter limit: hashes that may wait; more are refused.
    init(cost: Int, threads: Int = 1, limit: Int = 64) {
        self.cost = cost
        self.limit = limit
        self.threads = threads
    }

    /// Hashes a password with a new salt.
    func hash(_ password: String, random: RandomSource) async throws -> PasswordHash {
        try await add(password, cost: cost, salt: random.bytes(PasswordHash.saltLength))
    }

    /// Whether a password is the one of a hash. Without a hash it is not, which takes as long to find out.
    func matches(_ password: String, _ known: PasswordHash?, random: RandomSource) async throws -> Bool {
        let salt = known?.salt ?? random.bytes(PasswordHash.saltLength)
        let hash = try await add(password, cost: known?.cost ?? cost, salt: salt)
        return known.map { SessionRules.isSame($0.hash, hash.hash) } ?? false
    }

    /// Ends the threads when they have done what waits.
    func close() {
        queue.withLock { $0.isClosed = true }
        for _ in 0..<threads { signal.signal() }
    }

    private func add(_ password: String, cost: Int, salt: [UInt8]) async throws -> PasswordHash {
        try await withCheckedThrowingContinuation { continuation in
            let (isTaken, isFirst) = queue.withLock { queue in
                guard !queue.isClosed, queue.work.count < limit else { return (false, false) }
                queue.work.append(Work(password: password, cost: cost, salt: salt, done: continuation))
                defer { queue.hasThreads = true }
                return (true, !queue.hasThreads)
            }
            guard isTaken else { return continuation.resume(throwing: StorageError.overloaded) }
            if isFirst { start() }
            signal.signal()
        }
    }

    /// With the first hash: many a server never has one.
    private func start() {
        for _ in 0..<threads {
            // The thread keeps the hasher, which ends it by `close`.
            let thread = Thread { [self] in run() }
            thread.name = "gatehouse-passwords"
            thread.start()
        }
    }

    private func run() {
        Self.stepBack()
        while true {
            signal.wait()
            let (work, isClosed) = queue.withLock { queue in
                (queue.work.isEmpty ? nil : queue.work.removeFirst(), queue.isClosed)
            }
            guard let work else {
                if isClosed { return }
                continue
            }
            work.done.resume(
                with: Result { try PasswordHash(of: work.password, cost: work.cost, salt: work.salt) })
        }
    }

    /// Logins come first: what a player waits for in a transfer may take a little longer.
    private static func stepBack() {
        #if os(Linux)
        // On Linux a thread has a priority of its own, and 0 names the calling one.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        #else
        Thread.current.threadPriority = 0
        #endif
    }
}
