import ArgumentParser
import GatehousePlatform

extension OpenFile {
    /// Opens a file that a command reads.
    ///
    /// - Parameter path: `-` is standard input.
    static func reading(_ path: String) throws -> OpenFile {
        if path == "-" { return .standardInput }
        guard let opened = OpenFile(reading: path) else {
            throw SettingError("The file \(path) can't be read.")
        }
        return opened
    }

    /// The text of a file with a secret, without the white space around it.
    ///
    /// - Parameter path: `-` is standard input.
    static func text(of path: String) throws -> String {
        guard let bytes = try? reading(path).readToEnd(), let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("The file \(path) can't be read.")
        }
        return text.trimmingWhitespace()
    }

    /// Creates an empty file, if root does it in somebody else's folder, for that folder's owner. A service whose database root has made
    /// must be able to open it, and SQLite gives its other files the owner of the first one.
    static func createForOwnerOfFolder(_ path: String) {
        guard FolderOwner.other(at: path) != nil else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let file = OpenFile(descriptor: descriptor)
        withExtendedLifetime(file) { FolderOwner.take(descriptor, at: path) }
    }
}

/// A folder that is accessible only to its owner.
enum PrivateFolder {
    /// Creates the folder and those above it. One that is there stays as it is.
    static func create(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// The same for a folder that a person has named.
    ///
    /// - Throws: ``SettingError`` if it can't be made.
    static func createNamed(_ path: String) throws {
        do {
            try create(path)
        } catch {
            throw SettingError("The folder \(path) can't be made.")
        }
    }

    /// Takes the access to a folder that is there from others.
    ///
    /// - Throws: ``SettingError`` if it belongs to somebody else.
    static func close(_ path: String) throws {
        guard chmod(path, 0o700) == 0 else { throw SettingError("The folder \(path) is not yours.") }
    }
}
