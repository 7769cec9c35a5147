import Crypto
import Foundation
import GatehouseStorage
import GatehouseWire
import Synchronization

/// What makes a credential count once.
enum CredentialClaim: Sendable, Hashable {
    /// A token that its holder could show again until it ends: from its first use on it is of that device alone. A game may keep
    /// one for an hour, a thief may not use it.
    case token(hash: [UInt8], until: Moment)
    /// The end of a browser login: spent by its use.
    case loginAttempt(String)

    /// A signed token, by what was signed: an ECDSA signature has a twin that verifies as well, so that the token's text has two
    /// forms.
    static func signed(_ token: ProviderToken, until end: Moment) -> CredentialClaim {
        let text = token.secretValue.utf8
        let input = text[..<(text.lastIndex(of: UInt8(ascii: ".")) ?? text.endIndex)]
        return .token(hash: Array(SHA256.hash(data: Data(input))), until: end)
    }

    /// A token that only its provider can read: its text is all that it is.
    static func opaque(_ token: ProviderToken, until end: Moment) -> CredentialClaim {
        .token(hash: hash(of: token.secretValue), until: end)
    }

    static func hash(of text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}

/// A credential was used before, by whomever: the same is to be done once more, with a look.
struct CredentialSeen: Error {}

/// Credentials that were used, by their hash, until they end by themselves.
enum CredentialUseRules {
    /// Whether a credential that was seen before may be used by a device. Reads: it comes first in its transaction.
    ///
    /// - Parameter code: the code of the call for a credential that was used elsewhere.
    /// - Returns: whether its use is still to be written.
    static func look(
        for identity: VerifiedIdentity, on device: KeyThumbprint, refused code: ErrorCode, _ change: Change,
        in tx: Transaction
    ) throws -> Bool {
        guard case .token(let hash, _)? = identity.claim, identity.wasSeen,
            let first = try CredentialUseQueries.device(of: hash, app: change.app.id, in: tx)
        else { return identity.claim != nil }
        guard SessionRules.isSame(first, deviceHash(device, with: hash)) else {
            throw Refusal(
                code, "The credential was used on another device.", reason: .credentialRejected,
                audit: "credential.replayed")
        }
        return false
    }

    /// Uses a credential, in the transaction of what it is used for. Writes: it comes last.
    ///
    /// - Throws: ``CredentialSeen`` where nobody has looked whether it was used before, and it was.
    static func use(
        _ identity: VerifiedIdentity, on device: KeyThumbprint, refused code: ErrorCode, _ change: Change,
        in tx: Transaction
    ) throws {
        switch identity.claim {
        case nil: return
        case .token(let hash, let end):
            // Nearly always this is its first use: the row's own key tells when it is not.
            let taken: any Error = identity.wasSeen ? TransactionConflict() : CredentialSeen()
            try CredentialUseQueries.insert(
                hash, on: deviceHash(device, with: hash), until: end, ifTaken: taken, app: change.app.id, in: tx)
        case .loginAttempt(let id):
            try LoginAttemptRules.spend(id, refused: code, at: change.moment, in: tx)
        }
    }

    /// A device as rows know it that must lead to nobody.
    static func deviceHash(_ device: KeyThumbprint, with hash: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Data(hash) + Data(device.rawValue.utf8)))
    }

    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try CredentialUseQueries.forget(before: moment, limit: limit, in: tx)
    }
}

/// Table `used_credentials`.
enum CredentialUseQueries {
    static func device(of hash: [UInt8], app: AppID, in tx: Transaction) throws -> [UInt8]? {
        try tx.first(
            "SELECT device_hash FROM used_credentials WHERE credential_hash = \(hash) AND app_id = \(app)"
        ) { row in try row[0] }
    }

    static func insert(
        _ hash: [UInt8], on device: [UInt8], until end: Moment, ifTaken taken: any Error, app: AppID,
        in tx: Transaction
    ) throws {
        try tx.later(
            """
            INSERT INTO used_credentials (app_id, credential_hash, device_hash, expires_at)
            VALUES (\(app), \(hash), \(device), \(end))
            """, ifTaken: taken)
    }

    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try tx.execute(
            """
            DELETE FROM used_credentials WHERE (credential_hash, app_id) IN (
                SELECT credential_hash, app_id FROM used_credentials WHERE expires_at < \(moment)
                ORDER BY expires_at LIMIT \(limit))
            """)
    }
}

/// Which device has used a token, as far as this node knows: a game that shows the same token again asks the database nothing.
final class KnownCredentials: Sendable {
    /// Past so many, all are forgotten: the database knows.
    private static let maximum = 50_000

    private struct Use {
        let device: [UInt8]
        let until: Moment
    }

    private let uses = Mutex<[[UInt8]: Use]>([:])

    func remember(_ identity: VerifiedIdentity, on device: KeyThumbprint, app: AppID) {
        guard case .token(let hash, let until)? = identity.claim else { return }
        let own = CredentialUseRules.deviceHash(device, with: hash)
        uses.withLock { uses in
            if uses.count >= Self.maximum { uses.removeAll(keepingCapacity: true) }
            uses[hash + Array(app.rawValue.utf8)] = Use(device: own, until: until)
        }
    }

    /// Whether this device has used it already.
    func isOf(_ device: KeyThumbprint, _ identity: VerifiedIdentity, app: AppID, at moment: Moment) -> Bool {
        guard case .token(let hash, _)? = identity.claim,
            let use = uses.withLock({ $0[hash + Array(app.rawValue.utf8)] })
        else { return false }
        return moment < use.until && use.device == CredentialUseRules.deviceHash(device, with: hash)
    }
}
