import Foundation
import GatehouseWire
import Hummingbird
import NIOCore
import Synchronization

/// What the server keeps of one request while it lasts.
struct GatehouseContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection: a client or a proxy.
    let peer: ClientAddress
    let executor: LoopExecutor
    private let channel: any Channel
    var transactionID = TransactionID("")
    let visitor = Visitor()
    /// The access token that stood in the path (``TokenInPath``).
    var pathToken: AccessToken?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = ClientAddress(source.channel.remoteAddress)
        executor = .of(source.channel.eventLoop)
    }

    /// Does what may wait for an identity provider, for as long as the client waits for it: when the client has gone, the work
    /// is cancelled, so that nobody can fill the server with waiting requests and leave (REL-9). A transaction that has begun
    /// is finished all the same: the database does not look at cancellation.
    ///
    /// To be called once the request has been read: a task that is cancelled reads no more.
    func whileClientWaits<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withTaskExecutorPreference(executor) {
            guard let departure = ClientDeparture.of(channel) else { return try await work() }
            // A task of its own, since the connection's goes on with the next request.
            let task = Task(executorPreference: executor) { try await work() }
            departure.follow { task.cancel() }
            defer { departure.follow(nil) }
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Who called, as far as it is known when a request fails: for the audit log.
    final class Visitor: Sendable {
        private let known = Mutex<(app: AppID?, address: ClientAddress?)>((nil, nil))

        func note(app: String?, address: ClientAddress) {
            known.withLock { $0 = (app.map { AppID($0) }, address) }
        }

        var app: AppID? { known.withLock { $0.app } }
        var address: ClientAddress? { known.withLock { $0.address } }
    }
}

extension ClientAddress {
    init(_ address: SocketAddress?) {
        // The places of the address in sockaddr_in and sockaddr_in6: the same wherever there are sockets. Their members are
        // Glibc's in one build and a module of NIO's in the next.
        switch address {
        case .v4(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
        case .v6(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
        case .unixDomainSocket, nil: self = .unknown
        }
    }
}

extension Networks {
    /// Where a request comes from, as far as these proxies are to be believed.
    func client(of request: Request, _ context: GatehouseContext) -> ClientAddress {
        client(peer: context.peer, forwardedFor: request.headers.values(of: Headers.forwardedFor))
    }
}
