import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `app_secrets`.
enum SecretQueries {
    /// The keys that are valid now, newest first.
    static func secrets(of app: AppID, in tx: Reader) throws -> [AppSecret] {
        try tx.rows(
            """
            SELECT secret_hash, name, scopes, created_at, last_used_at, hint, last_used_from FROM app_secrets
            WHERE app_id = \(app) AND revoked_at IS NULL ORDER BY created_at DESC, secret_hash
            """
        ) { row in
            AppSecret(
                hash: try row[0], name: try row[1], scopes: Set(words: try row[2]),
                createdAt: Moment(milliseconds: try row[3]), lastUsedAt: try row[4], hint: try row[5],
                lastUsedFrom: try row[6])
        }
    }

    /// - Parameter scopes: words separated by spaces; nil for every scope.
    static func insert(
        hash: [UInt8], hint: String?, name: String?, scopes: String?, app: AppID, at moment: Moment,
        in tx: Transaction
    ) throws {
        try tx.execute(
            """
            INSERT INTO app_secrets (app_id, secret_hash, created_at, name, scopes, hint)
            VALUES (\(app), \(hash), \(moment.milliseconds), \(name), \(scopes), \(hint))
            """)
    }

    static func newestDate(of app: AppID, in tx: Reader) throws -> Int64? {
        try tx.first("SELECT created_at FROM app_secrets WHERE app_id = \(app) ORDER BY created_at DESC LIMIT 1") {
            row in
            try row[0]
        }
    }

    /// Notes a use of a valid key. Another node may have noted a later one.
    static func noteUse(
        hash: [UInt8], app: AppID, from address: ClientAddress, at moment: Moment, in tx: Draft
    ) throws {
        let from = address == .unknown ? nil : address.description
        try tx.update(
            "app_secrets", set: "last_used_at = \(moment), last_used_from = \(from)",
            where: ["app_id": app, "secret_hash": hash],
            and: "(last_used_at IS NULL OR last_used_at < \(moment)) AND revoked_at IS NULL")
    }

    /// Ends a key. From where it was used is told of valid keys alone, and is forgotten. False if the key had already ended.
    static func revoke(hash: [UInt8], app: AppID, at moment: Moment, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            UPDATE app_secrets SET revoked_at = \(moment.milliseconds), last_used_from = NULL
            WHERE app_id = \(app) AND secret_hash = \(hash) AND revoked_at IS NULL
            """) == 1
    }
}
