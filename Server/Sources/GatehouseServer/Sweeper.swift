import GatehouseStorage

/// Deletes what is over: spent proofs, outcomes of idempotent calls, dead sessions. In small transactions, because every
/// login of the moment waits for each. Any number of nodes may sweep at once: what one has deleted the others don't find.
struct Sweeper: Sendable {
    static let intervalSeconds: Int64 = 30
    /// Ended sessions are kept this long, for the operator who looks into a complaint.
    static let endedSessionDays: Int64 = 30
    private static let rowsPerTransaction = 500

    let database: Database
    let lifetimes: SessionLifetimes

    /// Returns the number of rows that are gone.
    @discardableResult
    func sweep(at moment: Moment) async throws -> Int {
        let limit = Self.rowsPerTransaction
        // A proof that is accepted at this moment was issued at most this long ago; one minute more for its minute's end.
        let proofs = moment.adding(seconds: -(ProofVerifier.pastSeconds + 60))
        let calls = moment.adding(seconds: -Idempotency.lifetimeSeconds)
        let ended = moment.adding(seconds: -Self.endedSessionDays * 86_400)
        let created = moment.adding(seconds: -lifetimes.maximumSeconds)
        var rows = 0
        rows += try await repeatedly { tx in try ProofQueries.forget(before: proofs, limit: limit, in: tx) }
        rows += try await repeatedly { tx in try Idempotency.forget(before: calls, limit: limit, in: tx) }
        rows += try await repeatedly { tx in
            try SessionRules.deleteOver(endedBefore: ended, createdBefore: created, limit: limit, in: tx)
        }
        return rows
    }

    private func repeatedly(_ delete: @escaping @Sendable (Transaction) throws -> Int) async throws -> Int {
        var rows = 0
        while !Task.isCancelled {
            let deleted = try await database.write(delete)
            rows += deleted
            if deleted < Self.rowsPerTransaction { break }
        }
        return rows
    }
}
