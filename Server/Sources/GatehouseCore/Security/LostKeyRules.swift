import GatehouseProviders
public import GatehouseSecurity
public import GatehouseStorage
public import GatehouseWire

/// What a database loses when its master key is lost.
public struct LostSecrets: Sendable, Hashable {
    public struct ProviderName: Sendable, Hashable {
        public let app: AppID
        public let provider: Provider
    }

    /// The apps that get new signing keys.
    public var apps: [AppID] = []
    /// Identity providers whose secrets must be entered again.
    public var providers: [ProviderName] = []
    /// Stored tokens of identity providers: profiles for game servers, and tokens for later revocation.
    public var identityTokens = 0
    /// Pending revocations at identity providers.
    public var jobs = 0
    public var transferKeys = 0
    /// Outcomes of calls that may be repeated for an hour.
    public var outcomes = 0
    /// Pending mapping conflicts and browser logins, which are only minutes old.
    public var pendingLogins = 0
    /// Operators of the console, who must be invited again, because their second factors are lost.
    public var operators = 0
    /// Receivers of alerts, which must be added again.
    public var alertReceivers = 0
    /// Systems that players come from. They are closed: ids of devices and of players who have withdrawn can't be recognized any more.
    public var legacySources = 0
}

/// Recovers from a lost master key with new data keys under a new master key. Everything encrypted with the old data keys is deleted,
/// because nobody can decrypt it any more. All other data stays, which is nearly everything: devices prove their sessions with their
/// own keys.
enum LostKeyRules {
    /// Each encrypted column and each keyed hash. A test compares this with the schema.
    static let columns: Set<String> = [
        "vault_check.sealed_value", "signing_keys.sealed_key", "identity_providers.sealed_secret",
        "identity_tokens.sealed_tokens", "jobs.sealed_payload", "idempotent_calls.sealed_outcome",
        "forcing_tickets.sealed_tokens", "login_attempts.sealed_login", "login_attempts.sealed_identity",
        "operators.sealed_secret", "operator_invitations.sealed_secret", "alert_receivers.sealed_address",
        "legacy_sources.sealed_settings",
    ]

    static func losses(in tx: Reader) throws -> LostSecrets {
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
        lost.operators = try count("SELECT COUNT(*) FROM operators WHERE sealed_secret IS NOT NULL")
        lost.alertReceivers = try count("SELECT COUNT(*) FROM alert_receivers")
        lost.legacySources = try count("SELECT COUNT(*) FROM legacy_sources WHERE sealed_settings IS NOT NULL")
        return lost
    }

    /// - Parameters:
    ///   - generation: the generation of the lost data keys, from ``VaultRules/generation(in:)``.
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
            "login_attempts", "operator_invitations", "operator_sessions", "alert_states", "alert_receivers",
            "legacy_devices", "legacy_erased", "legacy_attempts", "operator_attempts",
        ] as [SQL] {
            try tx.execute("DELETE FROM \(table)")
        }
        try tx.execute("UPDATE identity_providers SET sealed_secret = NULL WHERE sealed_secret IS NOT NULL")
        try tx.execute(
            """
            UPDATE legacy_sources SET sealed_settings = NULL, closed_at = \(moment) WHERE sealed_settings IS NOT NULL
            """)
        try tx.execute("UPDATE operators SET sealed_secret = NULL WHERE sealed_secret IS NOT NULL")
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
        try AuditRules.append("master-key.replaced", by: origin, at: moment, random: random, in: tx)
        return lost
    }
}

extension MasterKeySource {
    /// What a database loses when its master key is declared lost.
    ///
    /// - Throws: ``KeyVaultError/notLost`` when the key opens the database, ``KeyVaultError/nothingSealed``, and
    ///   ``KeyVaultError/otherKey(path:)``.
    public func losses(of database: Database, random: RandomSource) async throws -> LostSecrets {
        _ = try await lostGeneration(of: database, random: random)
        return try await database.read { tx in try LostKeyRules.losses(in: tx) }
    }

    /// Deletes what was encrypted under a lost master key, and creates new keys. No server may run at the same time, because it would
    /// continue with the old data keys. A key file is created; a key from the environment becomes the new one.
    ///
    /// - Throws: as ``losses(of:random:)``, and ``KeyVaultError/changedElsewhere`` when another process does the same.
    public func giveUp(
        _ database: Database, by operatorName: String, at moment: Moment, random: RandomSource, audit: AuditLog
    ) async throws -> LostSecrets {
        let generation = try await lostGeneration(of: database, random: random)
        let key: [UInt8]
        switch self {
        case .given(let given): key = given
        // The file must be durable before the commit: a crash in between leaves a key that opens nothing, and the error says so.
        case .file(let file): key = try MasterKey.file(at: file.path, random: random)
        }
        let origin = Origin(actor: .operator, door: .command, name: operatorName)
        let lost = try await database.transact { tx in
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
            // The key may belong to another server, or to this one at another time. Only the owner may remove it.
            if case .file(let file) = self { throw KeyVaultError.otherKey(path: file.path) }
            return generation
        } catch KeyVaultError.missingFile {
            return generation
        }
        throw KeyVaultError.notLost
    }
}
