#if canImport(Glibc)
import Foundation
import Glibc
import GatehouseTesting
import Testing

@testable import Gatehouse

/// Other programs of the device connect to the port that a browser comes back to.
@Suite(.timeLimit(.minutes(1))) struct LoopbackListenerTests {
    private let page = URL(fileURLWithPath: "/page")

    /// Connects to a listener.
    private func connect(to listener: LoopbackListener) throws -> Int32 {
        var address = LoopbackSocket.address
        address.sin_port = UInt16(try #require(URL(string: listener.redirectURI)?.port)).bigEndian
        let connection = socket(AF_INET, LoopbackSocket.stream, 0)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(connection, $0, size) == 0 }
        }
        try #require(isConnected)
        return connection
    }

    @Test("A connection that drips bytes does not outlast the wait for the browser")
    func drip() async throws {
        let state = Locked<(looks: Int64, connection: Int32)>((0, -1))
        // Each look at the clock is a tenth of a second after the last one, and the next byte has come by then.
        let listener = try LoopbackListener {
            state.withLock { state in
                state.looks += 1
                var byte = UInt8(ascii: "G")
                if state.connection >= 0 { _ = send(state.connection, &byte, 1, Int32(MSG_NOSIGNAL)) }
                return state.looks * 100
            }
        }
        defer { listener.close() }
        let connection = try connect(to: listener)
        defer { close(connection) }
        state.withLock { $0.connection = connection }
        await #expect(throws: AdapterError.cancelled) { try await listener.wait(seconds: 1.5, endingAt: page) }
        #expect(state.withLock { $0.looks } < 30)
    }

    @Test("A login that is cancelled does not wait for a silent connection")
    func silence() async throws {
        let (looks, continuation) = AsyncStream.makeStream(of: Void.self)
        let listener = try LoopbackListener {
            continuation.yield()
            return 0
        }
        defer { listener.close() }
        let connection = try connect(to: listener)
        defer { close(connection) }
        let wait = Task { try await listener.wait(seconds: 10, endingAt: page) }
        // The fourth look is for how long to wait for the connection's first byte.
        var count = 0
        for await _ in looks {
            count += 1
            if count == 4 { break }
        }
        wait.cancel()
        await #expect(throws: AdapterError.cancelled) { try await wait.value }
    }

    @Test("Where no connection can be taken, the next try is a moment later, and a login can still be cancelled")
    func noDescriptor() async throws {
        let tries = Locked(0)
        let stopwatch = LiveTime.clock.stopwatch()
        // The time begins with the first try, however long its thread has taken to come up.
        let began = Locked<Int64?>(nil)
        let listener = try LoopbackListener {
            began.withLock { $0.map { stopwatch() - $0 } ?? 0 }
        } take: { _ in
            began.withLock { $0 = $0 ?? stopwatch() }
            tries.withLock { $0 += 1 }
            errno = EMFILE
            return -1
        }
        defer { listener.close() }
        let connection = try connect(to: listener)
        defer { close(connection) }
        await #expect(throws: AdapterError.cancelled) { try await listener.wait(seconds: 0.35, endingAt: page) }
        #expect((1...4).contains(tries.withLock { $0 }))
    }

    @Test("A connection that is gone when it is taken is passed over, and the next one is taken at once")
    func goneConnection() async throws {
        let failures = Locked([ECONNABORTED, EINTR, EAGAIN])
        let looks = Locked<Int64>(0)
        let listener = try LoopbackListener {
            looks.withLock {
                $0 += 1
                return $0
            }
        } take: { listening in
            let failure = failures.withLock { $0.popLast() }
            guard let failure else { return LoopbackSocket.take(listening) }
            errno = failure
            return -1
        }
        defer { listener.close() }
        let connection = try connect(to: listener)
        defer { close(connection) }
        let path = try #require(URL(string: listener.redirectURI)?.path)
        let request = Array("GET \(path)?code=canary HTTP/1.1\r\n\r\n".utf8)
        #expect(send(connection, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
        _ = try await listener.wait(seconds: 10, endingAt: page)
        #expect(failures.withLock { $0.isEmpty })
        // One look begins the wait, one is for each try, and the answer takes a few.
        #expect(looks.withLock { $0 } < 12)
    }
}
#endif
