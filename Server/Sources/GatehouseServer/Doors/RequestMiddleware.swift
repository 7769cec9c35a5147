import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// What is around every request, whatever its door: its id, the safety headers of its response, its metrics and its log line.
struct RequestMiddleware<Next: HTTPResponder>: HTTPResponder where Next.Context == GatehouseContext {
    let next: Next
    let environment: ServerEnvironment
    let metrics: ServerMetrics
    /// Whether clients are required to use HTTPS.
    let isReachedByHTTPSOnly: Bool

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        let start = environment.monotonicNanoseconds()
        var context = context
        context.transactionID = transactionID(of: request)
        context.isHead = request.method == .head
        // Doors turn every error into a response of their own form.
        var response = try await next.respond(to: context.isHead ? request.asGET : request, context: context)
        if context.isHead { response.dropBody() }
        // HTTP/2 has no such header, in requests and in answers.
        if request.headers[.connection] == "close" { response.headers[.connection] = "close" }
        // A page has a separate policy, for its style.
        for (name, value) in SafetyHeaders.always where response.headers[name] == nil { response.headers[name] = value }
        if isReachedByHTTPSOnly { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        // Redirects are excluded, so that a page opened by a game's own page keeps its opener through the redirect back to it.
        if response.status.kind != .redirection, let name = SafetyHeaders.openerPolicy {
            response.headers[name] = "same-origin"
        }
        if let name = Headers.transactionID { response.headers[name] = context.transactionID.rawValue }
        let nanoseconds = environment.monotonicNanoseconds() &- start
        let code = context.notes.code
        metrics.request(
            context.route, method: request.method.isKnown ? request.method.rawValue : "other",
            status: response.status.code, code: code?.rawValue ?? 0, nanoseconds: nanoseconds)
        log(request, response, code, context: context, nanoseconds: nanoseconds)
        return response
    }

    /// The client's own id if it is valid, so that both logs use the same id for the call; otherwise a new one.
    private func transactionID(of request: Request) -> TransactionID {
        let own = request.headers.values(of: Headers.transactionID).first ?? ""
        let isPlain =
            (1...64).contains(own.utf8.count)
            && own.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == 0x2d
            }
        return TransactionID(isPlain ? own : Base64URL.encode(environment.random.bytes(12)))
    }

    /// Logs the route's template, never the path: Gamebase's Server API puts a token into the path.
    private func log(
        _ request: Request, _ response: Response, _ code: ErrorCode?, context: GatehouseContext, nanoseconds: UInt64
    ) {
        let level: Logger.Level = response.status.code >= 500 ? .warning : .debug
        guard context.logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "method": .string(request.method.rawValue), "route": .string(context.route),
            "status": .stringConvertible(response.status.code),
            "microseconds": .stringConvertible(nanoseconds / 1_000),
            "transactionId": .string(context.transactionID.rawValue),
        ]
        if let code { metadata["code"] = .stringConvertible(code.rawValue) }
        if let address = context.notes.address { metadata["address"] = .string(address.description) }
        context.logger.log(level: level, "request", metadata: metadata)
    }
}

/// Headers that every response has.
private enum SafetyHeaders {
    static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")

    static let always: [(HTTPField.Name, String)] = [
        (.xContentTypeOptions, "nosniff"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
    ]
}

extension GatehouseContext {
    /// The path's template. All paths without a route share one name.
    fileprivate var route: String {
        if let route = notes.route { return route }
        guard let path = endpointPath, path.begins(with: "/") else { return "none" }
        return path
    }
}

extension Request {
    /// The request whose answer has the head that is asked for (RFC 9110 section 9.3.2).
    fileprivate var asGET: Request {
        var head = head
        head.method = .get
        return Request(head: head, body: body)
    }
}

extension Response {
    /// Leaves the body out and keeps its length, which every response here has. After a head that is asked for alone, a body would be taken
    /// for the next response.
    fileprivate mutating func dropBody() {
        let length = headers[.contentLength]
        body = .init()
        headers[.contentLength] = length
    }
}

extension HTTPRequest.Method {
    /// Whether it is one of HTTP's own methods. Anything else from a client must not become a label of a metric.
    fileprivate var isKnown: Bool {
        [.get, .head, .post, .put, .patch, .delete, .options].contains(self)
    }
}

/// Serves each request in a task of its own. A task keeps the memory of its deepest call until it ends, and the task of a connection
/// lives as long as the connection: ten thousand players who wait would hold 100 MB for requests that are over.
struct RequestTask<Next: HTTPResponder>: HTTPResponder where Next.Context == GatehouseContext {
    let next: Next

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        async let response = next.respond(to: request, context: context)
        return try await response
    }
}

/// Limits concurrent requests. Further requests are refused at once, before they cost any work: an overloaded server completes nothing
/// in time (REL-9).
struct Admission: RouterMiddleware {
    typealias Context = GatehouseContext

    /// The requests of all doors but the console.
    let requests: RequestsInFlight
    /// Nil for a door that always answers, such as the one for health and metrics.
    let limit: Int?

    func handle(
        _ request: Request, context: GatehouseContext, next: (Request, GatehouseContext) async throws -> Response
    ) async throws -> Response {
        try await requests.admit(upTo: limit) { try await next(request, context) }
    }
}

/// Counts the requests that are being served.
final class RequestsInFlight: Sendable {
    private let running = Atomic(0)

    var count: Int { running.load(ordering: .relaxed) }

    /// Serves a request, unless as many are being served already.
    ///
    /// - Throws: 8001 for a request too many.
    func admit(upTo limit: Int?, _ serve: () async throws -> Response) async throws -> Response {
        let count = running.wrappingAdd(1, ordering: .relaxed).newValue
        defer { running.wrappingSubtract(1, ordering: .relaxed) }
        if let limit, count > limit { throw Refusal.overloaded }
        return try await serve()
    }
}
