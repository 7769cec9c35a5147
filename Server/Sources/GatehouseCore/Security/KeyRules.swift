import Crypto
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

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

/// Reads the public keys of an app, for game servers that verify tokens themselves.
package struct ReadKeys: Action {
    package static let permission = Permission.play
    /// How long game servers may cache the answer.
    package static let cacheSeconds = KeyRules.cacheSeconds

    package init() {}

    package func perform(_ work: Work) async throws -> KeySet {
        KeySet(keys: work.context.keys.published(at: work.moment).map(\.published))
    }
}

/// Lists the keys that sign an app's access tokens, newest first, for operators.
package struct ListSigningKeys: Action {
    package static let permission = Permission.administer

    package init() {}

    package struct Key: Sendable, Hashable {
        package enum State: String, Sendable {
            /// Game servers can fetch it already, and it will sign.
            case published
            case signs
            /// It signs no more, and tokens that it has signed are still valid.
            case replaced
            /// No token of it is valid any more.
            case retired
        }

        package let id: String
        package let state: State
        package let createdAt: Moment
        package let activeAt: Moment
        /// When its last tokens end; nil while no other key has taken over.
        package let tokensUntil: Moment?
    }

    package func perform(_ work: Work) async throws -> [Key] {
        let (app, moment) = (work.app.id, work.moment)
        let lifetime = work.services.issuer.lifetimes.accessTokenSeconds
        let rows = try await work.services.database.report { tx in try KeyQueries.keys(of: app, in: tx) }
        let starts = rows.map { Moment(milliseconds: $0.activeAt) }
        // As ``SigningKeySet/signing(at:)`` chooses.
        let signing = starts.lastIndex { $0 <= moment } ?? starts.startIndex
        return rows.enumerated().map { index, row in
            let until = index + 1 < starts.count ? starts[index + 1].adding(seconds: lifetime) : nil
            let state: Key.State =
                if index == signing { .signs } else if index > signing { .published } else {
                    until.map { moment < $0 } ?? true ? .replaced : .retired
                }
            return Key(
                id: row.id, state: state, createdAt: Moment(milliseconds: row.createdAt), activeAt: starts[index],
                tokensUntil: until)
        }.reversed()
    }
}

/// Table `signing_keys`. The private key is encrypted for a purpose that contains app and key id, so that rows can't be swapped.
enum KeyQueries {
    struct SealedKey: Sendable {
        let id: String
        let sealed: [UInt8]
        let createdAt: Int64
        let activeAt: Int64
    }

    package static func keys(of app: AppID, in tx: Reader) throws -> [SealedKey] {
        try tx.rows(
            """
            SELECT key_id, sealed_key, created_at, active_at FROM signing_keys WHERE app_id = \(app)
            ORDER BY active_at, key_id
            """
        ) { row in
            SealedKey(id: try row[0], sealed: try row[1], createdAt: try row[2], activeAt: try row[3])
        }
    }

    static func insert(_ key: SealedKey, app: AppID, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO signing_keys (app_id, key_id, sealed_key, created_at, active_at)
            VALUES (\(app), \(key.id), \(key.sealed), \(key.createdAt), \(key.activeAt))
            """)
    }

    /// Records every key except one as revoked, for game servers that still have it.
    static func noteRevoked(of app: AppID, except id: String, at moment: Moment, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO revoked_signing_keys (app_id, key_id, revoked_at)
            SELECT app_id, key_id, \(moment) FROM signing_keys WHERE app_id = \(app) AND key_id <> \(id)
            """)
    }

    /// The ids of revoked keys, oldest first.
    static func revokedKeys(of app: AppID, in tx: Reader) throws -> [String] {
        try tx.rows(
            "SELECT key_id FROM revoked_signing_keys WHERE app_id = \(app) ORDER BY revoked_at, key_id"
        ) { row in try row[0] }
    }

    /// Deletes every key except one.
    static func deleteAll(of app: AppID, except id: String, in tx: Transaction) throws -> Int {
        try tx.execute("DELETE FROM signing_keys WHERE app_id = \(app) AND key_id <> \(id)")
    }

    static func vaultCheck(in tx: Reader) throws -> [UInt8]? {
        try tx.first("SELECT sealed_value FROM vault_check WHERE check_id = 1") { row in try row[0] }
    }

    /// False when another process has written it first.
    static func insertVaultCheck(_ sealed: [UInt8], in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            INSERT INTO vault_check (check_id, sealed_value) VALUES (1, \(sealed))
            ON CONFLICT (check_id) DO NOTHING
            """) == 1
    }
}
