import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `transfer_accounts`, with at most one for a member.
enum TransferQueries {
    static let key = UniqueConstraint.primaryKey(of: "transfer_accounts", "account_id", "app_id")
    static let onePerMember = UniqueConstraint(
        "transfer_accounts_one_per_member", on: "transfer_accounts", "user_id", "app_id")

    private static let columns: SQL = """
        account_id, user_id, password_hash, issued_type, is_single_use, issued_at, expires_at, used_at, failed_attempts,
        blocked_until
        """

    static func account(_ id: String, app: AppID, in tx: Reader) throws -> TransferRules.Stored? {
        try tx.first(
            "SELECT \(columns) FROM transfer_accounts WHERE account_id = \(id) AND app_id = \(app)", stored)
    }

    static func account(of user: UserID, app: AppID, in tx: Reader) throws -> TransferRules.Stored? {
        try tx.first(
            "SELECT \(columns) FROM transfer_accounts WHERE user_id = \(user) AND app_id = \(app)", stored)
    }

    private static func stored(_ row: Row) throws -> TransferRules.Stored {
        TransferRules.Stored(
            id: try row[0], user: try row[1], passwordHash: try row[2], issued: try row[3], isSingleUse: try row[4],
            issuedAt: try row[5], expiresAt: try row[6], usedAt: try row[7], failedAttempts: try row[8],
            blockedUntil: try row[9])
    }

    static func insert(
        _ account: TransferRules.Stored, app: AppID, ifTaken refusal: any Error, in tx: Draft
    ) throws {
        try tx.insert(
            into: "transfer_accounts",
            [
                "account_id": account.id, "app_id": app, "user_id": account.user,
                "password_hash": account.passwordHash, "issued_type": account.issued,
                "is_single_use": account.isSingleUse, "issued_at": account.issuedAt, "expires_at": account.expiresAt,
                "failed_attempts": 0,
            ], ifTaken: [key: refusal, onePerMember: StorageError.conflict])
    }

    static func delete(of user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "transfer_accounts", where: ["user_id": user, "app_id": app])
    }

    /// Locks the row, so that attempts are serialised. False if there is no such account.
    static func take(_ id: String, app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute(
            "UPDATE transfer_accounts SET account_id = account_id WHERE account_id = \(id) AND app_id = \(app)") == 1
    }

    static func count(
        _ failures: Int, blockedUntil: Moment?, of id: String, app: AppID, in tx: Transaction
    ) throws {
        try tx.execute(
            """
            UPDATE transfer_accounts SET failed_attempts = \(failures), blocked_until = \(blockedUntil)
            WHERE account_id = \(id) AND app_id = \(app)
            """)
    }

    static func succeed(_ id: String, app: AppID, at moment: Moment, in tx: Transaction) throws {
        try tx.execute(
            """
            UPDATE transfer_accounts SET used_at = \(moment), failed_attempts = \(0), blocked_until = NULL
            WHERE account_id = \(id) AND app_id = \(app)
            """)
    }
}

/// Table `transfer_keys`.
enum TransferKeyQueries {
    static let key = UniqueConstraint.primaryKey(of: "transfer_keys", "key_hash", "app_id")

    static func insert(
        _ hash: [UInt8], user: UserID, app: AppID, at moment: Moment, until end: Moment, in tx: Draft
    ) throws {
        try tx.insert(
            into: "transfer_keys",
            [
                "key_hash": hash, "app_id": app, "user_id": user, "issued_at": moment, "expires_at": end,
            ], ifTaken: [key: StorageError.conflict])
    }

    static func take(_ hash: [UInt8], app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute("UPDATE transfer_keys SET app_id = app_id WHERE key_hash = \(hash) AND app_id = \(app)") == 1
    }

    static func key(_ hash: [UInt8], app: AppID, in tx: Reader) throws -> TransferKeyRules.Stored? {
        try tx.first(
            "SELECT user_id, expires_at, used_at FROM transfer_keys WHERE key_hash = \(hash) AND app_id = \(app)"
        ) { row in TransferKeyRules.Stored(user: try row[0], expiresAt: try row[1], usedAt: try row[2]) }
    }

    static func spend(_ hash: [UInt8], app: AppID, at moment: Moment, in tx: Transaction) throws {
        try tx.execute(
            "UPDATE transfer_keys SET used_at = \(moment) WHERE key_hash = \(hash) AND app_id = \(app)")
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "transfer_keys", where: ["user_id": user, "app_id": app])
    }

    /// Deletes the key of a member that has not moved anybody yet.
    static func deleteOutstanding(of user: UserID, app: AppID, in tx: Transaction) throws {
        try tx.execute(
            "DELETE FROM transfer_keys WHERE user_id = \(user) AND app_id = \(app) AND used_at IS NULL")
    }
}
