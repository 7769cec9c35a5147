import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Gives every request its id, and turns every error into a response of the contract: a code of the table, a fitting status, nothing
/// internal. It writes one log line for each request, and one audit line where it matters.
struct ErrorResponder: RouterMiddleware {
    typealias Context = GatehouseContext

    let environment: ServerEnvironment
    let audit: AuditLog
    let metrics: ServerMetrics
    /// Whether clients are required to use HTTPS.
    let isReachedByHTTPSOnly: Bool
    let admission: Admission

    func handle(
        _ request: Request, context: GatehouseContext, next: (Request, GatehouseContext) async throws -> Response
    ) async throws -> Response {
        let start = environment.monotonicNanoseconds()
        var context = context
        context.transactionID = transactionID(of: request)
        var response: Response
        var failure: WireError?
        do {
            response = try await admission.admit(request) { try await next(request, context) }
        } catch {
            (response, failure) = answer(error, request, context: context)
        }
        // A body after the response to HEAD would be interpreted as the next response (RFC 9110 section 9.3.2).
        if request.method == .head { response.body = .init() }
        // A page has a separate policy, for its style.
        for (name, value) in Self.safety where response.headers[name] == nil { response.headers[name] = value }
        if isReachedByHTTPSOnly { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        // Redirects are excluded, so that a page opened by a game's own page keeps its opener through the redirect back to it.
        if response.status.kind != .redirection, let name = Self.openerPolicy {
            response.headers[name] = "same-origin"
        }
        if let name = Headers.transactionID { response.headers[name] = context.transactionID.rawValue }
        let nanoseconds = environment.monotonicNanoseconds() &- start
        metrics.request(
            context.route, method: request.method.isKnown ? request.method.rawValue : "other",
            status: response.status.code, code: failure?.code.rawValue ?? 0, nanoseconds: nanoseconds)
        log(request, response, failure, context: context, nanoseconds: nanoseconds)
        return response
    }

    private static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")

    private static let safety: [(HTTPField.Name, String)] = [
        (.xContentTypeOptions, "nosniff"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
    ]

    /// The client's own id if it is valid, so that both logs use the same id for the call; otherwise a new one.
    private func transactionID(of request: Request) -> TransactionID {
        let own = request.headers.values(of: Headers.transactionID).first ?? ""
        let isPlain =
            (1...64).contains(own.utf8.count)
            && own.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
        return TransactionID(isPlain ? own : Base64URL.encode(environment.random.bytes(12)))
    }

    private func answer(
        _ error: any Error, _ request: Request, context: GatehouseContext
    ) -> (Response, WireError) {
        let refusal = refusal(for: error, context: context)
        if let event = refusal.auditEvent {
            var subject = ["code": String(refusal.code.rawValue)]
            if let reason = refusal.reason { subject["reason"] = reason.rawValue }
            audit.record(
                AuditLog.Entry(
                    event: event, app: context.visitor.app, actor: .player,
                    address: context.visitor.address?.description, transactionID: context.transactionID,
                    subject: subject))
        }
        let failure = WireError(
            code: refusal.code, message: refusal.message, transactionId: context.transactionID,
            details: refusal.details.isEmpty ? nil : refusal.details)
        guard ServerAPI.isPath(request.uri.path) else {
            return (ErrorAnswer.response(failure, refusal: refusal), failure)
        }
        let response = ServerAPI.failure(
            error, refusal, path: request.uri.path, transactionID: context.transactionID, at: environment.now())
        return (response, failure)
    }

    private func refusal(for error: any Error, context: GatehouseContext) -> Refusal {
        switch error {
        case let refusal as Refusal:
            return refusal
        case let failure as ServerAPIFailure:
            return failure.refusal
        case let error as MethodNotAllowed:
            return Refusal(
                .notSupported, "The path has no such method: use \(error.allowed).",
                details: ["allow": .string(error.allowed.rawValue)], httpStatus: 405)
        case let error as any HTTPResponseError where error.status == .notFound:
            return Refusal(.notSupported, "There is no such path.")
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            return Refusal(.invalidParameter, httpStatus: error.status.code)
        case is CancellationError:
            // Nobody reads this response. The status is the one that proxies log for it.
            return Refusal(.serverInternalError, "The client has closed the connection.", httpStatus: 499)
        case let error as StorageError:
            metrics.databaseFailed(error)
            context.logger.error(
                "database", metadata: ["error": "\(error)", "transactionId": "\(context.transactionID)"])
            return error.refusal
        default:
            context.logger.error(
                "unforeseen", metadata: ["error": "\(error)", "transactionId": "\(context.transactionID)"])
            return Refusal(.serverInternalError, "The server could not do it.")
        }
    }

    /// Logs the route's template, never the path: Gamebase's Server API puts a token into the path.
    private func log(
        _ request: Request, _ response: Response, _ failure: WireError?, context: GatehouseContext, nanoseconds: UInt64
    ) {
        let level: Logger.Level = response.status.code >= 500 ? .warning : .debug
        guard context.logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "method": .string(request.method.rawValue), "route": .string(context.route),
            "status": .stringConvertible(response.status.code),
            "microseconds": .stringConvertible(nanoseconds / 1_000),
            "transactionId": .string(context.transactionID.rawValue),
        ]
        if let failure { metadata["code"] = .stringConvertible(failure.code.rawValue) }
        if let address = context.visitor.address { metadata["address"] = .string(address.description) }
        context.logger.log(level: level, "request", metadata: metadata)
    }
}

/// The only form of an error response.
enum ErrorAnswer {
    static func response(_ failure: WireError, refusal: Refusal) -> Response {
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let seconds = refusal.retryAfterSeconds { headers[.retryAfter] = String(seconds) }
        if refusal.status == 405, let allowed = refusal.details["allow"]?.stringValue { headers[.allow] = allowed }
        if refusal.status == 401 { headers[.wwwAuthenticate] = challenge(refusal.reason) }
        let body = (try? JSONEncoder().encode(ErrorEnvelope(error: failure))) ?? Data()
        return Response(
            status: .init(code: refusal.status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// RFC 9449 section 7.1.
    private static func challenge(_ reason: ErrorReason?) -> String {
        guard let reason else { return #"DPoP algs="ES256""# }
        let error = reason.rawValue.hasPrefix("proof_") ? "invalid_dpop_proof" : "invalid_token"
        return #"DPoP error="\#(error)", algs="ES256""#
    }
}

extension GatehouseContext {
    /// The path's template. All paths without a route share one name.
    fileprivate var route: String {
        guard let path = endpointPath, path.hasPrefix("/") else { return "none" }
        return path
    }
}

extension HTTPRequest.Method {
    /// Whether it is one of HTTP's own methods. Anything else from a client must not become a label of a metric.
    fileprivate var isKnown: Bool {
        [.get, .head, .post, .put, .patch, .delete, .options].contains(self)
    }
}
