import AsyncHTTPClient
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// The server's own requests: no redirects, no decompression, a limited time, a limited size, and only to public addresses.
enum OutgoingHTTP {
    // The clients live as long as the process, because their connections are worth keeping only if all requests share them, and a
    // client that nobody shuts down must never be released. Rules don't see them: they get ``ServerEnvironment/fetch``.
    private static let publicClient = client(reachesLocal: false)
    private static let localClient = client(reachesLocal: true)

    /// - Parameter reachesLocal: for development: whether this machine and its networks may be contacted too.
    /// - Parameter seconds: how long the whole answer may take.
    static func fetch(
        _ request: OutgoingRequest, reachesLocal: Bool, seconds: Int64
    ) async throws -> OutgoingResponse {
        guard OutgoingRequest.isAllowed(request.url), reachesLocal || isPublic(request.url) else {
            throw IdentityFailure.notPublic
        }
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = .RAW(value: request.method)
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        outgoing.headers.replaceOrAdd(name: "User-Agent", value: "Gatehouse")
        outgoing.headers.replaceOrAdd(name: "Accept", value: "application/json")
        if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        if !request.trustedCertificates.isEmpty {
            outgoing.tlsConfiguration = try configuration(trusting: request.trustedCertificates)
        }
        let client = reachesLocal ? localClient : publicClient
        let request = outgoing
        do {
            return try await withDeadline(seconds: seconds) {
                let response = try await client.execute(request, timeout: .seconds(seconds))
                let body = try await response.body.collect(upTo: OutgoingRequest.maximumBytes)
                return OutgoingResponse(
                    status: Int(response.status.code), body: Data(body.readableBytesView),
                    location: response.headers.first(name: "Location"), date: response.headers.first(name: "Date"))
            }
        } catch {
            throw failure(error, seconds: seconds)
        }
    }

    /// Translates an error for operators. The error's own message is not passed on, because it could contain a part of the request.
    private static func failure(_ error: any Error, seconds: Int64) -> any Error {
        switch error {
        case is CancellationError: error
        case is TimedOut: OutgoingFailure.timedOut(seconds: seconds)
        case let error as HTTPClientError where error == .deadlineExceeded: OutgoingFailure.timedOut(seconds: seconds)
        case is NIOTooManyBytesError: OutgoingFailure.tooLarge
        case is PrivateAddress: OutgoingFailure.privateAddress
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: OutgoingFailure.notTrusted
        default: OutgoingFailure.notConnected
        }
    }

    private static let authorities = TrustedAuthorities()

    /// TLS as every connection of the server begins it.
    ///
    /// - Parameter pems: authorities that are trusted besides the system's.
    static func configuration(trusting pems: [String]) throws -> TLSConfiguration {
        pems.isEmpty ? tls : try authorities.configuration(trusting: pems)
    }

    private struct TimedOut: Error {}

    /// Applies one deadline to the whole response. The client's own ends with the head, so a slowly dripping body would have none.
    private static func withDeadline<Value: Sendable>(
        seconds: Int64, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask(operation: body)
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                throw TimedOut()
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw TimedOut() }
            return value
        }
    }

    /// NIOSSL's own default accepts TLS 1.0 (NET-3).
    fileprivate static var tls: TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        return tls
    }

    private static func client(reachesLocal: Bool) -> HTTPClient {
        // The whole answer has a deadline, and a provider on this machine only that, which a test makes as long as it needs.
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: reachesLocal ? .minutes(5) : .seconds(3)))
        configuration.tlsConfiguration = tls
        // A refused connection would be refused again. The provider's circuit breaker tries later.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 8
        if !reachesLocal {
            configuration.http1_1ConnectionDebugInitializer = refusePrivate
            configuration.http2ConnectionDebugInitializer = refusePrivate
        }
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Checks the connection's address before any byte of a request is sent.
    private static let refusePrivate: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
        guard AddressGuard.isPublic(ClientAddress(channel.remoteAddress)) else {
            return channel.close().flatMapThrowing { throw PrivateAddress() }
        }
        return channel.eventLoop.makeSucceededVoidFuture()
    }

    private struct PrivateAddress: Error {}

    /// A literal private address is refused without a connection. Other spellings of it are names, which are checked above.
    private static func isPublic(_ url: String) -> Bool {
        guard let host = URLComponents(string: url)?.host else { return false }
        return ClientAddress(host).map(AddressGuard.isPublic) ?? true
    }
}

/// TLS for providers with certificates of a private authority. Each list of authorities is parsed once.
private final class TrustedAuthorities: Sendable {
    /// The maximum number of lists, which is more than all apps of a server should need. Beyond it all are parsed again.
    private static let capacity = 64

    private let known = Mutex<[[String]: TLSConfiguration]>([:])

    func configuration(trusting pems: [String]) throws -> TLSConfiguration {
        if let found = known.withLock({ $0[pems] }) { return found }
        var tls = OutgoingHTTP.tls
        do {
            let certificates = try pems.flatMap { try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)) }
            tls.additionalTrustRoots = [.certificates(certificates)]
        } catch {
            throw IdentityFailure.misconfigured("its trusted certificates are no PEM")
        }
        let made = tls
        known.withLock { known in
            if known.count >= Self.capacity { known = [:] }
            known[pems] = made
        }
        return made
    }
}
