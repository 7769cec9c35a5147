public import GatehouseStorage
public import GatehouseWire

/// What a database loses with its master key.
public struct LostSecrets: Sendable, Hashable {
    public struct ProviderName: Sendable, Hashable {
        public let app: AppID
        public let provider: Provider
    }

    /// They get new signing keys.
    public var apps: [AppID] = []
    /// Identity providers whose secrets have to be entered anew.
    public var providers: [ProviderName] = []
    /// Tokens of identity providers that were kept for members: profiles that game servers ask for, and revocations one day.
    public var identityTokens = 0
    /// Revocations at identity providers that wait to be carried out.
    public var jobs = 0
    public var transferKeys = 0
    /// Of calls that may be repeated for an hour.
    public var outcomes = 0
    /// Conflicts of mappings that a player is asked about, and logins in browsers: minutes old.
    public var pendingLogins = 0
}

/// The way back from a master key that nobody has any more: new data keys under a new master key. What was sealed with the old
/// ones is deleted, so that nothing is left that nobody can open; what the master key has nothing to do with stays, which is
/// nearly all. Devices prove their sessions by keys of their own.
enum LostKeyRules {
    /// Each sealed column, and each keyed hash: a test compares this with the schema.
    static let columns: Set<String> = [
        "vault_check.sealed_value", "signing_keys.sealed_key", "identity_providers.sealed_secret",
        "identity_tokens.sealed_tokens", "jobs.sealed_payload", "idempotent_calls.sealed_outcome",
        "forcing_tickets.sealed_tokens", "login_attempts.sealed_login", "login_attempts.sealed_identity",
    ]

    static func losses(in tx: Transaction) throws -> LostSecrets {
        func count(_ statement: SQL) throws -> Int { try tx.first(statement) { row in try row[0] as Int } ?? 0 }
        var lost = LostSecrets()
        lost.apps = try tx.rows("SELECT app_id FROM apps ORDER BY app_id") { row in try row[0] }
        lost.providers = try tx.rows(
            "SELECT app_id, idp FROM identity_providers WHERE sealed_secret IS NOT NULL ORDER BY app_id, idp"
        ) { row in .init(app: try row[0], provider: try row[1]) }
        lost.identityTokens = try count("SELECT COUNT(*) FROM identity_tokens")
        lost.jobs = try count("SELECT COUNT(*) FROM jobs WHERE state = 'waiting'")
        lost.transferKeys = try count("SELECT COUNT(*) FROM transfer_keys WHERE used_at IS NULL")
        lost.outcomes = try count("SELECT COUNT(*) FROM idempotent_calls")
        lost.pendingLogins =
            try count("SELECT COUNT(*) FROM forcing_tickets WHERE used_at IS NULL")
            + count("SELECT COUNT(*) FROM login_attempts")
        return lost
    }

    /// - Parameters:
    ///   - generation: of the data keys that are lost, as ``VaultRules/generation(in:)`` has told it.
    ///   - masterKey: the new one.
    /// - Throws: ``KeyVaultError/changedElsewhere``.
    static func renew(
        _ generation: Int64, masterKey: [UInt8], by origin: Origin, at moment: Moment, random: RandomSource,
        in tx: Transaction
    ) throws -> LostSecrets {
        let keys = DataKeys(madeBy: random)
        try VaultRules.replace(generation, with: keys, masterKey: masterKey, in: tx)
        let vault = KeyVault(keys, random: random)
        let lost = try losses(in: tx)
        for table in [
            "vault_check", "signing_keys", "identity_tokens", "transfer_keys", "idempotent_calls", "forcing_tickets",
            "login_attempts",
        ] as [SQL] {
            try tx.execute("DELETE FROM \(table)")
        }
        try tx.execute("UPDATE identity_providers SET sealed_secret = NULL WHERE sealed_secret IS NOT NULL")
        try tx.execute(
            """
            UPDATE jobs SET state = \(JobRecord.State.dead.rawValue), sealed_payload = NULL,
                last_error = \("what it needs was sealed with a master key that is lost"), ended_at = \(moment)
            WHERE state = 'waiting'
            """)
        try KeyRules.checkVault(vault, in: tx)
        for app in lost.apps {
            _ = try KeyRules.create(app: app, activeAt: moment, vault: vault, at: moment, random: random, in: tx)
        }
        try AuditRules.append("master-key.replaced", app: nil, by: origin, at: moment, random: random, in: tx)
        return lost
    }
}

extension MasterKeySource {
    /// What a database loses when its master key is given up.
    ///
    /// - Throws: ``KeyVaultError/notLost`` when the key opens the database, ``KeyVaultError/nothingSealed``, and
    ///   ``KeyVaultError/otherKey(path:)``.
    public func losses(of database: Database, random: RandomSource) async throws -> LostSecrets {
        _ = try await lostGeneration(of: database, random: random)
        return try await database.read { tx in try LostKeyRules.losses(in: tx) }
    }

    /// Gives up what a lost master key has sealed, and makes new keys. No server may run meanwhile: it would go on with the old
    /// data keys. A key file is created; a key that is given is the new one from now on.
    ///
    /// - Throws: as ``losses(of:random:)``, and ``KeyVaultError/changedElsewhere`` when another process does the same.
    public func giveUp(
        _ database: Database, by operatorName: String, at moment: Moment, random: RandomSource, audit: AuditLog
    ) async throws -> LostSecrets {
        let generation = try await lostGeneration(of: database, random: random)
        let key: [UInt8]
        switch self {
        case .given(let given): key = given
        // Durable before the commit: a crash in between leaves a key that opens nothing, and is told so.
        case .file(let file): key = try MasterKey.file(at: file.path, random: random)
        }
        let origin = Origin(actor: .operator, door: .command, name: operatorName)
        let lost = try await database.write { tx in
            try LostKeyRules.renew(generation, masterKey: key, by: origin, at: moment, random: random, in: tx)
        }
        audit.record(
            .init(
                event: "master-key.replaced", app: nil, actor: .operator, address: nil, transactionID: nil,
                subject: ["by": operatorName]))
        return lost
    }

    private func lostGeneration(of database: Database, random: RandomSource) async throws -> Int64 {
        guard let generation = try await database.read({ tx in try VaultRules.generation(in: tx) }) else {
            throw KeyVaultError.nothingSealed
        }
        do {
            _ = try await vault(of: database, random: random)
        } catch KeyVaultError.cannotOpen {
            // It may be another server's, or this one's of another time: nobody but its owner may give it up.
            if case .file(let file) = self { throw KeyVaultError.otherKey(path: file.path) }
            return generation
        } catch KeyVaultError.missingFile {
            return generation
        }
        throw KeyVaultError.notLost
    }
}
