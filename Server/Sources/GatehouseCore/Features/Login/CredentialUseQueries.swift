import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `used_credentials`.
enum CredentialUseQueries {
    static func device(of hash: [UInt8], app: AppID, in tx: Reader) throws -> [UInt8]? {
        try tx.first(
            "SELECT device_hash FROM used_credentials WHERE credential_hash = \(hash) AND app_id = \(app)"
        ) { row in try row[0] }
    }

    static func insert(
        _ hash: [UInt8], on device: [UInt8], until end: Moment, app: AppID,
        in tx: Draft
    ) throws {
        try tx.insert(
            into: "used_credentials",
            [
                "app_id": app, "credential_hash": hash, "device_hash": device, "expires_at": end,
            ])
    }
}
