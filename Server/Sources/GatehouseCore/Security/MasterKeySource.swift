public import GatehouseSecurity
public import GatehouseStorage

/// The source of a server's master key.
public enum MasterKeySource: Sendable {
    /// The environment, or another source outside of the server.
    case given([UInt8])
    case file(MasterKeyFile)

    /// The vault of a database.
    ///
    /// - Throws: ``KeyVaultError/cannotOpen(_:)`` when the master key is not the database's.
    public func vault(of database: Database, random: RandomSource) async throws -> KeyVault {
        switch self {
        case .given(let key): try await KeyVault.open(database, masterKey: key, random: random)
        case .file(let file): try await file.vault(of: database, random: random)
        }
    }

    /// Changes the master key of a database, and the key file if there is one. Running servers are not affected, because they hold the
    /// data keys. Afterwards the old master key opens nothing.
    ///
    /// - Parameter newKey: the new key, if the key is not in a file; a file gets a random one.
    /// - Throws: ``KeyVaultError/changedElsewhere`` when another process has done the same in the meantime, and
    ///   ``KeyVaultError/sameKey``.
    public func rekey(
        _ database: Database, to newKey: [UInt8]?, random: RandomSource, audit: AuditLog
    ) async throws {
        switch self {
        case .given(let key):
            let newKey = newKey ?? random.bytes(DataKeys.length)
            try await Self.rekey(database, from: key, to: newKey, random: random)
        case .file(let file):
            try await file.rekey(database, random: random)
        }
        audit.record(
            .init(
                event: "master-key.changed", app: nil, actor: .operator, address: nil, transactionID: nil, subject: [:])
        )
    }

    private static func rekey(
        _ database: Database, from key: [UInt8], to newKey: [UInt8], random: RandomSource
    ) async throws {
        guard key != newKey else { throw KeyVaultError.sameKey }
        let envelope: VaultRules.Envelope
        do {
            envelope = try await KeyVault.envelope(of: database, masterKey: key, random: random)
        } catch let refused as KeyVaultError {
            // An earlier attempt succeeded but its response was lost.
            let isDone = try await database.read { tx in
                (try? VaultRules.envelope(masterKey: newKey, in: tx)) != nil
            }
            guard isDone else { throw refused }
            return
        }
        try await EarlierSecrets.reseal(in: database, with: envelope.keys, random: random)
        try await database.transact { tx in try VaultRules.rewrap(envelope, with: newKey, in: tx) }
    }
}
