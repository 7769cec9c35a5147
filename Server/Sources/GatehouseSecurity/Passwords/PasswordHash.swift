import Crypto
import CryptoExtras
import GatehousePlatform

/// A stored password: scrypt's cost, the salt, and the hash.
package struct PasswordHash: Sendable, Hashable {
    /// The cost of one hash. For 16 MiB, OWASP's minimum is 2^14 with a parallelism of 5.
    package struct Cost: Sendable, Hashable {
        /// Memory and time: N = 2^exponent, with r = 8. An exponent of 14 takes 16 MiB and about 60 ms.
        package let exponent: Int
        /// How often that time is spent, in the same memory: scrypt's p.
        package let parallelism: Int

        package init(exponent: Int, parallelism: Int) {
            self.exponent = exponent
            self.parallelism = parallelism
        }

        package static let standard = Cost(exponent: 14, parallelism: 5)

        /// The cost of an operator's password: eight times the memory, at once. In production that is OWASP's N = 2^17 (CON-5).
        package var forOperators: Cost { Cost(exponent: min(exponent + 3, 20), parallelism: 1) }

        /// The difference to a higher cost in the same memory; nil if there is none, or if the memory differs.
        package func rest(to other: Cost) -> Cost? {
            guard exponent == other.exponent, parallelism < other.parallelism else { return nil }
            return Cost(exponent: exponent, parallelism: other.parallelism - parallelism)
        }
    }

    package let cost: Cost
    package let salt: [UInt8]
    package let hash: [UInt8]

    package static let saltLength = 16
    private static let hashLength = 32

    package init(of password: String, cost: Cost, salt: [UInt8]) throws {
        self.cost = cost
        self.salt = salt
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.utf8), salt: salt, outputByteCount: Self.hashLength, rounds: 1 << cost.exponent,
            blockSize: 8, parallelism: cost.parallelism)
        hash = key.withUnsafeBytes { Array($0) }
    }

    /// A typed password as it is hashed, whichever keyboard has typed it: spaces are all one space, letters are composed, and case stays
    /// (RFC 8265, section 4.2: OpaqueString). Nil if a character of it can't be seen, or be typed once more. Joiners and variants, of which
    /// emoji consist, are taken; the RFC is older than they are.
    package static func prepared(_ typed: String) -> String? {
        var scalars = String.UnicodeScalarView()
        for scalar in typed.unicodeScalars {
            let properties = scalar.properties
            switch properties.generalCategory {
            case .spaceSeparator: scalars.append(" ")
            case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return nil
            default:
                let isPart = properties.isJoinControl || properties.isVariationSelector
                guard isPart || !properties.isDefaultIgnorableCodePoint else { return nil }
                scalars.append(scalar)
            }
        }
        return String(scalars).composed
    }

    /// The stored form: version, exponent, parallelism, salt, hash.
    package var bytes: [UInt8] {
        [2, UInt8(clamping: cost.exponent), UInt8(clamping: cost.parallelism)] + salt + hash
    }

    /// Nil if the bytes are not in one of our formats. Version 1 had no parallelism: it was 1.
    package init?(bytes: [UInt8]) {
        var rest = bytes[...]
        guard let version = rest.popFirst(), version == 1 || version == 2, let exponent = rest.popFirst(),
            let parallelism = version == 1 ? 1 : rest.popFirst(), (1...20).contains(exponent),
            (1...16).contains(parallelism), rest.count == Self.saltLength + Self.hashLength
        else { return nil }
        cost = Cost(exponent: Int(exponent), parallelism: Int(parallelism))
        salt = Array(rest.prefix(Self.saltLength))
        hash = Array(rest.dropFirst(Self.saltLength))
    }
}
