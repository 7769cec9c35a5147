import Crypto
import Foundation
import GatehouseStorage
import GatehouseWire

/// What makes a changing call safe to repeat (LOGIN-13, REL-6): the first call with a key does the work and leaves its
/// outcome, in one transaction; a repeated one gets that outcome. Table `idempotent_calls`, whose primary key decides which
/// of several calls at once is the first.
struct Idempotency: Sendable {
    /// For how long a call may be repeated.
    static let lifetimeSeconds: Int64 = 3_600

    /// One call as its key names it.
    struct Call: Sendable {
        let app: AppID
        /// The client's `Idempotency-Key`; without one the call is done as it comes.
        let key: String?
        /// A hash over method, path and body: the same key with another call is refused.
        let requestHash: [UInt8]
    }

    let vault: KeyVault

    /// - Parameter owner: whose keys these are; another device's keys are another's.
    func perform<Outcome: Codable>(
        _ call: Call, by owner: String, at moment: Moment, in tx: Transaction, _ body: () throws -> Outcome
    ) throws -> Outcome {
        if let outcome: Outcome = try outcome(of: call, by: owner, in: tx) { return outcome }
        // Of several first calls at once one gets here first; the others are undone, and find its outcome.
        return try performFirst(call, by: owner, at: moment, ifRepeated: TransactionConflict(), in: tx, body)
    }

    /// The same for a call that is nearly always a first one, and that does no harm when it is run and undone: nobody looks for
    /// an outcome before.
    ///
    /// - Throws: `repeated` when the call was one before: then ``perform(_:by:at:in:_:)`` has the outcome.
    func performFirst<Outcome: Codable>(
        _ call: Call, by owner: String, at moment: Moment, ifRepeated repeated: any Error, in tx: Transaction,
        _ body: () throws -> Outcome
    ) throws -> Outcome {
        let outcome = try body()
        guard let key = call.key else { return outcome }
        let sealed = try vault.seal(JSONWriter.bytes(of: outcome), for: purpose(call, key: key, by: owner))
        try tx.later(
            """
            INSERT INTO idempotent_calls (idempotency_key, app_id, owner, request_hash, sealed_outcome, created_at)
            VALUES (\(key), \(call.app), \(owner), \(call.requestHash), \(sealed), \(moment.milliseconds))
            """, ifTaken: repeated)
        return outcome
    }

    /// The outcome of a first call, if there was one.
    func outcome<Outcome: Decodable>(of call: Call, by owner: String, in tx: Transaction) throws -> Outcome? {
        guard let key = call.key else { return nil }
        let row = try tx.first(
            """
            SELECT request_hash, sealed_outcome FROM idempotent_calls
            WHERE idempotency_key = \(key) AND app_id = \(call.app) AND owner = \(owner)
            """
        ) { row -> (hash: [UInt8], sealed: [UInt8]) in (try row[0], try row[1]) }
        guard let row else { return nil }
        guard SessionRules.isSame(row.hash, call.requestHash) else {
            throw Refusal(
                .invalidParameter, "The idempotency key was used for another call.", reason: .idempotencyKeyReused,
                httpStatus: 422)
        }
        return try JSONDecoder().decode(
            Outcome.self, from: Data(vault.open(row.sealed, for: purpose(call, key: key, by: owner))))
    }

    private func purpose(_ call: Call, key: String, by owner: String) -> KeyVault.Purpose {
        .outcome(key, of: owner, in: call.app)
    }

    /// Deletes outcomes that are too old to be asked for, a bounded number at a time.
    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try tx.execute(
            """
            DELETE FROM idempotent_calls WHERE (idempotency_key, app_id, owner) IN (
                SELECT idempotency_key, app_id, owner FROM idempotent_calls WHERE created_at < \(moment.milliseconds)
                ORDER BY created_at LIMIT \(limit))
            """)
    }
}
