public import Foundation

/// Where a device keeps its key and its session. Implementations are called from any thread.
public protocol SecureStorage: Sendable {
    /// The bytes of an item. `nil` means that the item certainly does not exist. If it can't be read right now an error is thrown,
    /// because a player whose storage is locked must not be treated as a new one.
    func read(_ item: String) throws -> Data?
    /// Replaces an item in one step: after a failure or a crash it is either the old or the new one.
    func write(_ data: Data, to item: String) throws
    /// Writes an item that does not exist. An existing item stays as it is, also when another process writes it at the same time.
    ///
    /// - Returns: whether this call has written it.
    func add(_ data: Data, as item: String) throws -> Bool
    /// Removes an item. It is not an error if the item does not exist.
    func remove(_ item: String) throws
}

/// Why an item can't be read or written.
public enum SecureStorageError: Error, Sendable, Hashable {
    /// The storage exists but can't be used now: the device is locked, another process holds the lock, or permissions are missing.
    case unavailable(String)
    /// The stored bytes can't be decoded. They are kept as they are.
    case corrupt(String)
}

/// Stores items in a file that only its owner can read, for systems without a Keychain. A write replaces the whole file: the new file
/// is on the disk before it takes the old one's name. Processes that share it take turns, by a lock on a second file beside it.
public final class FileStorage: SecureStorage {
    private let path: String
    private let isBusy = Locked(())

    /// Stores items in the file at a path. The folder is made if it does not exist.
    public init(path: String) {
        self.path = path
    }

    /// `$XDG_DATA_HOME/gatehouse/APP.json`, or the same in `~/.local/share`.
    public static func standard(for appID: String) -> FileStorage {
        let environment = ProcessInfo.processInfo.environment
        let base = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let folder = base ?? NSHomeDirectory() + "/.local/share"
        // An app id has no slash, but a configuration may contain anything.
        let name = appID.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : "_" }
        return FileStorage(path: "\(folder)/gatehouse/\(String(name)).json")
    }

    /// The bytes of an item, or nil if it does not exist.
    public func read(_ item: String) throws -> Data? {
        try exclusively { try load()[item] }
    }

    /// Replaces an item in one step.
    public func write(_ data: Data, to item: String) throws {
        try exclusively {
            var items = try load()
            items[item] = data
            try save(items)
        }
    }

    /// Writes an item that does not exist.
    ///
    /// - Returns: false if it exists. Then it stays as it is.
    public func add(_ data: Data, as item: String) throws -> Bool {
        try exclusively {
            var items = try load()
            guard items[item] == nil else { return false }
            items[item] = data
            try save(items)
            return true
        }
    }

    /// Removes an item, if it exists.
    public func remove(_ item: String) throws {
        try exclusively {
            var items = try load()
            guard items.removeValue(forKey: item) != nil else { return }
            try save(items)
        }
    }

    private func load() throws -> [String: Data] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [:] }
            throw SecureStorageError.unavailable("open: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        // If others could read the file, its permissions are restricted before it is used.
        guard fchmod(descriptor, 0o600) == 0 else { throw SecureStorageError.unavailable("chmod") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        guard let data = try? handle.readToEnd() ?? Data() else { throw SecureStorageError.unavailable("read") }
        guard let items = try? JSONDecoder().decode([String: Data].self, from: data) else {
            throw SecureStorageError.corrupt(path)
        }
        return items
    }

    private func save(_ items: [String: Data]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let data = try encoder.encode(items)
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SecureStorageError.unavailable("create: \(String(cString: strerror(errno)))")
        }
        var isWritten = fchmod(descriptor, 0o600) == 0
        isWritten = isWritten && data.withUnsafeBytes { Self.writeAll($0, to: descriptor) }
        isWritten = isWritten && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            unlink(temporary)
            throw SecureStorageError.unavailable("write: \(String(cString: strerror(errno)))")
        }
        let place = open(folder, O_RDONLY | O_CLOEXEC)
        guard place >= 0 else { return }
        _ = fsync(place)
        close(place)
    }

    /// The folder of the file. NSString's own method ends the process for a path of one letter on Linux.
    private var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func exclusively<Value>(_ body: () throws -> Value) throws -> Value {
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return try isBusy.withLock { _ in
            Result {
                let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
                guard lock >= 0 else {
                    throw SecureStorageError.unavailable("lock: \(String(cString: strerror(errno)))")
                }
                defer { close(lock) }
                guard flock(lock, LOCK_EX) == 0 else { throw SecureStorageError.unavailable("lock") }
                return try body()
            }
        }.get()
    }
}

/// Reports every failure of a storage to the log.
struct LoggedStorage: SecureStorage {
    let storage: any SecureStorage
    let log: Log

    func read(_ item: String) throws -> Data? {
        try reporting("read", item) { try storage.read(item) }
    }

    func write(_ data: Data, to item: String) throws {
        try reporting("write", item) { try storage.write(data, to: item) }
    }

    func add(_ data: Data, as item: String) throws -> Bool {
        try reporting("write", item) { try storage.add(data, as: item) }
    }

    func remove(_ item: String) throws {
        try reporting("remove", item) { try storage.remove(item) }
    }

    private func reporting<Value>(_ operation: String, _ item: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            log(.error, .storageFailed, ["operation": operation, "item": item, "error": Self.kind(of: error)])
            throw error
        }
    }

    /// The text of an error may contain a path with the player's name, so only its kind is logged.
    private static func kind(of error: any Error) -> String {
        switch error {
        case SecureStorageError.unavailable: "unavailable"
        case SecureStorageError.corrupt: "corrupt"
        default: "\(type(of: error))"
        }
    }
}
