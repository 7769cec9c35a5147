import Crypto
import Foundation
import GatehouseWire
import Synchronization

/// Access tokens with recently verified signatures. A valid signature stays valid; everything else about a token (its time, its key,
/// its session) is checked every time.
final class VerifiedTokens: Sendable {
    struct Entry: Sendable {
        let claims: AccessClaims
        let keyID: String
    }

    /// Two generations: when the young one is full it becomes the old one, and tokens unused since then are forgotten.
    private struct Generations {
        var young: [SHA256Digest: Entry] = [:]
        var old: [SHA256Digest: Entry] = [:]
    }

    private let capacity: Int
    private let generations = Mutex(Generations())

    init(capacity: Int = 8_192) {
        self.capacity = capacity
    }

    static func hash(_ token: AccessToken) -> SHA256Digest { SHA256.hash(data: Data(token.secretValue.utf8)) }

    subscript(_ hash: SHA256Digest) -> Entry? {
        let (entry, isOld) = generations.withLock { generations in
            generations.young[hash].map { ($0, false) } ?? (generations.old[hash], true)
        }
        if isOld, let entry { insert(entry, hash) }
        return entry
    }

    func insert(_ entry: Entry, _ hash: SHA256Digest) {
        generations.withLock { generations in
            if generations.young.count >= capacity / 2 { generations = Generations(old: generations.young) }
            generations.young[hash] = entry
        }
    }
}
