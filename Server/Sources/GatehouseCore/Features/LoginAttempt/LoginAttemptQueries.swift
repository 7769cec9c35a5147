import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `login_attempts`.
enum LoginAttemptQueries {
    static let key = UniqueConstraint.primaryKey(of: "login_attempts", "attempt_id", "app_id")

    static func insert(_ attempt: LoginAttemptRules.Attempt, in tx: Draft) throws {
        try tx.insert(
            into: "login_attempts",
            [
                "attempt_id": attempt.id, "app_id": attempt.app, "idp": attempt.provider,
                "device_hash": attempt.deviceHash, "status": attempt.status.rawValue, "state_hash": attempt.stateHash,
                "sealed_login": attempt.sealedPlan, "expires_at": attempt.expiresAt,
            ], ifTaken: [key: StorageError.conflict])
    }

    static func attempt(_ id: String, app: AppID, in tx: Reader) throws -> LoginAttemptRules.Attempt? {
        try tx.first(
            """
            SELECT idp, device_hash, status, state_hash, sealed_login, code_hash, sealed_identity, expires_at
            FROM login_attempts WHERE attempt_id = \(id) AND app_id = \(app)
            """
        ) { row in
            LoginAttemptRules.Attempt(
                id: id, app: app, provider: try row[0], deviceHash: try row[1],
                status: LoginAttemptRules.Status(rawValue: try row[2]) ?? .failed, stateHash: try row[3],
                sealedPlan: try row[4], codeHash: try row[5], sealedIdentity: try row[6], expiresAt: try row[7])
        }
    }

    /// Changes the status of an attempt that has the old one.
    ///
    /// - Parameter miss: the transaction's error if it has another status: only one of several concurrent calls moves it.
    static func move(
        _ id: String, app: AppID, from old: LoginAttemptRules.Status, to new: LoginAttemptRules.Status,
        ifMissed miss: (any Error)? = nil, in tx: Draft
    ) throws {
        try tx.update(
            "login_attempts",
            set: "status = \(new.rawValue)",
            where: ["attempt_id": id, "app_id": app], and: "status = \(old.rawValue)", ifMissed: miss)
    }

    static func verify(
        _ id: String, app: AppID, identity sealed: [UInt8], codeHash: [UInt8], in tx: Draft
    ) throws {
        try tx.update(
            "login_attempts",
            set: """
                status = \(LoginAttemptRules.Status.verified.rawValue), sealed_identity = \(sealed),
                code_hash = \(codeHash)
                """,
            where: ["attempt_id": id, "app_id": app], and: "status = \(LoginAttemptRules.Status.returned.rawValue)")
    }

    /// Stores the result of a test. Without a code's hash nobody can log in with the attempt.
    static func show(
        _ id: String, app: AppID, result sealed: [UInt8], until end: Moment, from old: LoginAttemptRules.Status,
        in tx: Draft
    ) throws {
        try tx.update(
            "login_attempts",
            set: """
                status = \(LoginAttemptRules.Status.used.rawValue), sealed_identity = \(sealed), expires_at = \(end)
                """,
            where: ["attempt_id": id, "app_id": app], and: "status = \(old.rawValue)")
    }

    static func use(_ id: String, app: AppID, ifMissed refusal: Refusal, in tx: Draft) throws {
        try move(id, app: app, from: .verified, to: .used, ifMissed: refusal, in: tx)
    }
}
