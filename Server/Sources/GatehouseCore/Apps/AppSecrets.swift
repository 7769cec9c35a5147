import Crypto
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
package import GatehouseWire
import Synchronization

/// A secret key of an app, identified by its hash.
package struct AppSecret: Sendable, Hashable {
    package let hash: [UInt8]
    /// Nil for the app's own keys, which are rotated.
    package let name: String?
    package let scopes: Set<SecretKeyScope>
    package let createdAt: Moment
    /// The last use that was noted, which is some minutes behind; nil for a key that was not used.
    package var lastUsedAt: Moment?
    /// The key's first and last letters, such as `gsk_JBB6…x9Qa`; nil for a key that is older than this column. They are 48 of its 256
    /// random bits.
    package var hint: String?
    /// The network address of the last use that was noted; nil if it is not known.
    package var lastUsedFrom: String?

    /// Identifies the key for operators: the first twelve hexadecimal digits of the hash of 256 random bits, which reveal nothing about
    /// the key.
    package var id: String {
        hash.prefix(6).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    package func isHash(of key: SecretKey) -> Bool { ConstantTime.isEqual(hash, SecretRules.hash(key)) }

    static func hint(of key: SecretKey) -> String { "\(key.secretValue.prefix(8))…\(key.secretValue.suffix(4))" }
}

extension SecretKey {
    /// How every secret key begins.
    package static let mark = "gsk_"
}

// What operators read of a secret key.
extension AppSecret {
    /// How a sentence names it: by its id, and by its first and last letters if they are known.
    package var label: String { hint.map { "\(id) (\($0))" } ?? id }

    /// The name of a named key, or which of the app's own keys it is.
    package func title(among own: [AppSecret]) -> Phrase {
        name.map { .verbatim($0) } ?? (self == own.first ? "secrets.own" : "secrets.own-former")
    }

    /// When it was used last, which warns of ending one that a game server still needs.
    func use(at moment: Moment) -> Phrase {
        guard let lastUsedAt else { return Phrase("secrets.unused", ["id": .text(label)]) }
        let isRecent = moment < lastUsedAt.adding(seconds: 3_600)
        return Phrase(
            isRecent ? "secrets.in-use" : "secrets.last-used", ["id": .text(label), "when": .distance(lastUsedAt)])
    }
}

extension Phrase.Value {
    package static func scopes(_ scopes: Set<SecretKeyScope>) -> Phrase.Value {
        scopes == .every
            ? .phrase("secrets.every")
            : .list(SecretKeyScope.allCases.filter(scopes.contains).map { Phrase("scope.\($0.rawValue)") })
    }
}

extension Set<SecretKeyScope> {
    static let every = Set(SecretKeyScope.allCases)

    /// Reads the database's format; nil means every scope, including those of later versions.
    init(words: String?) {
        self = words.map { Set($0.parts(at: " ").compactMap { SecretKeyScope(rawValue: String($0)) }) } ?? .every
    }

    /// The words in the order of their declaration.
    var words: [String] { SecretKeyScope.allCases.filter(contains).map(\.rawValue) }
}

/// An app's secret keys. Its own keys have every scope, and two of them are valid while game servers change over. Additional keys have
/// a name and only the scopes that they need, so that a stolen one can't do more.
enum SecretRules {
    /// The maximum number of named keys, because every call is compared with all of an app's keys.
    static let maximumNamed = 32

    /// Creates a new own key of the app besides the newest old one: two are valid at once, so that game servers can change over one by
    /// one. Any older one ends now.
    ///
    /// - Returns: the key, and the ids of those that have ended.
    static func rotate(
        of id: AppID, at moment: Moment, random: RandomSource, in tx: Transaction
    ) throws -> (key: SecretKey, revoked: [String]) {
        let revoked = try revokeOld(of: id, at: moment, in: tx)
        return (try insert(name: nil, scopes: nil, app: id, at: moment, random: random, in: tx), revoked)
    }

    /// Ends all of the app's own keys except the newest. Named keys stay.
    ///
    /// - Returns: the ids of the keys that have ended.
    static func revokeOld(of id: AppID, at moment: Moment, in tx: Transaction) throws -> [String] {
        try AppRules.lock(id, in: tx)
        let old = try own(of: id, in: tx).dropFirst()
        for secret in old { _ = try SecretQueries.revoke(hash: secret.hash, app: id, at: moment, in: tx) }
        return old.map(\.id)
    }

    /// Creates an additional key with the given scopes.
    static func add(
        to id: AppID, name: String, scopes: Set<SecretKeyScope>, at moment: Moment, random: RandomSource,
        in tx: Transaction
    ) throws -> SecretKey {
        try AppRules.lock(id, in: tx)
        guard (1...64).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw Refusal.parameter("name", "A secret key's name has 1 to 64 bytes.")
        }
        guard !scopes.isEmpty else { throw Refusal.parameter("scope", "A secret key has at least one scope.") }
        guard try SecretQueries.secrets(of: id, in: tx).count(where: { $0.name != nil }) < maximumNamed else {
            throw Refusal.parameter(
                "name", "An app has at most \(maximumNamed) secret keys with a name: revoke one first.")
        }
        return try insert(name: name, scopes: scopes, app: id, at: moment, random: random, in: tx)
    }

    /// Ends the key with this ``AppSecret/id``. The app's last own key stays, because without one nobody could check a token.
    static func revoke(_ secretID: String, of id: AppID, at moment: Moment, in tx: Transaction) throws {
        try AppRules.lock(id, in: tx)
        let secrets = try SecretQueries.secrets(of: id, in: tx)
        guard let secret = secrets.first(where: { $0.id == secretID }) else {
            throw Refusal.parameter("id", "The app has no secret key with this id.")
        }
        guard secret.name != nil || secrets.count(where: { $0.name == nil }) > 1 else {
            throw Refusal.parameter("id", "This is the app's only key with every scope: rotate it first.")
        }
        _ = try SecretQueries.revoke(hash: secret.hash, app: id, at: moment, in: tx)
    }

    static func secrets(of id: AppID, in tx: Reader) throws -> [AppSecret] {
        guard try AppQueries.app(id, in: tx) != nil else { throw AppRules.unknownApp }
        return try SecretQueries.secrets(of: id, in: tx)
    }

    /// A secret key has 256 random bits, so one round of SHA-256 protects it as well as a slow hash would.
    static func hash(_ secret: SecretKey) -> [UInt8] { Array(SHA256.hash(data: Data(secret.secretValue.utf8))) }

    /// - Parameter scopes: nil for every scope.
    static func insert(
        name: String?, scopes: Set<SecretKeyScope>?, app id: AppID, at moment: Moment, random: RandomSource,
        in tx: Transaction
    ) throws -> SecretKey {
        let secret = SecretKey("\(SecretKey.mark)\(Base64URL.encode(random.bytes(32)))")
        // Two secrets may be created within one millisecond, and the newer one must still sort first.
        let newest = try SecretQueries.newestDate(of: id, in: tx) ?? 0
        let date = Moment(milliseconds: max(moment.milliseconds, newest + 1))
        try SecretQueries.insert(
            hash: hash(secret), hint: AppSecret.hint(of: secret), name: name,
            scopes: scopes?.words.joined(separator: " "), app: id, at: date, in: tx)
        return secret
    }

    private static func own(of id: AppID, in tx: Reader) throws -> [AppSecret] {
        try SecretQueries.secrets(of: id, in: tx).filter { $0.name == nil }
    }
}

