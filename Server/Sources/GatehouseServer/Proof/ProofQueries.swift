import GatehouseStorage

/// Proofs that were used for changes: table `spent_proofs`, whose primary key allows each only once.
enum ProofQueries {
    static let key = UniqueConstraint.primaryKey(of: "spent_proofs", "minute", "proof_id")

    /// The transaction fails with `refusal` when the proof was used before. The key begins with the proof's minute, so that new rows
    /// are added at the end of the table and old ones are deleted at its beginning.
    static func spend(_ proof: Proof, else refusal: Refusal, in tx: Draft) throws {
        try tx.insert(
            into: "spent_proofs",
            [
                "minute": proof.issuedAt / 60_000, "proof_id": proof.id,
            ], ifTaken: [key: refusal])
    }

    /// Deletes proofs of past minutes, a limited number at a time.
    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try tx.execute(
            """
            DELETE FROM spent_proofs WHERE (minute, proof_id) IN (
                SELECT minute, proof_id FROM spent_proofs WHERE minute < \(moment.milliseconds / 60_000)
                ORDER BY minute LIMIT \(limit))
            """)
    }
}
