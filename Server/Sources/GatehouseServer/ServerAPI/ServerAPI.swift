import Foundation
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// Gamebase's Server API (`/tcgb-gateway`, `/tcgb-member`, `/tcgb-launching`): an existing game server works after changing the host.
/// It translates calls to the rules of the HTTP API and has none of its own. Every response has HTTP status 200 and contains the result
/// in its header. `docs/gamebase-compatibility.md` lists the choices where Gamebase's documents are silent.
struct ServerAPI: Sendable {
    let gate: Gate
    let directory: AppDirectory
    let environment: ServerEnvironment
    let trustedProxies: Networks
    let features: Features

    static func isPath(_ path: String) -> Bool { path.hasPrefix("/tcgb-") }

    func on<Body: Encodable & Sendable>(
        _ endpoint: ServerAPIEndpoint, _ router: Router<GatehouseContext>,
        _ route: @escaping @Sendable (ServerAPICall) async throws -> Body
    ) {
        router.on(RouterPath(endpoint.template), method: endpoint.method) { request, context in
            try await withTaskExecutorPreference(context.executor) {
                var request = request
                let call = try await call(&request, context, endpoint)
                // A report from Apple is verified with Apple's keys.
                let answer =
                    endpoint.access == .open
                    ? try await context.whileClientWaits { try await route(call) } : try await route(call)
                let bytes = try JSONWriter.bytes(of: answer)
                return Self.response(bytes)
            }
        }
    }

    private func call(
        _ request: inout Request, _ context: GatehouseContext, _ endpoint: ServerAPIEndpoint
    ) async throws -> ServerAPICall {
        let moment = environment.now()
        let address = trustedProxies.client(of: request, context)
        let id = context.parameters.get("appId") ?? ""
        context.visitor.note(app: id, address: address)
        guard let version = context.parameters.get("version").flatMap(ServerAPIVersion.init),
            endpoint.versions.contains(version)
        else { throw ServerAPIFailure(.unsupportedVersion, Refusal(.notSupported, "The version has no such call.")) }
        // The body of a GET is ignored.
        let body = request.method == .get ? ByteBuffer() : try await RequestBody.collect(&request)
        let entry = try await directory.entry(AppID(id))
        if case .secretKey(let scope) = endpoint.access {
            try gate.checkSecret(request.headers, of: entry, for: scope)
        }
        return ServerAPICall(
            version: version, parameters: context.parameters, token: context.pathToken,
            query: request.uri.queryParameters,
            headers: request.headers, body: body, keys: entry.keys, view: Viewpoint(app: entry.app, moment: moment),
            address: address, transactionID: context.transactionID)
    }

    // MARK: Answers

    static func response(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json;charset=UTF-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The response to a failed call.
    ///
    /// - Parameter path: the path without its access token (``TokenInPath``) and without the query.
    static func failure(
        _ error: any Error, _ refusal: Refusal, path: String, transactionID: TransactionID, at moment: Moment
    ) -> Response {
        let code = (error as? ServerAPIFailure)?.code ?? ResultCode(refusal)
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let module = segments.count > 1 ? String(segments[1].dropFirst("tcgb-".count)) : ""
        let body = FailureAnswer(
            header: ResultHeader(
                transactionId: transactionID, isSuccessful: false, resultCode: code,
                resultMessage: message(refusal, app: segments.count > 4 && segments[3] == "apps" ? segments[4] : nil),
                traceError: TraceError(
                    trackingTime: moment.milliseconds,
                    throwPoint: code.isOfGateway ? "gateway" : module, uri: path)))
        var response = response((try? JSONWriter.bytes(of: body)) ?? [])
        if let seconds = refusal.retryAfterSeconds { response.headers[.retryAfter] = String(seconds) }
        response.headers.append(contentsOf: origins(of: path))
        return response
    }

    private static func message(_ refusal: Refusal, app: String?) -> String {
        guard refusal.code == .launchingUnregisteredApp, let app else { return refusal.message }
        return "Gamebase product appKey is invalid, appId:\(app.prefix(64))"
    }
}

/// A failure for which Gamebase has a separate code.
struct ServerAPIFailure: Error {
    let code: ResultCode
    let refusal: Refusal

    init(_ code: ResultCode, _ refusal: Refusal) {
        self.code = code
        self.refusal = refusal
    }

    /// A missing parameter.
    static func missing(_ name: String) -> ServerAPIFailure {
        ServerAPIFailure(.missingParameter, .parameter(name, "The parameter \(name) is missing."))
    }

    /// A parameter whose type differs from the documented one.
    static func mismatch(_ name: String, _ expected: String) -> ServerAPIFailure {
        ServerAPIFailure(.typeMismatch, .parameter(name, "The parameter \(name) must be \(expected)."))
    }
}
