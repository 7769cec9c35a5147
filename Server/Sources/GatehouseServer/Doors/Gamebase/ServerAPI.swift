import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// Gamebase's Server API (`/tcgb-gateway`, `/tcgb-member`, `/tcgb-launching`): an existing game server works after changing the host.
/// It translates calls to actions and has no rule of its own. Every response has HTTP status 200 and contains the result
/// in its header. `docs/gamebase-compatibility.md` lists the choices where Gamebase's documents are silent.
struct ServerAPI: Sendable {
    let actions: Actions
    let requests: RequestReader

    private var gate: SecretKeyGate { SecretKeyGate(uses: actions.services.secretUses) }

    /// How every path of this door begins.
    static let prefix = "/tcgb-"

    func on<Body: Encodable & Sendable>(
        _ endpoint: ServerAPIEndpoint, _ router: Router<GatehouseContext>,
        _ route: @escaping @Sendable (ServerAPICall) async throws -> Body
    ) {
        router.on(RouterPath(endpoint.template), method: endpoint.method) { request, context in
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

    private func call(
        _ request: inout Request, _ context: GatehouseContext, _ endpoint: ServerAPIEndpoint
    ) async throws -> ServerAPICall {
        let moment = requests.now()
        requests.note(request, context)
        guard let version = context.parameters.get("version").flatMap(ServerAPIVersion.init),
            endpoint.versions.contains(version)
        else { throw ServerAPIFailure(.unsupportedVersion, Refusal(.notSupported, "The version has no such call.")) }
        let entry = try await requests.entry(context)
        let address = context.visitor.address ?? .unknown
        var actor = Actor(principal: .anyone(nil), door: .serverAPI)
        if case .secretKey(let scope) = endpoint.access {
            let scopes = try gate.scopes(of: request.headers, for: scope, app: entry, from: address, at: moment)
            actor = Actor(principal: .gameServer(scopes), door: .serverAPI)
        }
        // The body of a GET is ignored.
        let body = request.method == .get ? ByteBuffer() : try await RequestBody.collect(&request)
        // Texts are in the app's own language, whatever language a game server prefers.
        let visit = ActionContext(
            view: Viewpoint(app: entry.app, moment: moment), keys: entry.keys,
            address: address, transactionID: context.transactionID)
        return ServerAPICall(
            version: version, parameters: context.parameters, token: context.pathToken,
            query: Self.fields(request.uri.query ?? ""), headers: request.headers, body: body, actor: actor,
            context: visit,
            actions: actions)
    }

    /// The parameters of a query. If one occurs several times, the first counts.
    private static func fields(_ query: String) -> [String: String] {
        Dictionary(FormEncoding.fields(of: query.utf8).filter(\.isWellFormed).map { ($0.name, $0.value) }) { first, _ in
            first
        }
    }

    // MARK: Answers

    static func response(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json;charset=UTF-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

/// A failure for which Gamebase has a separate code.
struct ServerAPIFailure: RefusalCarrying {
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
