import Foundation
import TestDatabases
import Testing

@testable import GatehouseServer

@Suite struct OutgoingTLSTests {
    @Test("NET-3: the server's own requests offer TLS 1.2 and newer, and nothing older", .timeLimit(.minutes(5)))
    func versions() async throws {
        let listener = try Listener()
        async let hello = listener.firstBytes()
        let fetch = Task {
            try await ServerEnvironment.live(reachesLocal: true).fetch(
                OutgoingRequest(method: "GET", url: "https://127.0.0.1:\(listener.port)/"))
        }
        // RFC 8446 section 4.2.1: the extension 43 has a length, a list's length, and two bytes for each version.
        let bytes = try await hello
        fetch.cancel()
        let place = try #require(
            bytes.indices.first { index in
                bytes.count > index + 5 && bytes[index] == 0 && bytes[index + 1] == 43 && bytes[index + 2] == 0
                    && bytes[index + 3] == bytes[index + 4] + 1
            })
        let list = bytes[(place + 5)...].prefix(Int(bytes[place + 4]))
        // Of those that are not made up to keep servers tolerant (RFC 8701).
        let versions = stride(from: list.startIndex, to: list.endIndex, by: 2).map { Array(list[$0...($0 + 1)]) }
            .filter { $0[0] == 3 }
        #expect(versions.sorted { $0[1] > $1[1] } == [[3, 4], [3, 3]])
    }

    /// Takes one connection and reads what it begins with.
    private final class Listener: Sendable {
        private let descriptor: Int32
        let port: Int

        struct Failed: Error {}

        init() throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var patience = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && listen(descriptor, 1) == 0
                        && getsockname(descriptor, $0, &length) == 0
                }
            }
            guard isBound else { throw Failed() }
            port = Int(UInt16(bigEndian: address.sin_port))
        }

        deinit { close(descriptor) }

        func firstBytes() async throws -> [UInt8] {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { [self] in
                    let connection = accept(descriptor, nil, nil)
                    guard connection >= 0 else { return continuation.resume(throwing: Failed()) }
                    defer { close(connection) }
                    var buffer = [UInt8](repeating: 0, count: 4_096)
                    let count = recv(connection, &buffer, buffer.count, 0)
                    continuation.resume(returning: Array(buffer.prefix(max(count, 0))))
                }
            }
        }
    }
}
