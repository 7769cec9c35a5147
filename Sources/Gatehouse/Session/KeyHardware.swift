package import Foundation

/// Hardware that makes keys which can't be read from it, such as the Secure Enclave of Apple's systems.
package struct KeyHardware: Sendable {
    /// Makes a key.
    ///
    /// - Returns: the key, and the blob that is stored for it: only the hardware that has made it can use it.
    let make: @Sendable () throws -> (key: any DeviceKey, blob: Data)
    /// Returns the key that belongs to a blob.
    let open: @Sendable (_ blob: Data) throws -> any DeviceKey

    package init(
        make: @escaping @Sendable () throws -> (key: any DeviceKey, blob: Data),
        open: @escaping @Sendable (_ blob: Data) throws -> any DeviceKey
    ) {
        self.make = make
        self.open = open
    }

    #if !(canImport(Security) && canImport(CryptoKit))
    /// The hardware of this device: this system has none that the SDK uses.
    static let system: KeyHardware? = nil
    #endif
}
