import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Turns every error behind a door into a response in the door's form: a code of the table, a fitting status, nothing internal. It writes
/// an audit line where the error matters.
struct ErrorResponder<Form: ErrorForm>: RouterMiddleware {
    typealias Context = GatehouseContext

    let form: Form
    let audit: AuditLog
    let metrics: ServerMetrics
    let refusals: RefusalLog

    func handle(
        _ request: Request, context: GatehouseContext, next: (Request, GatehouseContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let refusal = refusal(for: error, context)
            context.visitor.note(code: refusal.code)
            record(refusal, context)
            if let app = context.visitor.app, let caller = context.visitor.refused {
                refusals.keep(refusal, of: caller, app: app, transactionID: context.transactionID)
            }
            return form.response(
                to: DoorFailure(
                    error: error, refusal: refusal, path: request.uri.path, transactionID: context.transactionID))
        }
    }

    private func record(_ refusal: Refusal, _ context: GatehouseContext) {
        guard let event = refusal.auditEvent else { return }
        var subject = ["code": String(refusal.code.rawValue)]
        if let reason = refusal.reason { subject["reason"] = reason.rawValue }
        audit.record(
            AuditLog.Entry(
                event: event, app: context.visitor.app, actor: .player, address: context.visitor.address?.description,
                transactionID: context.transactionID, subject: subject))
    }

    private func refusal(for error: any Error, _ context: GatehouseContext) -> Refusal {
        switch error {
        case let refusal as Refusal:
            return refusal
        case let failure as any RefusalCarrying:
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
        default:
            if let failure = DatabaseFailure(error) {
                metrics.databaseFailed(failure)
                context.logger.error(
                    "database", metadata: ["error": "\(error)", "transactionId": "\(context.transactionID)"])
                return failure.refusal
            }
            context.logger.error(
                "unforeseen", metadata: ["error": "\(error)", "transactionId": "\(context.transactionID)"])
            return Refusal(.serverInternalError, "The server could not do it.")
        }
    }
}

/// A door's form of an error response.
protocol ErrorForm: Sendable {
    func response(to failure: DoorFailure) -> Response
}

/// A failed request, as a door's form needs it.
struct DoorFailure {
    let error: any Error
    let refusal: Refusal
    /// The path without the query.
    let path: String
    let transactionID: TransactionID

    var wireError: WireError {
        WireError(
            code: refusal.code, message: refusal.message, transactionId: transactionID,
            details: refusal.details.isEmpty ? nil : refusal.details)
    }
}

/// A failure of a door that has a more specific form of its own.
protocol RefusalCarrying: Error {
    var refusal: Refusal { get }
}

/// The contract's form of an error response.
struct ContractErrorForm: ErrorForm {
    func response(to failure: DoorFailure) -> Response {
        let refusal = failure.refusal
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let seconds = refusal.retryAfterSeconds { headers[.retryAfter] = String(seconds) }
        if refusal.status == 405, let allowed = refusal.details["allow"]?.stringValue { headers[.allow] = allowed }
        if refusal.status == 401 { headers[.wwwAuthenticate] = Self.challenge(refusal.reason) }
        let body = (try? JSONEncoder().encode(ErrorEnvelope(error: failure.wireError))) ?? Data()
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
