import Crypto
import GatehousePlatform
import GatehouseSecurity

/// The random key of a source, with which ids of its devices and of its erased members are hashed. The database
/// alone doesn't let anybody try ids, even simple ones.
struct LegacyHashKey: Sendable, Hashable, Codable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(random: RandomSource) {
        bytes = random.bytes(32)
    }

    /// The hash of a device's id.
    func hash(ofDevice value: String) -> [UInt8] { hash(ofDeviceDigest: Array(SHA256.hash(data: Data(value.utf8)))) }

    /// The hash of a device's id that the file has as SHA-256.
    func hash(ofDeviceDigest digest: [UInt8]) -> [UInt8] { code(over: Data(digest), label: "device") }

    /// The hash of the legacy id of a member who has withdrawn.
    func hash(ofErased legacyID: String) -> [UInt8] { code(over: Data(legacyID.utf8), label: "erased") }

    private func code(over data: Data, label: String) -> [UInt8] {
        var code = HMAC<SHA256>(key: SymmetricKey(data: bytes))
        code.update(data: Data("\(label)\0".utf8))
        code.update(data: data)
        return Array(code.finalize())
    }
}
