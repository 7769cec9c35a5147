import Crypto
import Foundation
import GatehouseWire

/// A secret that is found by its first half and known by its second: `ID.SECRET`, the id of a row and 256 random bits, of which
/// the database has only the hash.
struct SplitToken: Sendable {
    /// 26 letters, of ``TimeOrderedID``.
    let id: String
    private let secret: [UInt8]

    init(id: String, random: RandomSource) {
        self.id = id
        secret = random.bytes(32)
    }

    /// Nil for what is no such token.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 26, parts[1].utf8.count == 43,
            parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x76).contains($0) }),
            let secret = Base64URL.decode(parts[1].utf8)
        else { return nil }
        id = String(parts[0])
        self.secret = secret
    }

    var text: String { "\(id).\(Base64URL.encode(secret))" }
    var hash: [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }

    /// Whether this is the secret of a hash. Takes the same time whatever differs.
    func matches(_ hash: [UInt8]) -> Bool { SessionRules.isSame(self.hash, hash) }
}
