import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// How often a call may take effect. The door gives it with the run of an action, and ``Work`` applies it in the action's transaction.
package struct CallIdentity: Sendable {
    /// The call's idempotency key and its hash; without a key the call is not protected against repetition.
    package var call: Idempotency.Call?
    /// The owner of the idempotency key.
    package var owner: Idempotency.Owner?
    /// The proof that the call uses up, and the code for one that was used before.
    package var proof: (proof: Proof, refused: ErrorCode)?

    package init(
        call: Idempotency.Call? = nil, owner: Idempotency.Owner? = nil, proof: (proof: Proof, refused: ErrorCode)? = nil
    ) {
        self.call = call
        self.owner = owner
        self.proof = proof
    }

    /// The call may take effect each time that it is sent.
    static let never = CallIdentity()
}

/// Makes a changing call safe to repeat (LOGIN-13, REL-6): the first call with a key does the work and stores its outcome, in one
/// transaction; a repeated call gets that outcome. The primary key of table `idempotent_calls` decides which of several concurrent
/// calls is the first.
package struct Idempotency: Sendable {
    static let key = UniqueConstraint.primaryKey(of: "idempotent_calls", "idempotency_key", "app_id", "owner")

    /// How long a call may be repeated.
    static let lifetimeSeconds: Int64 = 3_600

    /// The data that identifies a call.
    package struct Call: Sendable {
        let app: AppID
        /// The client's `Idempotency-Key`. A call without one is not protected against repetition.
        let key: String?
        /// A hash over method, path and body. The same key with another call is refused.
        let requestHash: [UInt8]

        package init(app: AppID, key: String?, requestHash: [UInt8]) {
            self.app = app
            self.key = key
            self.requestHash = requestHash
        }
    }

    /// The owner of a key: the same key of another owner identifies another call.
    package enum Owner: Sendable, Hashable {
        /// The owner of calls before a login.
        case device(KeyThumbprint)
        /// The owner of a member's calls: two players of one device share no keys.
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

    /// Performs a call once.
    ///
    /// - Parameters:
    ///   - looksFirst: whether to look for a stored outcome before the body runs. A call that is nearly always a first one, and that can
    ///     safely be run and undone, doesn't look; if it is a repetition after all, its outcome violates ``key``.
    ///   - repeated: turns the stored outcome into the response of a repeated call, or throws a refusal if it no longer holds, because the
    ///     session may have ended and the member may have been banned since.
    func perform<Outcome: Codable>(
        _ once: CallIdentity, looksFirst: Bool, at moment: Moment, in tx: Draft,
        repeated: (Outcome) throws -> Outcome, _ body: () throws -> Outcome
    ) throws -> Outcome {
        if looksFirst, let outcome: Outcome = try outcome(of: once, in: tx) { return try repeated(outcome) }
        let outcome = try body()
        try keep(outcome, of: once, at: moment, in: tx)
        return outcome
    }

    /// Stores the outcome of a completed call. It does nothing for a call without a key.
    ///
    /// - Throws: a violation of ``key`` when the call was sent before. Only one of several concurrent first calls succeeds; the others
    ///   are undone, and ``Work`` has them find its outcome.
    func keep(_ outcome: some Encodable, of once: CallIdentity, at moment: Moment, in tx: Draft) throws {
        guard let (call, key, owner) = named(once) else { return }
        let sealed = try seal(outcome, of: call, key: key, by: owner)
        try tx.insert(
            into: "idempotent_calls",
            [
                "idempotency_key": key, "app_id": call.app, "owner": owner, "request_hash": stored(call.requestHash),
                "sealed_outcome": sealed, "created_at": moment.milliseconds,
            ])
    }

    /// Replaces the stored outcome of a call.
    func replace(_ outcome: some Encodable, of once: CallIdentity, in tx: Draft) throws {
        guard let (call, key, owner) = named(once) else { return }
        let sealed = try seal(outcome, of: call, key: key, by: owner)
        try tx.update(
            "idempotent_calls",
            set: "sealed_outcome = \(sealed)",
            where: ["idempotency_key": key, "app_id": call.app, "owner": owner])
    }

    /// The stored outcome of a call, or nil.
    func outcome<Outcome: Codable>(of once: CallIdentity, in tx: Reader) throws -> Outcome? {
        guard let (call, key, owner) = named(once) else { return nil }
        let row = try tx.first(
            """
            SELECT request_hash, sealed_outcome FROM idempotent_calls
            WHERE idempotency_key = \(key) AND app_id = \(call.app) AND owner = \(owner)
            """
        ) { row -> (hash: [UInt8], sealed: [UInt8]) in (try row[0], try row[1]) }
        guard let row else { return nil }
        guard ConstantTime.isEqual(row.hash, stored(call.requestHash)) else {
            throw Refusal(
                .invalidParameter, "The idempotency key was used for another call.", reason: .idempotencyKeyReused,
                httpStatus: 422)
        }
        return try StoredJSON.read(Outcome.self, from: vault.open(row.sealed, for: purpose(call, key: key, by: owner)))
    }

    /// The call with its key and its owner's name; nil for a call that is not protected against repetition.
    private func named(_ once: CallIdentity) -> (call: Call, key: String, owner: String)? {
        guard let call = once.call, let key = call.key, let owner = once.owner else { return nil }
        return (call, key, name(of: owner))
    }

    private func seal(_ outcome: some Encodable, of call: Call, key: String, by owner: String) throws -> [UInt8] {
        try vault.seal(JSONWriter.bytes(of: outcome), for: purpose(call, key: key, by: owner))
    }

    private func purpose(_ call: Call, key: String, by owner: String) -> KeyVault.Purpose {
        .outcome(key, of: owner, in: call.app)
    }

    /// An owner's name in the rows. After a withdrawal it identifies nobody.
    private func name(of owner: Owner) -> String {
        Base64URL.encode(vault.fingerprint(of: owner.text, for: .callOwner).prefix(16))
    }

    /// A request may contain a password, so the hash is keyed: with only the database, nobody can test passwords against it.
    private func stored(_ requestHash: [UInt8]) -> [UInt8] {
        vault.fingerprint(of: Base64URL.encode(requestHash), for: .callRequest)
    }
}

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
