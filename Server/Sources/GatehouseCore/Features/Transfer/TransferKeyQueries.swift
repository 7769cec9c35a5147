import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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
