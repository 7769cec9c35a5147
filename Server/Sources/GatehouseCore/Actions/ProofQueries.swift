import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Proofs that were used for changes: table `spent_proofs`, whose primary key allows each only once.
enum ProofQueries {
    static let key = UniqueConstraint.primaryKey(of: "spent_proofs", "minute", "proof_id")

    /// The transaction fails with `refusal` when the proof was used before. The key begins with the proof's minute, so that new rows
    /// are added at the end of the table and old ones are deleted at its beginning.
    ///
    /// - Parameter users: the members whose accounts the call has changed. After a crash their audit lines are found by this
    ///   (``AuditRecovery``).
    static func spend(
        _ proof: Proof, changing users: Set<UserID>, in app: AppID, else refusal: Refusal, in tx: Draft
    ) throws {
        try tx.insert(
            into: "spent_proofs",
            [
                "minute": proof.issuedAt / 60_000, "proof_id": proof.id, "changed": Self.changed(users, in: app),
                "app_id": app,
            ],
            ifTaken: [key: refusal])
    }

    /// Adds the row of a change that has no proof: by a provider's report, a job, a game server, or the second transaction of a call.
    ///
    /// - Parameter id: the id of the first entry in the ledger, which no proof has.
    static func note(
        _ id: String, changing users: Set<UserID>, in app: AppID, at moment: Moment, in tx: Draft
    ) throws {
        try tx.insert(
            into: "spent_proofs",
            [
                "minute": moment.milliseconds / 60_000, "proof_id": Array(id.utf8),
                "changed": Self.changed(users, in: app), "app_id": app,
            ])
    }

    private static func changed(_ users: Set<UserID>, in app: AppID) -> String? {
        users.isEmpty ? nil : ([app.rawValue] + users.map(\.rawValue).sorted()).joined(separator: " ")
    }

    /// The members whose accounts were changed by calls since a moment, by app.
    static func changed(since begin: Moment, in tx: Reader) throws -> [AppID: Set<UserID>] {
        // A proof may have been issued a minute before its call.
        let minute = begin.adding(seconds: -ProofVerifier.pastSeconds).milliseconds / 60_000
        var changed: [AppID: Set<UserID>] = [:]
        for words in try tx.rows(
            "SELECT changed FROM spent_proofs WHERE minute >= \(minute) AND changed IS NOT NULL",
            { row in (try row[0] as String).parts(at: " ").map(String.init) })
        {
            guard let app = words.first else { continue }
            changed[AppID(app), default: []].formUnion(words.dropFirst().map { UserID($0) })
        }
        return changed
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
