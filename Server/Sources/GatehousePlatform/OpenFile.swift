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
