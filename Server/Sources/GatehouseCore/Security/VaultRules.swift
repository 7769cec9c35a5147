public import GatehouseSecurity
public import GatehouseStorage
import GatehouseWire

/// The keys that encrypt a database's secrets, and the master key that wraps them. Table `vault_keys` has one row.
enum VaultRules {
    /// The data keys of a database, and how often they have been wrapped.
    struct Envelope: Sendable {
        let keys: DataKeys
        let generation: Int64
    }

    /// Nil if the database has not been opened by a version that wraps data keys.
    ///
    /// - Throws: ``KeyVaultError/cannotOpen(_:)`` when they were wrapped with another master key.
    static func envelope(masterKey: [UInt8], in tx: Reader) throws -> Envelope? {
        let row = try tx.first("SELECT generation, wrapped_keys FROM vault_keys WHERE vault_id = 1") {
            row -> (generation: Int64, wrapped: [UInt8]) in (try row[0], try row[1])
        }
        guard let row else { return nil }
        return Envelope(keys: try DataKeys(row.wrapped, masterKey: masterKey), generation: row.generation)
    }

    /// The data keys, which are created and wrapped if they don't exist. Only one of several concurrent processes creates them.
    static func open(masterKey: [UInt8], random: RandomSource, in tx: Transaction) throws -> Envelope {
        if let envelope = try envelope(masterKey: masterKey, in: tx) { return envelope }
        let wrapped = try made(masterKey: masterKey, random: random, in: tx).wrapped(by: masterKey)
        try tx.execute(
            """
            INSERT INTO vault_keys (vault_id, generation, wrapped_keys) VALUES (1, 1, \(wrapped))
            ON CONFLICT (vault_id) DO NOTHING
            """)
        guard let envelope = try envelope(masterKey: masterKey, in: tx) else { throw StorageError.conflict }
        return envelope
    }

    /// A random key, with the key that version 1 used for existing values, if any.
    private static func made(masterKey: [UInt8], random: RandomSource, in tx: Reader) throws -> DataKeys {
        guard let check = try KeyQueries.vaultCheck(in: tx) else { return DataKeys(madeBy: random) }
        let earlier = try DataKeys.earlier(of: masterKey)
        let vault = KeyVault(DataKeys(current: earlier, earlier: earlier), random: random)
        _ = try vault.open(check, for: .check)
        // A vault derived directly from the master key has used the present format with that one key.
        return vault.isEarlier(check, for: .check)
            ? DataKeys(madeBy: random, earlier: earlier) : DataKeys(current: earlier, earlier: earlier)
    }

    /// How often the data keys have been wrapped: 0 in a database with only version 1's values, nil if nothing is encrypted.
    static func generation(in tx: Reader) throws -> Int64? {
        if let number = try tx.first(
            "SELECT generation FROM vault_keys WHERE vault_id = 1", { row in try row[0] as Int64 })
        {
            return number
        }
        return try KeyQueries.vaultCheck(in: tx) == nil ? nil : 0
    }

    /// Replaces the data keys of a generation.
    ///
    /// - Throws: ``KeyVaultError/changedElsewhere`` when the current generation is a different one.
    static func replace(
        _ generation: Int64, with keys: DataKeys, masterKey: [UInt8], in tx: Transaction
    ) throws {
        let wrapped = try keys.wrapped(by: masterKey)
        let changed =
            generation == 0
            ? try tx.execute(
                """
                INSERT INTO vault_keys (vault_id, generation, wrapped_keys) VALUES (1, 1, \(wrapped))
                ON CONFLICT (vault_id) DO NOTHING
                """)
            : try tx.execute(
                """
                UPDATE vault_keys SET wrapped_keys = \(wrapped), generation = \(generation + 1)
                WHERE vault_id = 1 AND generation = \(generation)
                """)
        guard changed == 1 else { throw KeyVaultError.changedElsewhere }
    }

    /// Wraps the data keys with another master key, unless another process has done so since they were read.
    ///
    /// - Throws: ``KeyVaultError/changedElsewhere``.
    static func rewrap(_ envelope: Envelope, with masterKey: [UInt8], in tx: Transaction) throws {
        let wrapped = try envelope.keys.wrapped(by: masterKey)
        let count = try tx.execute(
            """
            UPDATE vault_keys SET wrapped_keys = \(wrapped), generation = \(envelope.generation + 1)
            WHERE vault_id = 1 AND generation = \(envelope.generation)
            """)
        guard count == 1 else { throw KeyVaultError.changedElsewhere }
    }
}

extension KeyVault {
    /// The vault of a database. The first process that opens the database creates its data keys and stores them, wrapped with the
    /// master key.
    ///
    /// - Throws: ``KeyVaultError/cannotOpen(_:)`` when the master key is not the database's.
    public static func open(
        _ database: Database, masterKey: [UInt8], random: RandomSource
    ) async throws -> KeyVault {
        KeyVault(try await envelope(of: database, masterKey: masterKey, random: random).keys, random: random)
    }

    static func envelope(
        of database: Database, masterKey: [UInt8], random: RandomSource
    ) async throws -> VaultRules.Envelope {
        if let envelope = try await database.read({ tx in try VaultRules.envelope(masterKey: masterKey, in: tx) }) {
            return envelope
        }
        return try await database.transact { tx in
            try VaultRules.open(masterKey: masterKey, random: random, in: tx)
        }
    }
}

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
