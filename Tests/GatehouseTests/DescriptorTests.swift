#if os(Linux)
import Foundation
import Testing

@testable import Gatehouse

/// A program that a game starts may outlive it, as the player's browser does, so it must not inherit the game's descriptors.
@Suite struct DescriptorTests {
    @Test("The browser that is started has nothing open of what the game has, but its three streams")
    func browser() {
        // A socket without close-on-exec, as a library of the game may have one.
        let unmarked = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(unmarked) }
        #expect(unmarked > STDERR_FILENO)
        #expect(SystemBrowser.run(["sh", "-c", "[ -e /proc/$$/fd/2 ]"]) == 0)
        #expect(SystemBrowser.run(["sh", "-c", "[ ! -e /proc/$$/fd/\(unmarked) ]"]) == 0)
    }

    @Test("The port that a browser comes back to is closed in programs that the game starts")
    func loopback() throws {
        let listener = try LoopbackListener()
        defer { listener.close() }
        let port = try #require(URL(string: listener.redirectURI)?.port)
        let listening = try #require((0..<1_024).first { Self.port(of: $0) == port })
        #expect(fcntl(listening, F_GETFD) & FD_CLOEXEC == FD_CLOEXEC)
        // Nor does taking a connection wait, which no cancelled login would end.
        #expect(fcntl(listening, F_GETFL) & O_NONBLOCK == O_NONBLOCK)
    }

    /// The port that a descriptor is bound to.
    private static func port(of descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isSocket = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        }
        return isSocket && address.sin_family == sa_family_t(AF_INET) ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }
}
#endif
