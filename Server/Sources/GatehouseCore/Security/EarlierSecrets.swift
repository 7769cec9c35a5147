import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Secrets that version 1 encrypted, under a key derived from the master key of that time. A person who knows that master key could
/// still decrypt them after it is changed, so the lasting ones are encrypted again first: signing keys, and secrets and tokens from
/// identity providers. The rest expires by itself: outcomes within an hour, logins and tickets within minutes, jobs within days,
/// transfer keys within their time.
enum EarlierSecrets {
    private static let rowsPerTransaction = 200

    /// Encrypts again what has not changed in the meantime. It may stop at any point and be restarted, because both forms can be
    /// decrypted.
    static func reseal(in database: Database, with keys: DataKeys, random: RandomSource) async throws {
        guard let earlier = keys.earlier, earlier != keys.current else { return }
        let vault = KeyVault(keys, random: random)
        try await database.transact { tx in
            try signingKeys(vault, in: tx)
            try providerSecrets(vault, in: tx)
        }
        var last: TokenRow? = TokenRow(user: UserID(""), app: AppID(""), provider: Provider(""), sealed: [])
        while let row = last {
            last = try await database.transact { tx in try identityTokens(after: row, vault, in: tx) }
        }
    }

    private static func signingKeys(_ vault: KeyVault, in tx: Transaction) throws {
        let rows = try tx.rows("SELECT app_id, key_id, sealed_key FROM signing_keys") {
            row -> (app: AppID, id: String, sealed: [UInt8]) in (try row[0], try row[1], try row[2])
        }
        for row in rows {
            guard let sealed = try vault.resealed(row.sealed, for: .signingKey(row.id, of: row.app)) else { continue }
            try tx.execute(
                """
                UPDATE signing_keys SET sealed_key = \(sealed)
                WHERE app_id = \(row.app) AND key_id = \(row.id) AND sealed_key = \(row.sealed)
                """)
        }
    }

    private static func providerSecrets(_ vault: KeyVault, in tx: Transaction) throws {
        let rows = try tx.rows(
            "SELECT app_id, idp, sealed_secret FROM identity_providers WHERE sealed_secret IS NOT NULL"
        ) { row -> (app: AppID, provider: Provider, sealed: [UInt8]) in (try row[0], try row[1], try row[2]) }
        for row in rows {
            guard let sealed = try vault.resealed(row.sealed, for: .providerSecrets(row.provider, in: row.app)) else {
                continue
            }
            try tx.execute(
                """
                UPDATE identity_providers SET sealed_secret = \(sealed)
                WHERE app_id = \(row.app) AND idp = \(row.provider) AND sealed_secret = \(row.sealed)
                """)
        }
    }

    private struct TokenRow: Sendable {
        let user: UserID
        let app: AppID
        let provider: Provider
        let sealed: [UInt8]
    }

    /// Processes one page, and returns the last row; nil at the end.
    private static func identityTokens(after last: TokenRow, _ vault: KeyVault, in tx: Transaction) throws -> TokenRow?
    {
        let rows = try tx.rows(
            """
            SELECT user_id, app_id, idp, sealed_tokens FROM identity_tokens
            WHERE (user_id, app_id, idp) > (\(last.user), \(last.app), \(last.provider))
            ORDER BY user_id, app_id, idp LIMIT \(rowsPerTransaction)
            """
        ) { row in TokenRow(user: try row[0], app: try row[1], provider: try row[2], sealed: try row[3]) }
        for row in rows {
            guard
                let sealed = try vault.resealed(
                    row.sealed, for: .identityTokens(row.provider, of: row.user, in: row.app))
            else { continue }
            try tx.execute(
                """
                UPDATE identity_tokens SET sealed_tokens = \(sealed)
                WHERE user_id = \(row.user) AND app_id = \(row.app) AND idp = \(row.provider)
                    AND sealed_tokens = \(row.sealed)
                """)
        }
        return rows.count < rowsPerTransaction ? nil : rows.last
    }
}

extension KeyVault {
    /// The value in this version's form; nil if it already has that form.
    fileprivate func resealed(_ sealed: [UInt8], for purpose: Purpose) throws -> [UInt8]? {
        isEarlier(sealed, for: purpose) ? try seal(open(sealed, for: purpose), for: purpose) : nil
    }
}
