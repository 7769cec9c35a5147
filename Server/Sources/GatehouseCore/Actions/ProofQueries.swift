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

    /// The first minute of proofs of calls at a moment. A proof may have been issued a minute before its call.
    private static func minute(since begin: Moment) -> Int64 {
        begin.adding(seconds: -ProofVerifier.pastSeconds).milliseconds / 60_000
    }

    /// A moment before the first of the calls with a proof since another; nil if there is none.
    static func first(since begin: Moment, in tx: Reader) throws -> Moment? {
        // A device's clock may be fast.
        try tx.first(
            "SELECT minute FROM spent_proofs WHERE minute >= \(minute(since: begin)) ORDER BY minute LIMIT 1"
        ) { row in Moment(milliseconds: try row[0] * 60_000).adding(seconds: -ProofVerifier.futureSeconds) }
    }

    /// The members whose accounts were changed by calls since a moment, by app.
    ///
    /// - Parameter end: the moment before which the calls were; nil for all. Those of a minute before and after may be among them.
    static func changed(
        since begin: Moment, until end: Moment? = nil, in tx: Reader
    ) throws -> [AppID: Set<UserID>] {
        let last: SQL =
            if let end {
                "AND minute <= \(end.adding(seconds: ProofVerifier.futureSeconds).milliseconds / 60_000)"
            } else { "" }
        var changed: [AppID: Set<UserID>] = [:]
        for words in try tx.rows(
            "SELECT changed FROM spent_proofs WHERE minute >= \(minute(since: begin)) \(last) AND changed IS NOT NULL",
            { row in (try row[0] as String).parts(at: " ").map(String.init) })
        {
            guard let app = words.first else { continue }
            changed[AppID(app), default: []].formUnion(words.dropFirst().map { UserID($0) })
        }
        return changed
    }
}
