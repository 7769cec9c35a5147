import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// Gamebase's form of an error: HTTP status 200, and a negative code in the header of the body.
struct GamebaseErrorForm: ErrorForm {
    let now: @Sendable () -> Moment

    func response(to failure: DoorFailure) -> Response {
        let refusal = failure.refusal
        let code = (failure.error as? ServerAPIFailure)?.code ?? ResultCode(refusal)
        // The path is without its access token (``TokenInPath``).
        let segments = failure.path.parts(at: "/", withEmpty: true).map(String.init)
        let module = segments.count > 1 ? String(segments[1].dropFirst("tcgb-".count)) : ""
        let app = segments.count > 4 && segments[3] == "apps" ? segments[4] : nil
        let body = FailureAnswer(
            header: ResultHeader(
                transactionId: failure.transactionID, isSuccessful: false, resultCode: code,
                resultMessage: Self.message(refusal, app: app),
                traceError: TraceError(
                    trackingTime: now().milliseconds, throwPoint: code.isOfGateway ? "gateway" : module,
                    uri: failure.path)))
        var response = ServerAPI.response((try? JSONWriter.bytes(of: body)) ?? [])
        if let seconds = refusal.retryAfterSeconds { response.headers[.retryAfter] = String(seconds) }
        response.headers.append(contentsOf: ServerAPI.origins(of: failure.path))
        return response
    }

    private static func message(_ refusal: Refusal, app: String?) -> String {
        guard refusal.code == .launchingUnregisteredApp, let app else { return refusal.message }
        return "Gamebase product appKey is invalid, appId:\(app.prefix(64))"
    }
}
