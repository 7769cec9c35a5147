import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `login_attempts`.
enum LoginAttemptQueries {
    static let key = UniqueConstraint.primaryKey(of: "login_attempts", "attempt_id")

    static func insert(_ attempt: LoginAttemptRules.Attempt, in tx: Draft) throws {
        try tx.insert(
            into: "login_attempts",
            [
                "attempt_id": attempt.id, "app_id": attempt.app, "idp": attempt.provider,
                "device_hash": attempt.deviceHash, "status": attempt.status.rawValue, "state_hash": attempt.stateHash,
                "sealed_login": attempt.sealedPlan, "expires_at": attempt.expiresAt,
            ], ifTaken: [key: StorageError.conflict])
    }

    static func attempt(_ id: String, in tx: Reader) throws -> LoginAttemptRules.Attempt? {
        try tx.first(
            """
            SELECT app_id, idp, device_hash, status, state_hash, sealed_login, code_hash, sealed_identity, expires_at
            FROM login_attempts WHERE attempt_id = \(id)
            """
        ) { row in
            LoginAttemptRules.Attempt(
                id: id, app: try row[0], provider: try row[1], deviceHash: try row[2],
                status: LoginAttemptRules.Status(rawValue: try row[3]) ?? .failed, stateHash: try row[4],
                sealedPlan: try row[5], codeHash: try row[6], sealedIdentity: try row[7], expiresAt: try row[8])
        }
    }

    /// Changes the status of an attempt that has the old one.
    ///
    /// - Parameter miss: the transaction's error if it has another status: only one of several concurrent calls moves it.
    static func move(
        _ id: String, from old: LoginAttemptRules.Status, to new: LoginAttemptRules.Status,
        ifMissed miss: (any Error)? = nil, in tx: Draft
    ) throws {
        try tx.update(
            "login_attempts",
            set: "status = \(new.rawValue)",
            where: ["attempt_id": id], and: "status = \(old.rawValue)", ifMissed: miss)
    }

    static func verify(_ id: String, identity sealed: [UInt8], codeHash: [UInt8], in tx: Draft) throws {
        try tx.update(
            "login_attempts",
            set: """
                status = \(LoginAttemptRules.Status.verified.rawValue), sealed_identity = \(sealed),
                code_hash = \(codeHash)
                """,
            where: ["attempt_id": id], and: "status = \(LoginAttemptRules.Status.returned.rawValue)")
    }

    /// Stores the result of a test. Without a code's hash nobody can log in with the attempt.
    static func show(
        _ id: String, result sealed: [UInt8], until end: Moment, from old: LoginAttemptRules.Status, in tx: Draft
    ) throws {
        try tx.update(
            "login_attempts",
            set: """
                status = \(LoginAttemptRules.Status.used.rawValue), sealed_identity = \(sealed), expires_at = \(end)
                """,
            where: ["attempt_id": id], and: "status = \(old.rawValue)")
    }

    static func use(_ id: String, ifMissed refusal: Refusal, in tx: Draft) throws {
        try move(id, from: .verified, to: .used, ifMissed: refusal, in: tx)
    }

    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try tx.execute(
            """
            DELETE FROM login_attempts WHERE attempt_id IN (
                SELECT attempt_id FROM login_attempts WHERE expires_at < \(moment) ORDER BY expires_at LIMIT \(limit))
            """)
    }
}
