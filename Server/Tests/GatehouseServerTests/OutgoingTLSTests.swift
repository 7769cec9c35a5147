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
            // A sockaddr_in by its bytes, family, port and 127.0.0.1: which module its members are of depends on what other
            // files of this target import.
            var address: [UInt8] = [0, 0, 0, 0, 127, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
            #if canImport(Darwin)
            address[1] = UInt8(AF_INET)
            #else
            address[0] = UInt8(AF_INET)
            #endif
            var length = socklen_t(address.count)
            let descriptor = descriptor
            let isBound = address.withUnsafeMutableBytes { bytes in
                guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
                return bind(descriptor, pointer, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
            guard isBound else { throw Failed() }
            port = Int(address[2]) << 8 | Int(address[3])
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
