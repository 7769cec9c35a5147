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

/// Credentials that were used, by their hash, until they end by themselves.
enum CredentialUseRules {
    /// Uses a credential, in the transaction of what it is used for.
    ///
    /// - Parameter code: the code of the call for a credential that was used elsewhere.
    static func use(
        _ identity: VerifiedIdentity, on device: KeyThumbprint, refused code: ErrorCode, _ change: Change,
        in tx: Transaction
    ) throws {
        switch identity.claim {
        case nil: return
        case .token(let hash, let end):
            let own = deviceHash(device, with: hash)
            if let first = try CredentialUseQueries.device(of: hash, app: change.app.id, in: tx) {
                guard SessionRules.isSame(first, own) else {
                    throw Refusal(
                        code, "The credential was used on another device.", reason: .credentialRejected,
                        audit: "credential.replayed")
                }
                return
            }
            try CredentialUseQueries.insert(hash, on: own, until: end, app: change.app.id, in: tx)
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
        _ hash: [UInt8], on device: [UInt8], until end: Moment, app: AppID, in tx: Transaction
    ) throws {
        try tx.later(
            """
            INSERT INTO used_credentials (app_id, credential_hash, device_hash, expires_at)
            VALUES (\(app), \(hash), \(device), \(end))
            """, ifTaken: TransactionConflict())
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
