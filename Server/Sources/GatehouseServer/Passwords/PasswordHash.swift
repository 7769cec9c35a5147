import Crypto
import CryptoExtras
import Foundation

/// A password as it is stored: scrypt's cost, a salt of its own, and the hash.
struct PasswordHash: Sendable, Hashable {
    /// Memory and time: N = 2^cost, with r = 8 and p = 1. 14 takes 16 MiB and about 50 ms.
    let cost: Int
    let salt: [UInt8]
    let hash: [UInt8]

    static let saltLength = 16
    private static let hashLength = 32

    init(of password: String, cost: Int, salt: [UInt8]) throws {
        self.cost = cost
        self.salt = salt
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.utf8), salt: salt, outputByteCount: Self.hashLength, rounds: 1 << cost, blockSize: 8,
            parallelism: 1)
        hash = key.withUnsafeBytes { Array($0) }
    }

    /// Version, cost, salt, hash.
    var bytes: [UInt8] { [1, UInt8(clamping: cost)] + salt + hash }

    /// Nil for what is not one of ours.
    init?(bytes: [UInt8]) {
        guard bytes.count == 2 + Self.saltLength + Self.hashLength, bytes[0] == 1, (1...20).contains(bytes[1]) else {
            return nil
        }
        cost = Int(bytes[1])
        salt = Array(bytes[2..<2 + Self.saltLength])
        hash = Array(bytes[(2 + Self.saltLength)...])
    }
}
