import Crypto
import Foundation
import GatehouseStorage
import GatehouseWire

/// What makes a credential count once.
enum CredentialClaim: Sendable, Hashable {
    /// A token that its holder could show again until it ends: from its first use on it is of that device alone. A game may keep
    /// one for an hour, a thief may not use it.
    case token(hash: [UInt8], until: Moment)
    /// The end of a browser login: spent by its use.
    case loginAttempt(String)

    static func hash(of text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}

/// A credential was used before, by whomever: the same is to be done once more, with a look.
struct CredentialSeen: Error {}

/// Runs what uses an identity's credential, and once more where it turns out to have been used before.
func withSeenCredentials<Value>(
    _ identity: VerifiedIdentity, _ body: (VerifiedIdentity) async throws -> Value
) async throws -> Value {
    do {
        return try await body(identity)
    } catch is CredentialSeen {
        var identity = identity
        identity.wasSeen = true
        return try await body(identity)
    }
}

/// Credentials that were used, by their hash, until they end by themselves.
enum CredentialUseRules {
    /// Uses a credential, in the transaction of what it is used for.
    ///
    /// - Parameter code: the code of the call for a credential that was used elsewhere.
    ///
    /// - Throws: ``CredentialSeen`` where nobody has looked whether it was used before, and it was.
    static func use(
        _ identity: VerifiedIdentity, on device: KeyThumbprint, refused code: ErrorCode, _ change: Change,
        in tx: Transaction
    ) throws {
        switch identity.claim {
        case nil: return
        case .token(let hash, let end):
            let own = deviceHash(device, with: hash)
            // Nearly always this is its first use: the row's own key tells when it is not.
            guard identity.wasSeen else {
                return try CredentialUseQueries.insert(
                    hash, on: own, until: end, ifTaken: CredentialSeen(), app: change.app.id, in: tx)
            }
            if let first = try CredentialUseQueries.device(of: hash, app: change.app.id, in: tx) {
                guard SessionRules.isSame(first, own) else {
                    throw Refusal(
                        code, "The credential was used on another device.", reason: .credentialRejected,
                        audit: "credential.replayed")
                }
                return
            }
            try CredentialUseQueries.insert(
                hash, on: own, until: end, ifTaken: TransactionConflict(), app: change.app.id, in: tx)
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
