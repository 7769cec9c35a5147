import Foundation
import Synchronization

/// A network between a device and a server, which can pass bytes on, lose a response, or be cut.
final class Relay: Sendable {
    private struct State {
        var isOpen = true
        var sockets: Set<Int32> = []
        var losesAnswer = false
    }

    private let state = Mutex(State())
    private let listener: Int32
    let port: Int
    private let target: Int

    struct Failed: Error {}

    init(to target: Int) throws {
        self.target = target
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = Self.with(&address) { address in
            bind(listener, address, length) == 0 && listen(listener, 64) == 0
                && getsockname(listener, address, &length) == 0
        }
        guard isListening else { throw Failed() }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { self.accept() }.start()
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Cuts every connection, and refuses new ones until ``open()``.
    func cut() {
        let sockets = state.withLock { state in
            state.isOpen = false
            return state.sockets
        }
        for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    func open() { state.withLock { $0.isOpen = true } }

    /// The server receives the next request and does its work, but the connection breaks before the response arrives.
    ///
    /// The request uses a new connection, because on Linux URLSession repeats a request whose old connection broke, without the body.
    func loseNextAnswer() {
        cut()
        state.withLock { state in
            state.isOpen = true
            state.losesAnswer = true
        }
    }

    private func isLost() -> Bool {
        state.withLock { state in
            defer { state.losesAnswer = false }
            return state.losesAnswer
        }
    }

    func close() {
        cut()
        shutdown(listener, Int32(SHUT_RDWR))
        _ = Foundation.close(listener)
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = Self.loopback(target)
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isOpen = state.withLock { state in
                if state.isOpen { state.sockets.formUnion([client, server]) }
                return state.isOpen
            }
            guard isOpen, Self.with(&address, { connect(server, $0, length) == 0 }) else {
                end(client, server)
                continue
            }
            Thread { self.pump(from: client, to: server) }.start()
            Thread {
                self.pump(from: server, to: client) { self.isLost() }
                self.end(client, server)
            }.start()
        }
    }

    private func pump(from source: Int32, to target: Int32, isLost: () -> Bool = { false }) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0, !isLost(), send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }

    private func end(_ client: Int32, _ server: Int32) {
        state.withLock { $0.sockets.subtract([client, server]) }
        _ = Foundation.close(client)
        _ = Foundation.close(server)
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr = in_addr(s_addr: inet_addr("127.0.0.1"))
        return address
    }

    private static func with(_ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Bool) -> Bool {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }
}
