public import GatehouseSecurity
public import GatehouseStorage

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
