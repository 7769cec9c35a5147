import Crypto
import GatehouseImport
import GatehousePlatform

/// Ids of devices that many devices have, or that anybody can guess. They are no credentials.
enum WeakDevice {
    private static let shortest = 9
    /// What systems give for an id that they do not tell, and one that all emulators of Android 2.2 had.
    private static let placeholders: Set<String> = [
        "00000000-0000-0000-0000-000000000000", "02:00:00:00:00:00", "9774d56d682e549c", "000000000000000",
        "0000000000000000", "unknown-device", "undefined", "012345678912345", "0123456789abcdef",
    ]
    private static let hashes = Set(placeholders.map { ImportedDevice(.deviceID, .plain($0)).hash })

    /// If the id came as its hash, only the known ones are recognized.
    static func isWeak(_ device: ImportedDevice) -> Bool {
        guard !hashes.contains(device.hash) else { return true }
        guard case .plain(let id) = device.value else { return false }
        let letters = id.utf8.filter { byte in byte != UInt8(ascii: "-") && byte != UInt8(ascii: ":") }
        return id.utf8.count < shortest || Set(letters).count < 2 || placeholders.contains(id.lowercased())
    }
}
