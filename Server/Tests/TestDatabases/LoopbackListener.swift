import Foundation

/// A listening socket on a free loopback port, which represents another machine in a test.
public final class LoopbackListener: Sendable {
    private let descriptor: Int32
    public let port: Int

    public struct Failed: Error {
        public init() {}
    }

    /// - Parameter patienceSeconds: how long ``accept()`` waits; 0 means for ever.
    public init(patienceSeconds: Int = 0) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: patienceSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw Failed()
        }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    /// The next connection, which the caller closes. It blocks; nil when none comes in time, or after ``stop()``.
    public func accept() -> Int32? {
        let connection = Glibc.accept(descriptor, nil, nil)
        return connection >= 0 ? connection : nil
    }

    /// Ends a waiting ``accept()``.
    public func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// A port on which nobody listens. Another process may take it before it is used.
    public static func freePort() throws -> Int { try LoopbackListener().port }
}
