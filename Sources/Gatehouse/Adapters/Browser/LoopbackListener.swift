import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A port of this device that a browser comes back to once (RFC 8252 section 7.3).
final class LoopbackListener: @unchecked Sendable {  // The descriptors are made once; the lock guards their closing.
    /// The maximum size of a request. A browser's request has a few hundred bytes.
    private static let maximumBytes = 16_384
    /// How long one connection may take. Other programs can connect, too, and the browser waits behind them.
    private static let patienceMilliseconds: Int64 = 2_000
    /// How long to wait where no connection can be taken, as when the game has as many descriptors open as it may. The connection that
    /// waits would wake each look at once.
    private static let pauseMilliseconds: Int64 = 100

    let redirectURI: String
    private let path: String
    private let milliseconds: @Sendable () -> Int64
    private let take: @Sendable (Int32) -> Int32
    private let listening: Int32
    /// A pipe that ends the wait: writing a byte wakes the listener.
    private let wake: (read: Int32, write: Int32)
    private let lock = NSLock()
    private var isClosed = false

    /// - Parameter milliseconds: the clock that ends the wait.
    /// - Parameter take: takes the next connection.
    init(
        milliseconds: @escaping @Sendable () -> Int64 = LiveTime.clock.stopwatch(),
        take: @escaping @Sendable (Int32) -> Int32 = LoopbackSocket.take
    ) throws {
        self.milliseconds = milliseconds
        self.take = take
        let listening = socket(AF_INET, LoopbackSocket.stream, 0)
        guard listening >= 0 else { throw Self.failure("no socket") }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            defer { _ = LoopbackSocket.close(listening) }
            throw Self.failure("no pipe")
        }
        for descriptor in [listening] + ends { LoopbackSocket.keepFromChildren(descriptor) }
        // A browser that goes away between the look and the taking would otherwise keep a cancelled login waiting.
        LoopbackSocket.neverWait(listening)
        var address = LoopbackSocket.address
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listening, $0, size) == 0 }
        }
        var bound = sockaddr_in()
        var boundSize = size
        let isNamed = withUnsafeMutablePointer(to: &bound) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listening, $0, &boundSize) == 0 }
        }
        // Other pages on this device can find the port, but not the path.
        path = "/" + RandomPath.make()
        wake = (ends[0], ends[1])
        self.listening = listening
        redirectURI = "http://127.0.0.1:\(UInt16(bigEndian: bound.sin_port))\(path)"
        guard isBound, isNamed, listen(listening, 8) == 0 else {
            close()
            throw Self.failure("no port of this device is free")
        }
    }

    deinit { close() }

    func close() {
        lock.withLock {
            guard !isClosed else { return }
            isClosed = true
            for descriptor in [listening, wake.read, wake.write] { _ = LoopbackSocket.close(descriptor) }
        }
    }

    private func stop() {
        lock.withLock {
            guard !isClosed else { return }
            var byte: UInt8 = 0
            _ = write(wake.write, &byte, 1)
        }
    }

    /// Waits on a separate thread for a browser that brings a login back.
    ///
    /// - Parameter page: where the browser is redirected; its `outcome` says how the login ended.
    /// - Throws: ``AdapterError/cancelled`` when none comes in time, and when the task is cancelled.
    func wait(seconds: Double, endingAt page: URL) async throws -> BrowserAttempt.Return {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let thread = Thread {
                    continuation.resume(with: Result { try self.serve(seconds: seconds, endingAt: page) })
                }
                thread.name = "gatehouse-loopback"
                thread.start()
            }
        } onCancel: {
            stop()
        }
    }

    private func serve(seconds: Double, endingAt page: URL) throws -> BrowserAttempt.Return {
        let end = milliseconds() &+ Int64(max(0, min(seconds, 86_400)) * 1_000)
        while true {
            guard try waitUntilReady(listening, for: POLLIN, until: end) else { throw AdapterError.cancelled }
            let connection = take(listening)
            guard connection >= 0 else {
                if !LoopbackSocket.isPassing(errno) { try pause(until: end) }
                continue
            }
            defer { _ = LoopbackSocket.close(connection) }
            LoopbackSocket.prepare(connection)
            let deadline = min(end, milliseconds() &+ Self.patienceMilliseconds)
            if let result = try answer(connection, until: deadline, endingAt: page) { return result }
        }
    }

    /// - Throws: ``AdapterError/cancelled`` when the whole wait is to end.
    private func pause(until end: Int64) throws {
        let pause = min(end, milliseconds() &+ Self.pauseMilliseconds)
        // A descriptor below zero is none.
        _ = try waitUntilReady(-1, for: POLLIN, until: pause)
    }

    /// Waits until a descriptor can be read or written.
    ///
    /// - Parameter end: by ``milliseconds``.
    /// - Returns: false when that time has come first.
    /// - Throws: ``AdapterError/cancelled`` when the whole wait is to end.
    private func waitUntilReady(_ descriptor: Int32, for event: Int32, until end: Int64) throws -> Bool {
        while true {
            let left = end &- milliseconds()
            guard left > 0 else { return false }
            var descriptors = [
                pollfd(fd: descriptor, events: Int16(event), revents: 0),
                pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&descriptors, 2, Int32(clamping: left))
            guard descriptors[1].revents == 0 else { throw AdapterError.cancelled }
            if count > 0 { return true }
            guard count == 0 || errno == EINTR else { return false }
        }
    }

    /// Nil for a request that brings no login back, such as one for an icon, or another program's.
    private func answer(
        _ connection: Int32, until deadline: Int64, endingAt page: URL
    ) throws -> BrowserAttempt.Return? {
        guard let target = try target(of: connection, until: deadline), let url = URLComponents(string: target),
            url.path == path
        else {
            try send("404 Not Found", nil, to: connection, until: deadline)
            return nil
        }
        let items = (url.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        guard let result = BrowserAttempt.Return(Dictionary(items) { first, _ in first }) else {
            try send("400 Bad Request", nil, to: connection, until: deadline)
            return nil
        }
        var ending = URLComponents(url: page, resolvingAgainstBaseURL: false)
        ending?.queryItems = [URLQueryItem(name: "outcome", value: result.outcome)]
        try send("303 See Other", ending?.string, to: connection, until: deadline)
        return result
    }

    private func send(
        _ status: String, _ location: String?, to connection: Int32, until deadline: Int64
    ) throws {
        let more = location.map { "Location: \($0)\r\nReferrer-Policy: no-referrer\r\n" } ?? ""
        let text =
            "HTTP/1.1 \(status)\r\n\(more)Content-Length: 0\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count, try waitUntilReady(connection, for: POLLOUT, until: deadline) {
            let count = bytes.withUnsafeBytes { LoopbackSocket.send(connection, $0[sent...]) }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// The target of a GET, read once its whole head has arrived.
    private func target(of connection: Int32, until deadline: Int64) throws -> String? {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while head.count < Self.maximumBytes, try waitUntilReady(connection, for: POLLIN, until: deadline) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            head += buffer.prefix(count)
            guard head.suffix(count + 3).elementsEndHead else { continue }
            let line = head.prefix { $0 != 0x0d && $0 != 0x0a }
            let parts = String(decoding: line, as: UTF8.self).split(separator: " ")
            return parts.count == 3 && parts[0] == "GET" ? String(parts[1]) : nil
        }
        return nil
    }

    private static func failure(_ message: String) -> AdapterError { .failed(code: Int(errno), message: message) }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes contain an empty line.
    fileprivate var elementsEndHead: Bool {
        let end: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a]
        guard count >= end.count else { return false }
        return indices.dropLast(3).contains { self[$0..<$0 + 4].elementsEqual(end) }
    }
}
