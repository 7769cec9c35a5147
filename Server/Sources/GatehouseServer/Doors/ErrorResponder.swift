import GatehouseCore
import GatehouseJSON
import GatehousePlatform
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
    let services: Services

    func handle(
        _ request: Request, context: GatehouseContext, next: (Request, GatehouseContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let refusal = services.refusal(
                for: error, httpStatus: (error as? any HTTPResponseError)?.status.code,
                transactionID: context.transactionID, logger: context.logger)
            context.notes.note(code: refusal.code)
            record(refusal, context)
            if let app = context.notes.app, let caller = context.notes.refused {
                services.refusals.keep(refusal, of: caller, app: app, transactionID: context.transactionID)
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
        services.reporter.audit.record(
            AuditLog.Entry(
                event: event, app: context.notes.app, actor: .player, address: context.notes.address?.description,
                transactionID: context.transactionID, subject: subject))
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
            code: refusal.code, message: refusal.message, transactionId: transactionID, details: refusal.details)
    }
}

/// The contract's form of an error response.
struct ContractErrorForm: ErrorForm {
    func response(to failure: DoorFailure) -> Response {
        let refusal = failure.refusal
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let seconds = refusal.retryAfterSeconds { headers[.retryAfter] = String(seconds) }
        if let error = failure.error as? MethodNotAllowed { headers[.allow] = error.methods }
        if failure.error is EncodingNotTaken { headers[.acceptEncoding] = EncodingNotTaken.taken }
        if refusal.status == 401 { headers[.wwwAuthenticate] = Self.challenge(refusal.reason) }
        let body = (try? JSONWriter.bytes(of: ErrorEnvelope(error: failure.wireError))) ?? []
        return Response(
            status: .init(code: refusal.status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// RFC 9449 section 7.1.
    private static func challenge(_ reason: ErrorReason?) -> String {
        guard let reason else { return #"DPoP algs="ES256""# }
        let error = reason.rawValue.begins(with: "proof_") ? "invalid_dpop_proof" : "invalid_token"
        return #"DPoP error="\#(error)", algs="ES256""#
    }
}
