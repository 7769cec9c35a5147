import ArgumentParser
import GatehousePlatform

/// A folder that only this user can read, and that ends with what uses it.
struct TemporaryFolder {
    let path: String

    /// - Parameter name: what the folder is for, as a part of its name.
    init(_ name: String) throws {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/gatehouse-\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ValidationError("No temporary folder can be made.") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
