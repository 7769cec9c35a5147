import Crypto
import Foundation
import GatehouseTesting
import GatehouseWire
import Testing

@testable import Gatehouse

/// Where the device's key is made and kept, with hardware of the tests' own in the place of the Secure Enclave.
@Suite struct DeviceKeyTests {
    /// Hardware that keeps its keys to itself: a blob is only the name of one.
    private final class Hardware: Sendable {
        private let keys = Locked<[Data: SoftwareKey]>([:])
        let isBroken = Locked(false)

        struct Broken: Error {}

        var keyHardware: KeyHardware {
            KeyHardware {
                guard !self.isBroken.withLock({ $0 }) else { throw Broken() }
                let key = SoftwareKey()
                let blob = self.keys.withLock { keys in
                    let blob = Data("blob \(keys.count)".utf8)
                    keys[blob] = key
                    return blob
                }
                return (key, blob)
            } open: { blob in
                guard !self.isBroken.withLock({ $0 }), let key = self.keys.withLock({ $0[blob] }) else {
                    throw Broken()
                }
                return key
            }
        }

        /// The public key of the first key.
        var first: PublicKey? { keys.withLock { $0[Data("blob 0".utf8)]?.publicKey } }
    }

    /// What a device says of its key with its last call, and the x of the key that has signed it.
    private static func told(_ device: Device) throws -> (protection: String?, x: String?) {
        let headers = try device.network.requests.last.unwrapped().headers
        let proof = try headers[HeaderNames.proof].unwrapped()
        let header = try Base64URL.decode(String(proof.prefix { $0 != "." })).unwrapped()
        let values = try JSONDecoder().decode([String: JSONValue].self, from: Data(header))
        guard case .object(let key) = values["jwk"] else { return (headers[HeaderNames.keyProtection], nil) }
        return (headers[HeaderNames.keyProtection], key["x"]?.stringValue)
    }

    @Test("SES-2: where there is hardware for keys, the key is made there, and only its blob is stored")
    func hardware() async throws {
        let hardware = Hardware()
        let device = try Device(keyHardware: hardware.keyHardware)
        try await device.start()
        _ = try await device.logIn()
        #expect(device.storage.contents["device-key"] == Data("hardware:blob 0".utf8))
        let key = try hardware.first.unwrapped()
        #expect(try Self.told(device) == ("hardware", key.x))

        let next = try Device(storage: device.storage, keyHardware: hardware.keyHardware)
        try await next.start()
        next.network.script(.login())
        _ = try await next.gatehouse.logInWithLastProvider()
        #expect(try Self.told(next) == ("hardware", key.x))
        next.clock.advance(seconds: 3_600)
        next.network.script(.renewal())
        _ = try await next.gatehouse.validAccessToken()
        #expect(try Self.told(next) == ("hardware", key.x))
    }

    @Test(
        "SES-2: without hardware for keys, and where it makes none, the key is made in software",
        arguments: [false, true])
    func software(hasBrokenHardware: Bool) async throws {
        let hardware = Hardware()
        hardware.isBroken.withLock { $0 = true }
        let device = try Device(keyHardware: hasBrokenHardware ? hardware.keyHardware : nil)
        try await device.start()
        _ = try await device.logIn()
        let stored = try device.storage.contents["device-key"].unwrapped()
        #expect(stored.count == 32)
        #expect(try Self.told(device) == ("software", SoftwareKey(rawRepresentation: stored).publicKey.x))
    }

    @Test("LOGIN-1: a key in software from before stays the guest's, also where there is hardware for keys")
    func olderKey() async throws {
        let older = try Device()
        try await older.start()
        _ = try await older.logIn()
        let key = try Self.told(older)
        let device = try Device(storage: older.storage, keyHardware: Hardware().keyHardware)
        try await device.start()
        device.network.script(.login())
        _ = try await device.gatehouse.logIn(with: .guest)
        #expect(try Self.told(device) == key)
        #expect(key.protection == "software")
    }

    @Test("LOGIN-8: hardware that does not give the key now is a locked storage, and no new key is made")
    func lockedHardware() async throws {
        let hardware = Hardware()
        let device = try Device(keyHardware: hardware.keyHardware)
        try await device.start()
        _ = try await device.logIn()
        let before = device.storage.contents
        for keyHardware in [hardware.keyHardware, nil] {
            hardware.isBroken.withLock { $0 = true }
            let next = try Device(storage: device.storage, keyHardware: keyHardware)
            try await next.start()
            #expect(await failure { try await next.gatehouse.logInWithLastProvider() }?.reason == .storageLocked)
            #expect(await failure { try await next.gatehouse.logIn(with: .guest) }?.reason == .storageLocked)
            #expect(next.storage.contents == before)
        }
        hardware.isBroken.withLock { $0 = false }
        let next = try Device(storage: device.storage, keyHardware: hardware.keyHardware)
        try await next.start()
        next.network.script(.login())
        _ = try await next.gatehouse.logInWithLastProvider()
    }

    @Test("A key that can't be understood is kept as it is", arguments: ["", "hardware", "0123456789"])
    func corrupt(text: String) throws {
        let storage = MemoryStorage()
        try storage.write(Data(text.utf8), to: "device-key")
        #expect(throws: SecureStorageError.corrupt("device-key")) {
            try SessionStore(storage: storage, keyHardware: Hardware().keyHardware).deviceKey()
        }
        #expect(storage.contents == ["device-key": Data(text.utf8)])
    }

    /// A storage in which another process writes at the moment when this one has found nothing.
    private struct Shared: SecureStorage {
        let storage: MemoryStorage
        let meanwhile: @Sendable () throws -> Void

        func read(_ item: String) throws -> Data? {
            let data = try storage.read(item)
            if data == nil { try meanwhile() }
            return data
        }
        func write(_ data: Data, to item: String) throws { try storage.write(data, to: item) }
        func add(_ data: Data, as item: String) throws -> Bool { try storage.add(data, as: item) }
        func remove(_ item: String) throws { try storage.remove(item) }
    }

    @Test("LOGIN-1: two processes that make the device's key at once have the same one: no guest is lost")
    func race() throws {
        let storage = MemoryStorage()
        let other = Locked<StoredKey?>(nil)
        let shared = Shared(storage: storage) {
            let key = try SessionStore(storage: storage).deviceKey()
            other.withLock { $0 = key }
        }
        let key = try SessionStore(storage: shared).deviceKey()
        #expect(try other.withLock { $0 }.unwrapped().publicKey == key.publicKey)
        #expect(storage.contents["device-key"] == key.data)
    }

    @Test("LOGIN-1: of many stores of one file that make a key at once, one makes it", .timeLimit(.minutes(1)))
    func raceOfFiles() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("gatehouse-keys-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("app.json").path
        let keys = try await withThrowingTaskGroup(of: PublicKey.self) { group in
            for _ in 0..<8 {
                group.addTask { try SessionStore(storage: FileStorage(path: path)).deviceKey().publicKey }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
        #expect(try FileStorage(path: path).add(Data(), as: "device-key") == false)
        #expect(try SessionStore(storage: FileStorage(path: path)).existingDeviceKey()?.publicKey == keys.first)
    }
}
