import Foundation
import Synchronization

/// A network between a device and a server, which can pass bytes on, lose a response, or be cut.
///
/// A socket's descriptor is closed when nobody holds the socket any more. The kernel gives a closed number to the next socket of
/// the process, so that a late shutdown would break a connection of another test.
final class Relay: Sendable {
    private final class Socket: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        convenience init() { self.init(socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)) }

        deinit { _ = Foundation.close(descriptor) }

        func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private struct Link {
        let client: Socket
        let server: Socket

        func shutDown() {
            client.shutDown()
            server.shutDown()
        }
    }

    private struct State {
        var isOpen = true
        var links: [Int: Link] = [:]
        var accepted = 0
        /// The path of the request whose answer gets lost, and the connection on which it has come.
        var lostPath: String?
        var losing: Int?
    }

    private let state = Mutex(State())
    private let listener = Socket()
    let port: Int
    private let target: Int

    struct Failed: Error {}

    init(to target: Int) throws {
        self.target = target
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener.descriptor
        let isListening = Self.with(&address) { address in
            bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
                && getsockname(descriptor, address, &length) == 0
        }
        guard isListening else { throw Failed() }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { self.accept() }.start()
    }

    /// Cuts every connection, and refuses new ones until ``open()``.
    func cut() {
        let links = state.withLock { state in
            state.isOpen = false
            return state.links.values
        }
        for link in links { link.shutDown() }
    }

    func open() { state.withLock { $0.isOpen = true } }

    /// The server receives the next request to a path and does its work, but the connection breaks before the response arrives. What the
    /// game asks for beside it passes.
    ///
    /// The request uses a new connection, because on Linux URLSession repeats a request whose old connection broke, without the body.
    func loseNextAnswer(to path: String) {
        cut()
        state.withLock { state in
            state.isOpen = true
            state.lostPath = path
        }
    }

    /// Notes whether bytes of a client begin the request whose answer gets lost.
    private func look(at bytes: ArraySlice<UInt8>, of link: Int) {
        state.withLock { state in
            guard let path = state.lostPath,
                String(decoding: bytes.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self).contains("\(path) ")
            else { return }
            state.lostPath = nil
            state.losing = link
        }
    }

    private func isLost(on link: Int) -> Bool {
        state.withLock { state in
            guard state.losing == link else { return false }
            state.losing = nil
            return true
        }
    }

    func close() {
        cut()
        listener.shutDown()
    }

    private func accept() {
        while true {
            let accepted = Foundation.accept(listener.descriptor, nil, nil)
            guard accepted >= 0 else { return }
            let link = Link(client: Socket(accepted), server: Socket())
            let number: Int? = state.withLock { state in
                guard state.isOpen else { return nil }
                state.accepted += 1
                state.links[state.accepted] = link
                return state.accepted
            }
            guard let number else { continue }
            var address = Self.loopback(target)
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard Self.with(&address, { connect(link.server.descriptor, $0, length) == 0 }) else {
                forget(number)
                continue
            }
            Thread {
                Self.pump(from: link.client, to: link.server) { bytes in
                    self.look(at: bytes, of: number)
                    return true
                }
            }.start()
            Thread {
                Self.pump(from: link.server, to: link.client) { _ in !self.isLost(on: number) }
                self.forget(number)
            }.start()
        }
    }

    private func forget(_ number: Int) { state.withLock { _ = $0.links.removeValue(forKey: number) } }

    /// - Parameter passes: whether bytes are passed on.
    private static func pump(from source: Socket, to target: Socket, passes: (ArraySlice<UInt8>) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(source.descriptor, &buffer, buffer.count, 0)
            guard count > 0, passes(buffer[..<count]),
                send(target.descriptor, buffer, count, Int32(MSG_NOSIGNAL)) == count
            else { break }
        }
        source.shutDown()
        target.shutDown()
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
