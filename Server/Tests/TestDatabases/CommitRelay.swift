import Foundation
public import GatehouseStorage
import Synchronization

/// The network between a server and PostgreSQL, in which one commit succeeds and its confirmation gets lost.
public final class CommitRelay: Sendable {
    public enum Loss: Sendable, CaseIterable {
        /// An error comes instead of it, as Citus does when a node has not confirmed in time. The connection goes on.
        case unconfirmed
        /// The connection breaks before it arrives.
        case cut
    }

    /// A descriptor is closed when nobody holds it any more: the kernel gives a closed number to the next socket of the process.
    private final class Socket: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { _ = Glibc.close(descriptor) }

        func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

        /// What has arrived; nil at the end.
        func receive() -> Data? {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            return count > 0 ? Data(buffer[..<count]) : nil
        }

        /// Whether all of it was sent.
        func send(_ bytes: Data) -> Bool {
            var rest = [UInt8](bytes)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private final class Link: Sendable {
        let client: Socket
        let server: Socket
        /// What happens to its next commit.
        let loss = Mutex<Loss?>(nil)

        init(client: Socket, server: Socket) {
            self.client = client
            self.server = server
        }

        func shutDown() {
            client.shutDown()
            server.shutDown()
        }
    }

    private struct State {
        var wanted: (text: String, loss: Loss)?
        var links: [Link] = []
    }

    /// The longest text of a statement that can be waited for.
    private static let maximumText = 64
    /// PostgreSQL's message `CommandComplete` for a COMMIT.
    private static let confirmation = Data([0x43, 0, 0, 0, 11] + Array("COMMIT\0".utf8))
    /// An `ErrorResponse` with Citus' words.
    private static let failure: Data = {
        let message = "could not commit transaction for shard 102008 on at least one active node"
        let fields = Array("SERROR\0VERROR\0CXX000\0M\(message)\0\0".utf8)
        let length = UInt32(fields.count + 4)
        return Data([0x45] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + fields)
    }()

    private let listener: LoopbackListener
    private let target: Int
    private let state = Mutex(State())

    fileprivate init(to target: Int) throws {
        self.target = target
        listener = try LoopbackListener()
        Thread { self.accept() }.start()
    }

    fileprivate var port: Int { listener.port }

    fileprivate func close() {
        listener.stop()
        for link in state.withLock(\.links) { link.shutDown() }
    }

    /// The next connection that prepares a statement with this text gets no confirmation of its next commit.
    public func loseCommit(of text: String, by loss: Loss) {
        precondition(text.utf8.count <= Self.maximumText)
        state.withLock { $0.wanted = (text, loss) }
    }

    private func accept() {
        while let accepted = listener.accept() {
            let link = Link(
                client: Socket(accepted),
                server: Socket(socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(UInt16(target).bigEndian)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(link.server.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else { continue }
            state.withLock { $0.links.append(link) }
            Thread { self.passRequests(of: link) }.start()
            Thread { Self.passAnswers(to: link) }.start()
        }
    }

    private func passRequests(of link: Link) {
        var recent = Data()
        while let bytes = link.client.receive() {
            recent += bytes
            // Before the bytes go on, so that the answer finds it.
            state.withLock { state in
                guard let wanted = state.wanted, recent.range(of: Data(wanted.text.utf8)) != nil else { return }
                link.loss.withLock { $0 = wanted.loss }
                state.wanted = nil
            }
            recent = Data(recent.suffix(Self.maximumText))
            guard link.server.send(bytes) else { break }
        }
        link.shutDown()
    }

    private static func passAnswers(to link: Link) {
        var held = Data()
        while let bytes = link.server.receive() {
            held += bytes
            if let place = held.range(of: confirmation), let loss = link.loss.withLock({ $0 }) {
                guard loss == .unconfirmed else { break }
                held.replaceSubrange(place, with: failure)
                link.loss.withLock { $0 = nil }
            }
            // What may be the beginning of a confirmation waits for the rest.
            let kept = (1..<confirmation.count).last { held.suffix($0) == confirmation.prefix($0) } ?? 0
            guard link.client.send(held.dropLast(kept)) else { break }
            held = Data(held.suffix(kept))
        }
        link.shutDown()
    }
}

/// Runs a test with another way to a database of PostgreSQL, through a network that can lose a commit's confirmation.
public func withCommitRelay<Value>(
    to location: DatabaseLocation, _ test: (CommitRelay, DatabaseLocation) async throws -> Value
) async throws -> Value {
    // A location's description has no user.
    guard let there = URLComponents(string: "\(location)"), let port = there.port,
        ["127.0.0.1", "localhost"].contains(there.host), var here = Engine.server.flatMap({ URLComponents(string: $0) })
    else { throw TestDatabaseError(description: "\(location) is not on this machine") }
    let relay = try CommitRelay(to: port)
    defer { relay.close() }
    here.host = "127.0.0.1"
    here.port = relay.port
    here.path = there.path
    // The relay has to read what goes through it.
    here.queryItems = [
        URLQueryItem(name: "sslmode", value: "disable"), URLQueryItem(name: "gssencmode", value: "disable"),
    ]
    guard let url = here.string else { throw TestDatabaseError(description: "\(here) is no URL") }
    return try await test(relay, DatabaseLocation(url))
}
