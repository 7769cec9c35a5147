#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The owner of the folder in which a file is made.
package enum FolderOwner {
    /// Gives a file that root has just made in somebody else's folder to that folder's owner: a service must be able to open what root has
    /// made for it.
    ///
    /// - Parameters:
    ///   - descriptor: the open file.
    ///   - path: its name.
    package static func take(_ descriptor: Int32, at path: String) {
        guard let owner = other(at: path) else { return }
        _ = fchown(descriptor, owner.user, owner.group)
    }

    /// The folder's owner, if root makes the file and the folder is somebody else's.
    package static func other(at path: String) -> (user: UInt32, group: UInt32)? {
        var status = stat()
        guard geteuid() == 0, stat(folder(of: path), &status) == 0, status.st_uid != 0 else { return nil }
        return (status.st_uid, status.st_gid)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }
}
