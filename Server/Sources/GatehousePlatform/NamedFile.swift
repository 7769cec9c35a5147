#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

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
