package import Crypto
import Synchronization

/// Recently issued tokens. Their signatures need not be verified again. Half of each token's hash is kept, in two generations; a token
/// that has been forgotten is verified like any other.
package final class IssuedTokens: Sendable {
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

    /// - Parameter capacity: the number of tokens in one generation.
    package init(capacity: Int = 32_768) {
        self.capacity = capacity
    }

    package func insert(_ hash: SHA256Digest) {
        let mark = Mark(hash)
        generations.withLock { generations in
            if generations.young.count >= capacity { generations = Generations(old: generations.young) }
            generations.young.insert(mark)
        }
    }

    package func contains(_ hash: SHA256Digest) -> Bool {
        let mark = Mark(hash)
        return generations.withLock { $0.young.contains(mark) || $0.old.contains(mark) }
    }
}
