import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Used credentials, stored as hashes until they expire.
enum CredentialUseRules {
    /// Checks whether a credential that was used before may be used by this device. It only reads, so it comes first in its
    /// transaction.
    ///
    /// - Parameters:
    ///   - wasUsed: whether an earlier attempt has shown that it was used before.
    ///   - code: the code of the call for a credential that was used by another device.
    /// - Returns: whether its use has yet to be written.
    static func look(
        for claim: CredentialClaim, wasUsed: Bool, on device: KeyThumbprint, refused code: ErrorCode, _ change: Change,
        in tx: Reader
    ) throws -> Bool {
        guard case .token(let hash, _) = claim, wasUsed,
            let first = try CredentialUseQueries.device(of: hash, app: change.app.id, in: tx)
        else { return true }
        guard ConstantTime.isEqual(first, DeviceHash.of(device, with: hash)) else {
            throw Refusal(
                code, "The credential was used on another device.", reason: .credentialRejected,
                audit: "credential.replayed")
        }
        return false
    }

    /// Uses a credential, in the same transaction as its effect. It writes, so it comes last.
    ///
    /// - Throws: a violation of ``KnownCredentials/key`` if the credential was used before. ``Work`` has the next attempt check who
    ///   used it first.
    static func use(
        _ claim: CredentialClaim, on device: KeyThumbprint, refused code: ErrorCode, _ change: Change,
        in tx: Draft
    ) throws {
        switch claim {
        case .token(let hash, let end):
            // This is nearly always the first use. If it is not, the row's primary key is violated.
            try CredentialUseQueries.insert(
                hash, on: DeviceHash.of(device, with: hash), until: end, app: change.app.id, in: tx)
        case .loginAttempt(let id):
            try LoginAttemptRules.spend(id, app: change.app.id, refused: code, at: change.moment, in: tx)
        }
    }
}
