import Crypto
import GatehousePlatform
import GatehouseWire

/// A secret of two parts, `ID.SECRET`: the id finds a row, and the 256 random bits authenticate it. The database has only their hash.
package struct SplitToken: Sendable {
    /// A ``TimeOrderedID`` of 26 letters.
    package let id: String
    private let secret: [UInt8]

    package init(id: String, random: RandomSource) {
        self.id = id
        secret = random.bytes(32)
    }

    /// Nil if the text is not such a token.
    package init?(_ text: String) {
        let parts = text.parts(at: ".", atMost: 2, withEmpty: true)
        guard parts.count == 2, parts[0].utf8.count == 26, parts[1].utf8.count == 43,
            parts[0].utf8.allSatisfy({ ASCII.isDigit($0) || (0x61...0x76).contains($0) }),
            let secret = Base64URL.decode(parts[1].utf8)
        else { return nil }
        id = String(parts[0])
        self.secret = secret
    }

    package var text: String { "\(id).\(Base64URL.encode(secret))" }
    package var hash: [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }

    /// Whether the secret has this hash. The comparison takes constant time.
    package func matches(_ hash: [UInt8]) -> Bool { ConstantTime.isEqual(self.hash, hash) }
}
