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

    /// Whose a key is: the same key of somebody else names another call.
    enum Owner: Sendable, Hashable {
        /// Of calls before a login.
        case device(KeyThumbprint)
        /// Of a member's calls: two players of one device have nothing in common.
        case session(KeyThumbprint, SessionID, UserID)
        case gameServer

        fileprivate var text: String {
            switch self {
            case .device(let key): "device \(key)"
            case .session(let key, let session, let user): "session \(key) \(session) \(user)"
            case .gameServer: "game server"
            }
        }
    }

    let vault: KeyVault

    /// Performs a call once. It looks for an outcome before it does anything.
    ///
    /// - Parameter repeated: what a repeated call is told of the outcome now, or the refusal if it no longer holds: a session may
    ///   have ended and a member may have been banned since.
    func perform<Outcome: Codable>(
        _ call: Call, by owner: Owner, at moment: Moment, in tx: Transaction,
        repeated: (Outcome) throws -> Outcome, _ body: () throws -> Outcome
    ) throws -> Outcome {
        if let outcome: Outcome = try outcome(of: call, by: owner, in: tx) { return try repeated(outcome) }
        // Of several first calls at once one gets here first; the others are undone, and find its outcome.
        return try performFirst(call, by: owner, at: moment, ifRepeated: TransactionConflict(), in: tx, body)
    }

    /// The same for a call that is nearly always a first one, and that does no harm when it is run and undone: nobody looks for
    /// an outcome before.
    ///
    /// - Throws: `repeated` when the call was one before: then ``perform(_:by:at:in:repeated:_:)`` has the outcome.
    func performFirst<Outcome: Codable>(
        _ call: Call, by owner: Owner, at moment: Moment, ifRepeated repeated: any Error, in tx: Transaction,
        _ body: () throws -> Outcome
    ) throws -> Outcome {
        let outcome = try body()
        try keep(outcome, of: call, by: owner, at: moment, ifRepeated: repeated, in: tx)
        return outcome
    }

    /// Leaves the outcome of a call that was done; nothing for one without a key.
    func keep(
        _ outcome: some Encodable, of call: Call, by owner: Owner, at moment: Moment, ifRepeated repeated: any Error,
        in tx: Transaction
    ) throws {
        guard let key = call.key else { return }
        let owner = name(of: owner)
        let sealed = try seal(outcome, of: call, key: key, by: owner)
        try tx.later(
            """
            INSERT INTO idempotent_calls (idempotency_key, app_id, owner, request_hash, sealed_outcome, created_at)
            VALUES (\(key), \(call.app), \(owner), \(stored(call.requestHash)), \(sealed), \(moment.milliseconds))
            """, ifTaken: repeated)
    }

    /// Puts another outcome in the place of the one that the call has left.
    func replace(_ outcome: some Encodable, of call: Call, by owner: Owner, in tx: Transaction) throws {
        guard let key = call.key else { return }
        let owner = name(of: owner)
        let sealed = try seal(outcome, of: call, key: key, by: owner)
        try tx.execute(
            """
            UPDATE idempotent_calls SET sealed_outcome = \(sealed)
            WHERE idempotency_key = \(key) AND app_id = \(call.app) AND owner = \(owner)
            """)
    }

    /// The outcome of a call that was done before, or nil.
    func outcome<Outcome: Codable>(of call: Call, by owner: Owner, in tx: Transaction) throws -> Outcome? {
        guard let key = call.key else { return nil }
        let owner = name(of: owner)
        let row = try tx.first(
            """
            SELECT request_hash, sealed_outcome FROM idempotent_calls
            WHERE idempotency_key = \(key) AND app_id = \(call.app) AND owner = \(owner)
            """
        ) { row -> (hash: [UInt8], sealed: [UInt8]) in (try row[0], try row[1]) }
        guard let row else { return nil }
        guard SessionRules.isSame(row.hash, stored(call.requestHash)) else {
            throw Refusal(
                .invalidParameter, "The idempotency key was used for another call.", reason: .idempotencyKeyReused,
                httpStatus: 422)
        }
        return try JSONDecoder().decode(
            Outcome.self, from: Data(vault.open(row.sealed, for: purpose(call, key: key, by: owner))))
    }

    private func seal(_ outcome: some Encodable, of call: Call, key: String, by owner: String) throws -> [UInt8] {
        try vault.seal(JSONWriter.bytes(of: outcome), for: purpose(call, key: key, by: owner))
    }

    private func purpose(_ call: Call, key: String, by owner: String) -> KeyVault.Purpose {
        .outcome(key, of: owner, in: call.app)
    }

    /// An owner as its rows know it: after a withdrawal they lead to nobody.
    private func name(of owner: Owner) -> String {
        Base64URL.encode(vault.fingerprint(of: owner.text, for: .callOwner).prefix(16))
    }

    /// A request may hold a password: whoever has only the database can't try passwords against its hash.
    private func stored(_ requestHash: [UInt8]) -> [UInt8] {
        vault.fingerprint(of: Base64URL.encode(requestHash), for: .callRequest)
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
