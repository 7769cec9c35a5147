import Crypto
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization

/// Caches which device has used a token, so that a game that sends the same token again needs no query.
final class KnownCredentials: Sendable {
    /// The constraint that allows a credential only one first use.
    static let key = UniqueConstraint.primaryKey(of: "used_credentials", "credential_hash", "app_id")

    /// The maximum number of entries. Beyond it all are forgotten, because the database has them.
    private static let maximum = 50_000

    private struct Use {
        let device: [UInt8]
        let until: Moment
    }

    private let uses = Mutex<[[UInt8]: Use]>([:])

    func remember(_ identity: VerifiedIdentity, on device: KeyThumbprint, app: AppID) {
        guard case .token(let hash, let until)? = identity.claim else { return }
        let own = DeviceHash.of(device, with: hash)
        uses.withLock { uses in
            if uses.count >= Self.maximum { uses.removeAll(keepingCapacity: true) }
            uses[hash + Array(app.rawValue.utf8)] = Use(device: own, until: until)
        }
    }

    /// Whether this device has already used the credential.
    func isOf(_ device: KeyThumbprint, _ identity: VerifiedIdentity, app: AppID, at moment: Moment) -> Bool {
        guard case .token(let hash, _)? = identity.claim,
            let use = uses.withLock({ $0[hash + Array(app.rawValue.utf8)] })
        else { return false }
        return moment < use.until && use.device == DeviceHash.of(device, with: hash)
    }
}

/// The hash of a device in rows that must not identify it.
enum DeviceHash {
    static func of(_ device: KeyThumbprint, with hash: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Data(hash) + Data(device.rawValue.utf8)))
    }
}
