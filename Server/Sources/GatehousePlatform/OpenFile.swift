#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An open file of the operating system, which is closed with its last user.
package final class OpenFile: Sendable {
    /// Why a file could not be read or written, in the operating system's words.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        fileprivate init() { description = String(cString: strerror(errno)) }
    }

    package static let standardInput = OpenFile(descriptor: STDIN_FILENO, isOwned: false)
    package static let standardOutput = OpenFile(descriptor: STDOUT_FILENO, isOwned: false)
    package static let standardError = OpenFile(descriptor: STDERR_FILENO, isOwned: false)

    private let descriptor: Int32
    private let isOwned: Bool

    private init(descriptor: Int32, isOwned: Bool) {
        self.descriptor = descriptor
        self.isOwned = isOwned
    }

    /// Takes over an open descriptor.
    package convenience init(descriptor: Int32) { self.init(descriptor: descriptor, isOwned: true) }

    /// Opens a file to read it; nil if that can't be done.
    package convenience init?(reading path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        self.init(descriptor: descriptor)
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// What is there, at most `limit` bytes; empty at the end.
    package func read(atMost limit: Int) throws(Failure) -> [UInt8] {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, used in
                #if canImport(Darwin)
                count = Darwin.read(descriptor, buffer.baseAddress, limit)
                #else
                count = Glibc.read(descriptor, buffer.baseAddress, limit)
                #endif
                used = max(0, count)
            }
            if count >= 0 { return bytes }
            guard errno == EINTR else { throw Failure() }
        }
    }

    /// What is there from a place on, at most `limit` bytes; empty at the end. What ``read(atMost:)`` gives next stays the same.
    package func read(atMost limit: Int, from offset: Int64) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            var count = 0
            bytes += [UInt8](unsafeUninitializedCapacity: limit - bytes.count) { buffer, used in
                count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset) + off_t(bytes.count))
                used = max(0, count)
            }
            if count == 0 { break }
            guard count > 0 || errno == EINTR else { throw Failure() }
        }
        return bytes
    }

    /// Whether it is a file on a disk, whose places can be read in any order.
    package var hasPlaces: Bool { lseek(descriptor, 0, SEEK_CUR) >= 0 }

    /// Everything up to the end.
    package func readToEnd() throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try read(atMost: 65_536)
            if more.isEmpty { return bytes }
            bytes += more
        }
    }

    package func write(_ bytes: some Collection<UInt8>) throws(Failure) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                Darwin.write(descriptor, buffer.baseAddress, buffer.count)
                #else
                Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                #endif
            }
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw Failure() }
        }
    }
}

/// A small file that a setting names, such as a configuration file, a certificate or a key.
package enum NamedFile {
    /// The most bytes that such a file may have, so that a wrong name such as `/dev/zero` ends with an error.
    private static let limit = 1_048_576
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Which file can't be read, and why, in the operating system's words.
    package struct Unreadable: Error, CustomStringConvertible {
        package let path: String
        package let reason: String
        package var description: String { "\(path) can't be read: \(reason)" }

        fileprivate init(_ path: String, _ reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// The bytes of the file, without the byte order mark that editors of Windows write at the beginning of UTF-8.
    package static func bytes(of path: String) throws(Unreadable) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Unreadable(path, String(cString: strerror(errno))) }
        let file = OpenFile(descriptor: descriptor)
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let more: [UInt8]
            do {
                more = try file.read(atMost: 65_536)
            } catch {
                throw Unreadable(path, "\(error)")
            }
            guard !more.isEmpty else {
                return bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
            }
            bytes += more
        }
        throw Unreadable(path, "it is larger than a file of this kind")
    }
}

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
