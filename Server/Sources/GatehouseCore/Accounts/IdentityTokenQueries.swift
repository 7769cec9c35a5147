import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `identity_tokens`.
enum IdentityTokenQueries {
    static let key = UniqueConstraint.primaryKey(of: "identity_tokens", "user_id", "app_id", "idp")

    /// - Parameter isRevocable: whether the tokens can be revoked. Only these are found by ``revocableTokens(of:_:app:in:)``.
    static func replace(
        _ sealed: [UInt8], isRevocable: Bool, of user: UserID, _ provider: Provider, session: SessionID,
        _ change: Change, in tx: Draft
    ) throws {
        try delete(of: user, provider, app: change.app.id, in: tx)
        try tx.insert(
            into: "identity_tokens",
            [
                "user_id": user, "app_id": change.app.id, "idp": provider, "session_id": session,
                "sealed_tokens": sealed, "updated_at": change.moment, "is_revocable": isRevocable ? 1 : 0,
            ], ifTaken: [key: StorageError.conflict])
    }

    /// A row.
    struct Kept: Sendable {
        let user: UserID
        let sealed: [UInt8]
        /// The session of the login or mapping that brought the tokens.
        let session: SessionID
        let updatedAt: Moment

        init(_ row: Row) throws {
            user = try row[0]
            sealed = try row[1]
            session = try row[2]
            updatedAt = try row[3]
        }
    }

    private static let columns: SQL = "user_id, sealed_tokens, session_id, updated_at"

    static func tokens(of user: UserID, _ provider: Provider, app: AppID, in tx: Reader) throws -> Kept? {
        try tx.first(
            """
            SELECT \(columns) FROM identity_tokens WHERE user_id = \(user) AND app_id = \(app) AND idp = \(provider)
            """
        ) { row in try Kept(row) }
    }

    /// The tokens if they can be revoked, or may be: a server of before has not written down whether they can.
    static func revocableTokens(of user: UserID, _ provider: Provider, app: AppID, in tx: Reader) throws -> Kept? {
        try tx.first(
            """
            SELECT \(columns) FROM identity_tokens
            WHERE user_id = \(user) AND app_id = \(app) AND idp = \(provider) AND COALESCE(is_revocable, 1) <> 0
            """
        ) { row in try Kept(row) }
    }

    /// The next rows of a provider, ordered by member.
    static func all(
        of provider: Provider, app: AppID, after user: UserID?, limit: Int, in tx: Reader
    ) throws -> [Kept] {
        try tx.rows(
            """
            SELECT \(columns) FROM identity_tokens
            WHERE user_id > \(user?.rawValue ?? "") AND app_id = \(app) AND idp = \(provider)
            ORDER BY user_id LIMIT \(limit)
            """
        ) { row in try Kept(row) }
    }

    /// Replaces the tokens that were read. It does nothing if a login has stored new ones in the meantime.
    ///
    /// - Parameter sealed: nil deletes the row.
    static func change(
        _ kept: Kept, to sealed: [UInt8]?, _ provider: Provider, app: AppID, in tx: Transaction
    ) throws {
        let row: SQL = """
            WHERE user_id = \(kept.user) AND app_id = \(app) AND idp = \(provider) AND session_id = \(kept.session)
                AND updated_at = \(kept.updatedAt)
            """
        if let sealed {
            try tx.execute("UPDATE identity_tokens SET sealed_tokens = \(sealed) \(row)")
        } else {
            try tx.execute("DELETE FROM identity_tokens \(row)")
        }
    }

    static func providers(of user: UserID, app: AppID, in tx: Reader) throws -> [Provider] {
        try tx.rows("SELECT idp FROM identity_tokens WHERE user_id = \(user) AND app_id = \(app) ORDER BY idp") { row in
            try row[0]
        }
    }

    static func delete(of user: UserID, _ provider: Provider, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "identity_tokens", where: ["user_id": user, "app_id": app, "idp": provider])
    }
}
