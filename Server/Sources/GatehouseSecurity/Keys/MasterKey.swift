import Crypto
import GatehousePlatform
import GatehouseWire

/// Sources of the master key: the environment, or a file that the first start of a new database creates.
public enum MasterKey {
    /// Reads 32 bytes from base64 or base64url, with or without padding.
    public static func decode(_ text: String) throws -> [UInt8] {
        let letters = text.trimmingWhitespace()
            .substituting("+", by: "-").substituting("/", by: "_").trimming { $0 == "=" }
        guard let bytes = Base64URL.decode(letters) else { throw KeyVaultError.notBase64 }
        guard bytes.count == 32 else { throw KeyVaultError.wrongKeyLength(bytes.count) }
        return bytes
    }

    /// The key from a file that only its owner can read. If the file does not exist, it is created with a new key. Two processes that
    /// start at the same time get the same key, because a link to a complete file is created only if none exists.
    public static func file(at path: String, random: RandomSource) throws -> [UInt8] {
        if access(path, F_OK) != 0 { try create(at: path, random: random) }
        return try read(path)
    }

    /// The key from an existing file.
    package static func read(_ path: String) throws -> [UInt8] {
        // A mounted secret is often a symbolic link to the actual file, and it is that file's permissions that count.
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw KeyVaultError.unsafeFile(path: path, reason: "can't be read")
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw KeyVaultError.unsafeFile(path: path, reason: "is a folder")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw KeyVaultError.unsafeFile(path: path, reason: "can be read by others: chmod 600 it")
        }
        let text: String
        do throws(NamedFile.Unreadable) {
            text = String(decoding: try NamedFile.bytes(of: path), as: UTF8.self)
        } catch {
            throw KeyVaultError.unsafeFile(path: path, reason: "can't be read: \(error.reason)")
        }
        do {
            return try decode(text)
        } catch {
            throw KeyVaultError.unsafeFile(path: path, reason: "holds no master key: \(error)")
        }
    }

    private static func create(at path: String, random: RandomSource) throws {
        let temporary = "\(path).\(Base64URL.encode(random.bytes(9)))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw KeyVaultError.unsafeFile(path: path, reason: "can't be created") }
        defer { unlink(temporary) }
        FolderOwner.take(descriptor, at: path)
        let line = Array("\(Base64URL.encode(random.bytes(32)))\n".utf8)
        let written = write(descriptor, line, line.count)
        let isDurable = fsync(descriptor) == 0
        close(descriptor)
        guard written == line.count, isDurable else {
            throw KeyVaultError.unsafeFile(path: path, reason: "can't be written")
        }
        guard link(temporary, path) == 0 || errno == EEXIST else {
            throw KeyVaultError.unsafeFile(path: path, reason: "can't be created")
        }
        try makeDurable(folderOf: path)
    }

    /// A file's name must be as durable as the data that will be encrypted with its key.
    package static func makeDurable(folderOf path: String) throws {
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let folder = open(parent, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { throw KeyVaultError.unsafeFile(path: path, reason: "can't be made durable") }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw KeyVaultError.unsafeFile(path: path, reason: "can't be made durable") }
    }
}

/// The keys that encrypt a database's secrets. They are stored in the database, wrapped with the master key: a new master key only
/// wraps them again, and no encrypted value changes (envelope encryption).
package struct DataKeys: Sendable, Hashable {
    package static let length = 32

    /// A random key. Only its wrapped copy connects it with a master key.
    package let current: [UInt8]
    /// The key that version 1 used, derived from the master key of that time; nil in databases without values from version 1.
    package let earlier: [UInt8]?

    package init(madeBy random: RandomSource, earlier: [UInt8]? = nil) {
        self.init(current: random.bytes(Self.length), earlier: earlier)
    }

    /// The only key that version 1 derived from a master key.
    package static func earlier(of masterKey: [UInt8]) throws -> [UInt8] {
        derive(from: try checked(masterKey), for: "gatehouse vault 1").withUnsafeBytes { Array($0) }
    }

    /// Version, nonce, ciphertext, tag.
    package func wrapped(by masterKey: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            Data(current + (earlier ?? [])), using: Self.wrappingKey(masterKey), authenticating: Self.purpose)
        guard let combined = box.combined else { throw KeyVaultError.cannotOpen("secrets") }
        return [Self.version] + combined
    }

    /// - Throws: ``KeyVaultError/cannotOpen(_:)`` when they were wrapped with another master key.
    package init(_ wrapped: [UInt8], masterKey: [UInt8]) throws {
        let key = try Self.wrappingKey(masterKey)
        guard wrapped.first == Self.version, let box = try? AES.GCM.SealedBox(combined: wrapped.dropFirst()),
            let keys = try? AES.GCM.open(box, using: key, authenticating: Self.purpose),
            [Self.length, 2 * Self.length].contains(keys.count)
        else { throw KeyVaultError.cannotOpen("secrets") }
        current = Array(keys.prefix(Self.length))
        earlier = keys.count > Self.length ? Array(keys.dropFirst(Self.length)) : nil
    }

    package init(current: [UInt8], earlier: [UInt8]?) {
        self.current = current
        self.earlier = earlier
    }

    private static let version: UInt8 = 1
    private static let purpose = Data("gatehouse data keys".utf8)

    private static func wrappingKey(_ masterKey: [UInt8]) throws -> SymmetricKey {
        derive(from: try checked(masterKey), for: "gatehouse envelope 1")
    }

    private static func checked(_ masterKey: [UInt8]) throws -> [UInt8] {
        guard masterKey.count == length else { throw KeyVaultError.wrongKeyLength(masterKey.count) }
        return masterKey
    }

    private static func derive(from masterKey: [UInt8], for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: masterKey), info: Data(purpose.utf8), outputByteCount: length)
    }
}
