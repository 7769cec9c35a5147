import Crypto
import Synchronization

/// Access tokens that this process has signed a while ago: when one comes back, nobody has to look whether it did. Half of a
/// token's hash is kept, in two generations: what is forgotten is verified like any other.
final class IssuedTokens: Sendable {
    private struct Mark: Hashable {
        let high: UInt64
        let low: UInt64

        init(_ hash: SHA256Digest) {
            var halves = (UInt64(0), UInt64(0))
            for (index, byte) in hash.prefix(16).enumerated() {
                if index < 8 {
                    halves.0 = halves.0 << 8 | UInt64(byte)
                } else {
                    halves.1 = halves.1 << 8 | UInt64(byte)
                }
            }
            (high, low) = halves
        }
    }

    private struct Generations {
        var young: Set<Mark> = []
        var old: Set<Mark> = []
    }

    private let capacity: Int
    private let generations = Mutex(Generations())

    /// - Parameter capacity: of one generation.
    init(capacity: Int = 32_768) {
        self.capacity = capacity
    }

    func insert(_ hash: SHA256Digest) {
        let mark = Mark(hash)
        generations.withLock { generations in
            if generations.young.count >= capacity { generations = Generations(old: generations.young) }
            generations.young.insert(mark)
        }
    }

    func contains(_ hash: SHA256Digest) -> Bool {
        let mark = Mark(hash)
        return generations.withLock { $0.young.contains(mark) || $0.old.contains(mark) }
    }
}
