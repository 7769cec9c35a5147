import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The state of one request.
struct GatehouseContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The peer of the connection: a client or a proxy.
    let peer: ClientAddress
    private let channel: any Channel
    var transactionID = TransactionID("")
    let notes = RequestNotes()
    /// Whether the client has asked for the head of the answer alone, with `HEAD`. To the doors its request is a `GET`.
    var isHead = false
    /// The access token from the path (``TokenInPath``).
    var pathToken: AccessToken?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = ClientAddress(source.channel.remoteAddress)
    }

    /// Tells a client that waits for it that the server reads the body now.
    var askForBody: @Sendable () -> Void {
        { [channel] in channel.triggerUserOutboundEvent(BodyIsWanted(), promise: nil) }
    }

    /// Runs work that may wait for an identity provider, as long as the client waits: when the client disconnects, the work is
    /// cancelled, so that nobody can fill the server with waiting requests and leave (REL-9). A transaction that has begun is still
    /// completed, because the database ignores cancellation.
    ///
    /// Call it only after the request has been read, because a cancelled task can't read.
    func whileClientWaits<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let departure = ClientDeparture.of(channel) else { return try await work() }
        // A task of its own, which can be cancelled. It does not inherit the preference of the connection's task.
        let task = Task(executorPreference: LoopExecutor.of(channel.eventLoop)) { try await work() }
        departure.follow { task.cancel() }
        defer { departure.follow(nil) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// What is known of a request, for the log and the audit log.
    final class RequestNotes: Sendable {
        private let known = Mutex<(app: AppID?, address: ClientAddress?, code: ErrorCode?)>((nil, nil, nil))

        func note(app: String?, address: ClientAddress) {
            known.withLock { known in
                known.app = app.map { AppID($0) }
                known.address = address
            }
        }

        /// Notes the code of the error with which the request is answered.
        func note(code: ErrorCode) { known.withLock { $0.code = code } }

        var code: ErrorCode? { known.withLock { $0.code } }

        private let door = Mutex<String?>(nil)

        /// Notes the one name that all paths of a door have in metrics.
        func note(route: String) { door.withLock { $0 = route } }

        var route: String? { door.withLock { $0 } }

        private let call = Mutex<RefusedCaller?>(nil)

        /// Notes the refused call of a player, which is kept for operators.
        func note(refused call: RefusedCaller) { self.call.withLock { $0 = call } }

        var refused: RefusedCaller? { call.withLock { $0 } }

        var app: AppID? { known.withLock { $0.app } }
        var address: ClientAddress? { known.withLock { $0.address } }
    }
}

extension ClientAddress {
    init(_ address: SocketAddress?) {
        // The offsets of the address in sockaddr_in and sockaddr_in6 are the same on all systems with sockets. Their members belong to
        // Glibc in one build and to a module of NIO in another.
        switch address {
        case .v4(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
        case .v6(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
        case .unixDomainSocket, nil: self = .unknown
        }
    }
}

extension Networks {
    /// The client's address, taking these proxies into account.
    func client(of request: Request, _ context: GatehouseContext) -> ClientAddress {
        client(peer: context.peer, forwardedFor: request.headers.values(of: Headers.forwardedFor))
    }
}

/// Detects that the client of a connection, or of an HTTP/2 stream, has disconnected, and cancels the work that was only for it.
final class ClientDeparture: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private var cancel: (() -> Void)?
    private var hasGone = false

    /// The handler of a channel, called on its event loop; nil if there is none, as in tests without a network.
    static func of(_ channel: any Channel) -> ClientDeparture? {
        guard channel.eventLoop.inEventLoop else { return nil }
        return try? channel.pipeline.syncOperations.handler(type: ClientDeparture.self)
    }

    /// - Parameter cancel: nil when the work is done.
    func follow(_ cancel: (() -> Void)?) {
        self.cancel = cancel
        if hasGone { cancel?() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Until something is written to it, a client that has closed its socket looks like one that has only stopped sending. An HTTP/2
        // stream has no such event: it is closed when it is over.
        if event as? ChannelEvent == .inputClosed { leave() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    private func leave() {
        hasGone = true
        cancel?()
        cancel = nil
    }
}
