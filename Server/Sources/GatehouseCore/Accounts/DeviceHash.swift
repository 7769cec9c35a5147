import Crypto
import GatehousePlatform
import GatehouseWire

/// The hash of a device in rows that must not identify it.
enum DeviceHash {
    static func of(_ device: KeyThumbprint, with hash: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Data(hash) + Data(device.rawValue.utf8)))
    }
}
