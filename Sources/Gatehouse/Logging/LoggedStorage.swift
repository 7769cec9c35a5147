import Foundation

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
