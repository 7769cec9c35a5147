import GatehouseJSON

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
