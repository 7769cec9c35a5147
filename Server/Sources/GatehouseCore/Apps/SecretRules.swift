import Crypto
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

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
