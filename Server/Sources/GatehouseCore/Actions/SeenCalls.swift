import GatehouseSecurity
import GatehouseWire
import Synchronization

/// Remembers which calls with an idempotency key this node has counted. A call that has been forgotten is counted again.
final class SeenCalls: Sendable {
    /// The number of calls that one generation holds.
    private static let capacity = 50_000
    /// The maximum number of repetitions that are not counted. Further repetitions count like other calls.
    private static let repetitions = 8

    /// Identifies a call by a hash. Each process uses a new random seed, so that nobody outside can make two calls collide.
    struct Name: Hashable {
        private let hash: Int

        /// Nil for a call without an idempotency key, which can't be repeated.
        init?(_ call: Idempotency.Call, of kind: RateLimiter.Kind, by key: KeyThumbprint?) {
            guard let idempotencyKey = call.key else { return nil }
            var hasher = Hasher()
            hasher.combine(kind)
            hasher.combine(key)
            hasher.combine(call.app)
            hasher.combine(idempotencyKey)
            hasher.combine(call.requestHash)
            hash = hasher.finalize()
        }
    }

    private struct Generations {
        var young: [Name: Int] = [:]
        var old: [Name: Int] = [:]
    }

    private let generations = Mutex(Generations())

    /// Whether a call must be counted. This also remembers it as counted.
    func isNew(_ name: Name?) -> Bool {
        guard let name else { return true }
        return generations.withLock { generations in
            if generations.young.count >= Self.capacity { generations = Generations(old: generations.young) }
            let count = generations.young[name] ?? generations.old[name] ?? 0
            generations.young[name] = count < Self.repetitions ? count + 1 : 0
            return count == 0
        }
    }

    /// Forgets a call that was refused by the limit and therefore not counted.
    func forget(_ name: Name?) {
        guard let name else { return }
        generations.withLock { generations in
            generations.young[name] = nil
            generations.old[name] = nil
        }
    }
}
