import Foundation

/// A connection for data that no HTTP library would send. It blocks a separate thread, never a task's.
final class RawConnection: Sendable {
    private let descriptor: Int32

    struct Failed: Error {
        let call: String
        let error: Int32
    }

    /// - Parameter patienceSeconds: how long it waits for bytes. If the server never closes, the test must fail and not hang; but a
    ///   busy machine must not make it fail.
    init(port: Int, patienceSeconds: Int = 300) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var patience = timeval(tv_sec: patienceSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failed(call: "connect", error: errno) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failed(call: "send", error: errno) }
            sent += count
        }
    }

    /// Ends the sending direction; responses still arrive.
    func endSending() throws {
        guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else { throw Failed(call: "shutdown", error: errno) }
    }

    /// What has arrived, as soon as there is something. Empty when the server has closed. It blocks.
    func receive() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw Failed(call: "recv", error: errno) }
        return Array(buffer[..<count])
    }

    /// Everything until the server closes, or until the text contains `end`.
    func read(until end: String? = nil) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [self] in
                var all: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    // A reset counts as a close.
                    if count == 0 || (count < 0 && errno == ECONNRESET) { break }
                    guard count > 0 else {
                        return continuation.resume(throwing: Failed(call: "recv", error: errno))
                    }
                    all += buffer[..<count]
                    if let end, String(decoding: all, as: UTF8.self).contains(end) { break }
                }
                continuation.resume(returning: String(decoding: all, as: UTF8.self))
            }
        }
    }

    /// Sends, and reads until the server closes.
    static func exchange(_ text: String, port: Int) async throws -> String {
        let connection = try RawConnection(port: port)
        try connection.send(text)
        return try await connection.read()
    }
}
