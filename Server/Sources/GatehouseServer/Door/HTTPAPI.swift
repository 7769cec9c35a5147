import Crypto
import Foundation
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// The interface `/v1`: decodes calls of the contract and encodes the responses. It has no rules of its own.
struct HTTPAPI: Sendable {
    let gate: Gate
    let directory: AppDirectory
    let environment: ServerEnvironment
    let trustedProxies: Networks

    /// Serves an endpoint for devices.
    ///
    /// - Parameter mayWait: whether a call may have to wait for an identity provider. It is cancelled when its client disconnects.
    func on<Request: Codable & Sendable, Response: Codable & Sendable>(
        _ endpoint: Endpoint<Request, Response>, _ router: Router<GatehouseContext>,
        mayWait: @escaping @Sendable (Request) -> Bool = { _ in false },
        _ route: @escaping @Sendable (Call<Request>) async throws -> Answer<Response>
    ) {
        serve(AnyEndpoint(endpoint), router, mayWait: mayWait, route)
    }

    /// Serves an endpoint for game servers.
    func on<Request: Codable & Sendable, Response: Codable & Sendable>(
        _ endpoint: GameServerEndpoint<Request, Response>, _ router: Router<GatehouseContext>,
        _ route: @escaping @Sendable (Call<Request>) async throws -> Answer<Response>
    ) {
        serve(AnyEndpoint(endpoint), router, mayWait: { _ in false }, route)
    }

    private func serve<Request: Codable & Sendable, Response: Codable & Sendable>(
        _ endpoint: AnyEndpoint, _ router: Router<GatehouseContext>,
        mayWait: @escaping @Sendable (Request) -> Bool,
        _ route: @escaping @Sendable (Call<Request>) async throws -> Answer<Response>
    ) {
        router.on(RouterPath(endpoint.template), method: endpoint.verb.method) { request, context in
            try await withTaskExecutorPreference(context.executor) {
                var request = request
                let call = try await call(Request.self, endpoint, request: &request, context: context)
                guard mayWait(call.body) else { return try Self.respond(with: try await route(call)) }
                return try Self.respond(with: try await context.whileClientWaits { try await route(call) })
            }
        }
        for method in Self.otherMethods(than: endpoint.verb.method) {
            router.on(RouterPath(endpoint.template), method: method) { _, _ -> Hummingbird.Response in
                throw MethodNotAllowed(allowed: endpoint.verb.method)
            }
        }
    }

    private func call<Body: Codable & Sendable>(
        _ type: Body.Type, _ endpoint: AnyEndpoint, request: inout Request, context: GatehouseContext
    ) async throws -> Call<Body> {
        let moment = environment.now()
        let address = trustedProxies.client(of: request, context)
        context.visitor.note(app: context.parameters.get("appId"), address: address)
        let buffer = try await RequestBody.collect(&request)
        let app = try await directory.entry(AppID(context.parameters.get("appId") ?? ""))
        let repeatable = try Self.repeatable(
            app: app.app.id, path: request.uri.path, method: endpoint.verb, body: buffer, headers: request.headers)
        let caller = try await gate.admit(
            Gate.Visit(
                app: app, endpoint: endpoint, path: request.uri.path, headers: request.headers, address: address,
                moment: moment, repeatable: repeatable))
        // A body is decoded only after the caller is authenticated, because decoding may cost more than everything before.
        let body = try RequestBody.decode(type, from: buffer, headers: request.headers)
        return Call(
            view: Viewpoint(
                app: app.app, languages: AcceptedLanguages.parse(request.headers[.acceptLanguage]), moment: moment),
            keys: app.keys, body: body, caller: caller, address: address, transactionID: context.transactionID,
            repeatable: repeatable, client: Self.client(request.headers))
    }

    private static func client(_ headers: HTTPFields) -> ClientInformation? {
        headers.values(of: Headers.client).first.flatMap { ClientInformation(headerValue: $0) }
    }

    private static func repeatable(
        app: AppID, path: String, method: HTTPVerb, body: ByteBuffer, headers: HTTPFields
    ) throws -> Idempotency.Call {
        let keys = headers.values(of: Headers.idempotencyKey)
        guard let key = keys.first else { return .init(app: app, key: nil, requestHash: []) }
        guard keys.count == 1, (8...128).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw Refusal.parameter(HeaderNames.idempotencyKey, "The key has 8 to 128 visible ASCII characters.") }
        var hash = SHA256()
        hash.update(data: Data("\(method.rawValue) \(path)\n".utf8))
        hash.update(data: Data(body.readableBytesView))
        return .init(app: app, key: key, requestHash: Array(hash.finalize()))
    }

    private static func respond<Body: Encodable>(with answer: Answer<Body>) throws -> Hummingbird.Response {
        let bytes = try JSONWriter.bytes(of: answer.body)
        return Hummingbird.Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: answer.cacheControl],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static func otherMethods(than method: HTTPRequest.Method) -> [HTTPRequest.Method] {
        [.get, .head, .post, .put, .patch, .delete, .options].filter { $0 != method }
    }
}

/// The path exists, the method doesn't.
struct MethodNotAllowed: Error {
    let allowed: HTTPRequest.Method
}

extension HTTPVerb {
    var method: HTTPRequest.Method {
        switch self {
        case .get: .get
        case .post: .post
        }
    }
}
