import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `signing_keys`. The private key is encrypted for a purpose that contains app and key id, so that rows can't be swapped.
enum KeyQueries {
    struct SealedKey: Sendable {
        let id: String
        let sealed: [UInt8]
        let createdAt: Int64
        let activeAt: Int64
    }

    package static func keys(of app: AppID, in tx: Reader) throws -> [SealedKey] {
        try tx.rows(
            """
            SELECT key_id, sealed_key, created_at, active_at FROM signing_keys WHERE app_id = \(app)
            ORDER BY active_at, key_id
            """
        ) { row in
            SealedKey(id: try row[0], sealed: try row[1], createdAt: try row[2], activeAt: try row[3])
        }
    }

    static func insert(_ key: SealedKey, app: AppID, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO signing_keys (app_id, key_id, sealed_key, created_at, active_at)
            VALUES (\(app), \(key.id), \(key.sealed), \(key.createdAt), \(key.activeAt))
            """)
    }

    /// Records every key except one as revoked, for game servers that still have it.
    static func noteRevoked(of app: AppID, except id: String, at moment: Moment, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO revoked_signing_keys (app_id, key_id, revoked_at)
            SELECT app_id, key_id, \(moment) FROM signing_keys WHERE app_id = \(app) AND key_id <> \(id)
            """)
    }

    /// The ids of revoked keys, oldest first.
    static func revokedKeys(of app: AppID, in tx: Reader) throws -> [String] {
        try tx.rows(
            "SELECT key_id FROM revoked_signing_keys WHERE app_id = \(app) ORDER BY revoked_at, key_id"
        ) { row in try row[0] }
    }

    /// Deletes every key except one.
    static func deleteAll(of app: AppID, except id: String, in tx: Transaction) throws -> Int {
        try tx.execute("DELETE FROM signing_keys WHERE app_id = \(app) AND key_id <> \(id)")
    }

    static func vaultCheck(in tx: Reader) throws -> [UInt8]? {
        try tx.first("SELECT sealed_value FROM vault_check WHERE check_id = 1") { row in try row[0] }
    }

    /// False when another process has written it first.
    static func insertVaultCheck(_ sealed: [UInt8], in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            INSERT INTO vault_check (check_id, sealed_value) VALUES (1, \(sealed))
            ON CONFLICT (check_id) DO NOTHING
            """) == 1
    }
}
