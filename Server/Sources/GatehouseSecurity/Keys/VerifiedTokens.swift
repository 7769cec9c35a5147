package import Crypto
import GatehousePlatform
package import GatehouseWire
import Synchronization

/// Access tokens with recently verified signatures. A valid signature stays valid; everything else about a token (its time, its key,
/// its session) is checked every time.
package final class VerifiedTokens: Sendable {
    package struct Entry: Sendable {
        package let claims: AccessClaims
        package let keyID: String

        package init(claims: AccessClaims, keyID: String) {
            self.claims = claims
            self.keyID = keyID
        }
    }

    /// Two generations: when the young one is full it becomes the old one, and tokens unused since then are forgotten.
    private struct Generations {
        var young: [SHA256Digest: Entry] = [:]
        var old: [SHA256Digest: Entry] = [:]
    }

    private let capacity: Int
    private let generations = Mutex(Generations())

    package init(capacity: Int = 8_192) {
        self.capacity = capacity
    }

    package static func hash(_ token: AccessToken) -> SHA256Digest { SHA256.hash(data: Data(token.secretValue.utf8)) }

    package subscript(_ hash: SHA256Digest) -> Entry? {
        let (entry, isOld) = generations.withLock { generations in
            generations.young[hash].map { ($0, false) } ?? (generations.old[hash], true)
        }
        if isOld, let entry { insert(entry, hash) }
        return entry
    }

    package func insert(_ entry: Entry, _ hash: SHA256Digest) {
        generations.withLock { generations in
            if generations.young.count >= capacity / 2 { generations = Generations(old: generations.young) }
            generations.young[hash] = entry
        }
    }
}
