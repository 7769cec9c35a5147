import Crypto
import CryptoExtras
import GatehouseJSON
import GatehousePlatform

/// Computes slow hashes on separate threads, never on an event loop or on the database's threads. They have the lowest priority, and
/// only as many requests wait as can be served in reasonable time (REL-9). The threads end with the hasher.
package final class PasswordHasher: Sendable {
    /// The cost of new hashes.
    package let cost: PasswordHash.Cost
    /// The threads hold the queue and not the hasher, so that the hasher is deallocated when it is no longer used.
    package let queue: PasswordQueue

    /// - Parameters:
    ///   - limit: the maximum number of hashes in the queue; more are refused.
    ///   - compute: the computation, which tests can replace.
    package init(
        cost: PasswordHash.Cost, threads: Int = 1, limit: Int = 64,
        compute: @escaping @Sendable (PasswordQueue.Work) throws -> PasswordHash = { try $0.compute() }
    ) {
        self.cost = cost
        queue = PasswordQueue(threads: threads, limit: limit, compute: compute)
    }

    deinit { queue.close() }

    /// Hashes a password with a new salt.
    ///
    /// - Throws: ``Refusal/overloaded`` when the origin's share of the queue is used up, or the hasher is closed.
    package func hash(_ password: String, for origin: HashShares.Origin, random: RandomSource) async throws
        -> PasswordHash
    {
        try await queue.hash(
            .init(
                password: password, cost: cost, rest: nil, salt: random.bytes(PasswordHash.saltLength), origin: origin))
    }

    /// Whether a password has this hash. Without a hash it doesn't, but the answer takes as long, and so does a hash that was stored at
    /// a lower cost.
    ///
    /// - Throws: ``Refusal/overloaded`` when the origin's share of the queue is used up, or the hasher is closed.
    package func matches(
        _ password: String, _ known: PasswordHash?, for origin: HashShares.Origin, random: RandomSource
    ) async throws -> Bool {
        let salt = known?.salt ?? random.bytes(PasswordHash.saltLength)
        let knownCost = known?.cost ?? cost
        let hash = try await queue.hash(
            .init(password: password, cost: knownCost, rest: knownCost.rest(to: cost), salt: salt, origin: origin))
        return known.map { ConstantTime.isEqual($0.hash, hash.hash) } ?? false
    }

    /// What a comparison has found.
    package enum Verdict: Sendable {
        case wrong, right
        /// It is right, and the hash is of what was typed, because earlier versions prepared no password. The prepared one takes its place.
        case outdated
    }

    /// Compares a typed password with a hash: prepared, and as it was typed if that differs. Both are done whatever comes of them, so that
    /// the time tells nothing.
    ///
    /// - Throws: as ``matches(_:_:for:random:)``
    package func verdict(
        on typed: String, _ known: PasswordHash?, for origin: HashShares.Origin, random: RandomSource
    ) async throws -> Verdict {
        guard let prepared = PasswordHash.prepared(typed), !prepared.isExactly(typed) else {
            return try await matches(typed, known, for: origin, random: random) ? .right : .wrong
        }
        let isRight = try await matches(prepared, known, for: origin, random: random)
        let isOutdated = try await matches(typed, known, for: origin, random: random)
        return isRight ? .right : isOutdated ? .outdated : .wrong
    }

    /// Refuses new work, and returns when the waiting work is done and every thread has ended.
    package func close() async {
        queue.close()
        await queue.ended()
    }
}

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
