import GatehouseStorage

/// Slow hashes on threads of their own: never on an event loop, never on the database's. They run behind everything else that
/// the machine has to do, and no more wait than can be served in a while (REL-9). The threads end with the hasher.
final class PasswordHasher: Sendable {
    /// Of new hashes.
    let cost: PasswordHash.Cost
    /// What the threads hold, which is not the hasher: so it ends when nobody has it any more.
    let queue: PasswordQueue

    /// - Parameters:
    ///   - limit: hashes that may be under way at a time; more are refused.
    ///   - compute: what a thread does, for tests.
    init(
        cost: PasswordHash.Cost, threads: Int = 1, limit: Int = 64,
        compute: @escaping @Sendable (PasswordQueue.Work) throws -> PasswordHash = { try $0.compute() }
    ) {
        self.cost = cost
        queue = PasswordQueue(threads: threads, limit: limit, compute: compute)
    }

    deinit { queue.close() }

    /// Hashes a password with a new salt.
    ///
    /// - Throws: ``StorageError/overloaded`` when the origin's share of the queue is used up, or the hasher is closed.
    func hash(_ password: String, for origin: HashShares.Origin, random: RandomSource) async throws -> PasswordHash {
        try await queue.hash(
            .init(
                password: password, cost: cost, rest: nil, salt: random.bytes(PasswordHash.saltLength), origin: origin))
    }

    /// Whether a password is the one of a hash. Without a hash it is not, which takes as long to find out; so does a hash that
    /// was stored when they cost less.
    ///
    /// - Throws: ``StorageError/overloaded`` when the origin's share of the queue is used up, or the hasher is closed.
    func matches(
        _ password: String, _ known: PasswordHash?, for origin: HashShares.Origin, random: RandomSource
    ) async throws -> Bool {
        let salt = known?.salt ?? random.bytes(PasswordHash.saltLength)
        let knownCost = known?.cost ?? cost
        let hash = try await queue.hash(
            .init(password: password, cost: knownCost, rest: knownCost.rest(to: cost), salt: salt, origin: origin))
        return known.map { SessionRules.isSame($0.hash, hash.hash) } ?? false
    }

    /// Refuses what comes from now on, and returns when what waits is done and every thread has ended.
    func close() async {
        queue.close()
        await queue.ended()
    }
}
