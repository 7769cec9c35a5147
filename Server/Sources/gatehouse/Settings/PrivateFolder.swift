import GatehousePlatform

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