/// Table `app_secrets`.
enum SecretQueries {
    /// The keys that are valid now, newest first.
    static func secrets(of app: AppID, in tx: Reader) throws -> [AppSecret] {
        try tx.rows(
            """
            SELECT secret_hash, name, scopes, created_at, last_used_at, hint, last_used_from FROM app_secrets
            WHERE app_id = \(app) AND revoked_at IS NULL ORDER BY created_at DESC, secret_hash
            """
        ) { row in
            AppSecret(
                hash: try row[0], name: try row[1], scopes: Set(words: try row[2]),
                createdAt: Moment(milliseconds: try row[3]), lastUsedAt: try row[4], hint: try row[5],
                lastUsedFrom: try row[6])
        }
    }

    /// - Parameter scopes: words separated by spaces; nil for every scope.
    static func insert(
        hash: [UInt8], hint: String?, name: String?, scopes: String?, app: AppID, at moment: Moment,
        in tx: Transaction
    ) throws {
        try tx.execute(
            """
            INSERT INTO app_secrets (app_id, secret_hash, created_at, name, scopes, hint)
            VALUES (\(app), \(hash), \(moment.milliseconds), \(name), \(scopes), \(hint))
            """)
    }

    static func newestDate(of app: AppID, in tx: Reader) throws -> Int64? {
        try tx.first("SELECT created_at FROM app_secrets WHERE app_id = \(app) ORDER BY created_at DESC LIMIT 1") {
            row in
            try row[0]
        }
    }

    /// Notes a use of a valid key. Another node may have noted a later one.
    static func noteUse(
        hash: [UInt8], app: AppID, from address: ClientAddress, at moment: Moment, in tx: Draft
    ) throws {
        let from = address == .unknown ? nil : address.description
        try tx.update(
            "app_secrets", set: "last_used_at = \(moment), last_used_from = \(from)",
            where: ["app_id": app, "secret_hash": hash],
            and: "(last_used_at IS NULL OR last_used_at < \(moment)) AND revoked_at IS NULL")
    }

    /// Ends a key. From where it was used is told of valid keys alone, and is forgotten. False if the key had already ended.
    static func revoke(hash: [UInt8], app: AppID, at moment: Moment, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            UPDATE app_secrets SET revoked_at = \(moment.milliseconds), last_used_from = NULL
            WHERE app_id = \(app) AND secret_hash = \(hash) AND revoked_at IS NULL
            """) == 1
    }
}

/// The last use of each secret key, and from which network address it came. A call of a game server only notes it in memory; the sweeper writes it, so that it costs no call a
/// write.
package final class SecretUses: Sendable {
    /// The shortest time between two writes of one key.
    static let writeSeconds: Int64 = 300

    private struct Key: Hashable {
        let app: AppID
        let hash: [UInt8]
    }

    private struct Use {
        var last: Moment
        var address: ClientAddress
        var written: Moment?

        var isDue: Bool { written.map { $0.adding(seconds: SecretUses.writeSeconds) <= last } ?? true }
    }

    private let uses = Mutex<[Key: Use]>([:])

    package func note(_ secret: AppSecret, of app: AppID, from address: ClientAddress, at moment: Moment) {
        let key = Key(app: app, hash: secret.hash)
        uses.withLock { uses in
            guard var use = uses[key] else {
                return uses[key] = Use(last: moment, address: address, written: secret.lastUsedAt)
            }
            guard moment >= use.last else { return }
            (use.last, use.address) = (moment, address)
            uses[key] = use
        }
    }

    /// Writes the uses that have moved far enough since they were written.
    func write(to database: Database) async throws {
        let due = uses.withLock { uses in uses.filter(\.value.isDue) }
        guard !due.isEmpty else { return }
        try await database.decide { tx in
            for (key, use) in due {
                try SecretQueries.noteUse(hash: key.hash, app: key.app, from: use.address, at: use.last, in: tx)
            }
        }
        uses.withLock { uses in
            for (key, use) in due { uses[key]?.written = use.last }
        }
    }
}
