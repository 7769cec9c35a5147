import Crypto
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Which keys sign an app's access tokens, and how long the old ones remain valid.
enum KeyRules {
    /// How long a new key is published before it signs: a bit more than the time for which game servers may cache the published keys.
    static let publicationSeconds: Int64 = 600
    /// How long game servers may cache the published keys.
    static let cacheSeconds = 300
    /// How long the lists of revocations contain a revoked key: much longer than anyone may cache a published one.
    static let revokedKeyDays: Int64 = 30

    static func create(
        app: AppID, activeAt: Moment, vault: KeyVault, at moment: Moment, random: RandomSource, in tx: Transaction
    ) throws -> String {
        let id = Base64URL.encode(random.bytes(12))
        let key = P256.Signing.PrivateKey()
        let sealed = try vault.seal(key.rawRepresentation, for: .signingKey(id, of: app))
        try KeyQueries.insert(
            .init(id: id, sealed: sealed, createdAt: moment.milliseconds, activeAt: activeAt.milliseconds), app: app,
            in: tx)
        return id
    }

    /// Creates a new key for an app without logging anyone out. It is published now and signs after ``publicationSeconds``; the old
    /// keys remain valid until their last tokens expire. With `revokingOthers`, for a leaked key, the old keys become invalid at once:
    /// devices get new access tokens with their refresh tokens, which no key signs, and game servers that verify signatures themselves
    /// find the old keys in the next list of revocations.
    static func rotate(
        app: AppID, revokingOthers: Bool, vault: KeyVault, at moment: Moment, random: RandomSource, in tx: Transaction
    ) throws -> String {
        let activeAt = revokingOthers ? moment : moment.adding(seconds: publicationSeconds)
        let id = try create(app: app, activeAt: activeAt, vault: vault, at: moment, random: random, in: tx)
        if revokingOthers {
            try KeyQueries.noteRevoked(of: app, except: id, at: moment, in: tx)
            _ = try KeyQueries.deleteAll(of: app, except: id, in: tx)
        }
        return id
    }

    static func keys(
        of app: AppID, vault: KeyVault, tokenLifetimeSeconds: Int64, in tx: Reader
    ) throws -> SigningKeySet {
        let keys = try KeyQueries.keys(of: app, in: tx).map { row in
            SigningKey(
                id: row.id,
                privateKey: try P256.Signing.PrivateKey(
                    rawRepresentation: vault.open(row.sealed, for: .signingKey(row.id, of: app))),
                createdAt: Moment(milliseconds: row.createdAt), activeAt: Moment(milliseconds: row.activeAt))
        }
        return SigningKeySet(keys: keys, tokenLifetimeSeconds: tokenLifetimeSeconds)
    }

    /// Throws ``KeyVaultError/cannotOpen(_:)`` when the database was written under another master key, so that this is found at the
    /// start and not at the first login.
    static func checkVault(_ vault: KeyVault, in tx: Transaction) throws {
        if try KeyQueries.vaultCheck(in: tx) == nil {
            _ = try KeyQueries.insertVaultCheck(try vault.seal(Array("gatehouse".utf8), for: .check), in: tx)
        }
        guard let sealed = try KeyQueries.vaultCheck(in: tx) else { throw StorageError.conflict }
        _ = try vault.open(sealed, for: .check)
    }
}
