import GatehouseStorage
import GatehouseWire

/// Table `identity_tokens`.
enum IdentityTokenQueries {
    static func replace(
        _ sealed: [UInt8], of user: UserID, _ provider: Provider, session: SessionID, _ change: Change,
        in tx: Transaction
    ) throws {
        try delete(of: user, provider, app: change.app.id, in: tx)
        try tx.later(
            """
            INSERT INTO identity_tokens (user_id, app_id, idp, session_id, sealed_tokens, updated_at)
            VALUES (\(user), \(change.app.id), \(provider), \(session), \(sealed), \(change.moment))
            """, ifTaken: TransactionConflict())
    }

    static func tokens(
        of user: UserID, _ provider: Provider, app: AppID, in tx: Transaction
    ) throws -> (sealed: [UInt8], updatedAt: Moment)? {
        try tx.first(
            """
            SELECT sealed_tokens, updated_at FROM identity_tokens
            WHERE user_id = \(user) AND app_id = \(app) AND idp = \(provider)
            """
        ) { row in (try row[0], try row[1]) }
    }

    static func providers(of user: UserID, app: AppID, in tx: Transaction) throws -> [Provider] {
        try tx.rows("SELECT idp FROM identity_tokens WHERE user_id = \(user) AND app_id = \(app) ORDER BY idp") { row in
            try row[0]
        }
    }

    static func delete(of user: UserID, _ provider: Provider, app: AppID, in tx: Transaction) throws {
        try tx.later("DELETE FROM identity_tokens WHERE user_id = \(user) AND app_id = \(app) AND idp = \(provider)")
    }
}
