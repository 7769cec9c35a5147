import Crypto
import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// The door for calls of the contract: it decodes a call, runs its action and encodes the answer. Players and game servers have the same
/// form, and each their own authentication.
struct ContractDoor: Sendable {
    let actions: Actions
    let requests: RequestReader
    /// Says who asks and how often the call may count: ``ProofAuthenticator/admit(_:)`` for players, ``SecretKeyAuthenticator/admit(_:)`` for game servers.
    let authenticate: @Sendable (ReceivedCall) async throws -> (actor: Actor, once: CallIdentity)

    /// A request for an endpoint, before its caller is known.
    struct ReceivedCall: Sendable {
        let app: AppDirectory.Entry
        let endpoint: AnyEndpoint
        /// The method as the client sent it: `HEAD` where a `GET` is served.
        let method: String
        let path: String
        let headers: HTTPFields
        let address: ClientAddress
        let moment: Moment
    }

    /// Serves an endpoint for devices with an action.
    ///
    /// - Parameter mayWait: whether a call may have to wait for an identity provider. It is cancelled when its client disconnects.
    func on<Body: Codable & Sendable, A: Action>(
        _ endpoint: Endpoint<Body, A.Outcome>, in group: RouterGroup<GatehouseContext>,
        mayWait: @escaping @Sendable (Body) -> Bool = { _ in false }, cacheControl: String = "no-store",
        _ action: @escaping @Sendable (Body) -> A
    ) where A.Outcome: Codable {
        serve(AnyEndpoint(endpoint), in: group, cacheControl: cacheControl) { call, context in
            guard mayWait(call.body) else { return try await call.run(action) }
            return try await context.whileClientWaits { try await call.run(action) }
        }
    }

    /// Serves an endpoint for game servers with an action.
    ///
    /// - Parameter named: the name and the reason that a game server gives for itself in the call.
    func on<Body: Codable & Sendable, A: Action>(
        _ endpoint: GameServerEndpoint<Body, A.Outcome>, in group: RouterGroup<GatehouseContext>,
        named: @escaping @Sendable (Body) -> (name: String?, reason: String?) = { _ in (nil, nil) },
        _ action: @escaping @Sendable (Body) -> A
    ) where A.Outcome: Codable {
        serve(AnyEndpoint(endpoint), in: group, cacheControl: "no-store") { (call: Call<Body>, _) in
            let (name, reason) = named(call.body)
            var call = call
            call.actor = call.actor.named(name, reason: reason)
            return try await call.run(action)
        }
    }

    private func serve<Body: Codable & Sendable>(
        _ endpoint: AnyEndpoint, in group: RouterGroup<GatehouseContext>, cacheControl: String,
        _ answer: @escaping @Sendable (Call<Body>, GatehouseContext) async throws -> some Codable & Sendable
    ) {
        group.on(RouterPath(endpoint.template), method: endpoint.verb.method) { request, context in
            var request = request
            var made: Call<Body>?
            do {
                let call = try await call(Body.self, endpoint, request: &request, context: context)
                made = call
                return try Self.respond(with: try await answer(call, context), cacheControl: cacheControl)
            } catch {
                await note(refused: made, endpoint, request, context)
                throw error
            }
        }
        for method in Self.otherMethods(than: endpoint.verb.method) {
            group.on(RouterPath(endpoint.template), method: method) { _, _ -> Hummingbird.Response in
                throw MethodNotAllowed(allowed: endpoint.verb.method)
            }
        }
    }

    /// Notes what is known of a player's call that is refused. Nothing is kept for an app that does not exist.
    ///
    /// - Parameter call: nil if the call was refused before its caller was known.
    private func note<Body>(
        refused call: Call<Body>?, _ endpoint: AnyEndpoint, _ request: Request, _ context: GatehouseContext
    ) async {
        guard case .device = endpoint.access, (try? await requests.entry(context)) != nil else { return }
        let provider =
            switch call?.body {
            case let credential as Credential: credential.provider
            case let attempt as LoginAttemptRequest: attempt.provider
            case let removal as MappingRemoval: removal.provider
            default: nil as Provider?
            }
        context.notes.note(
            refused: RefusedCaller(
                call: endpoint.template, provider: provider, client: request.headers.values(of: Headers.client).first,
                actor: call?.actor, at: requests.now()))
    }

    private struct Call<Body: Sendable>: Sendable {
        let actions: Actions
        let body: Body
        var actor: Actor
        let once: CallIdentity
        let context: CallContext

        func run<A: Action>(_ action: (Body) -> A) async throws -> A.Outcome {
            try await actions.run(action(body), by: actor, once: once, in: context)
        }
    }

    private func call<Body: Codable & Sendable>(
        _ type: Body.Type, _ endpoint: AnyEndpoint, request: inout Request, context: GatehouseContext
    ) async throws -> Call<Body> {
        let moment = requests.now()
        let address = requests.note(request, context)
        let (path, headers) = (request.uri.path, request.headers)
        func authenticated() async throws -> Caller {
            let app = try await requests.entry(context)
            let (actor, once) = try await authenticate(
                ReceivedCall(
                    app: app, endpoint: endpoint, method: context.isHead ? "HEAD" : endpoint.verb.rawValue, path: path,
                    headers: headers, address: address, moment: moment))
            return Caller(app: app, actor: actor, once: once)
        }
        var early: Caller?
        if request.awaitsContinue {
            // The client keeps the body back until it knows whether the call is taken.
            if headers[.contentType] != nil { try RequestBody.requireJSON(headers) }
            early = try await authenticated()
        }
        let buffer = try await RequestBody.collect(&request)
        var caller: Caller
        if let early { caller = early } else { caller = try await authenticated() }
        caller.once.call = try Self.call(
            of: caller.app.app.id, path: path, method: endpoint.verb, body: buffer, headers: headers)
        // A body is decoded only after the caller is authenticated, because decoding may cost more than everything before.
        let body = try RequestBody.decode(type, from: buffer, headers: headers)
        return Call(
            actions: actions, body: body, actor: caller.actor, once: caller.once,
            context: requests.context(of: request, context, caller.app, at: moment))
    }

    private struct Caller {
        let app: AppDirectory.Entry
        let actor: Actor
        var once: CallIdentity
    }

    private static func call(
        of app: AppID, path: String, method: HTTPVerb, body: ByteBuffer, headers: HTTPFields
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

    private static func respond(with answer: some Encodable, cacheControl: String) throws -> Hummingbird.Response {
        let bytes = try JSONWriter.bytes(of: answer)
        return Hummingbird.Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: cacheControl],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Without HEAD, which is a GET here.
    private static func otherMethods(than method: HTTPRequest.Method) -> [HTTPRequest.Method] {
        [.get, .post, .put, .patch, .delete, .options].filter { $0 != method }
    }
}

/// The path exists, the method doesn't.
struct MethodNotAllowed: RefusalCarrying {
    let allowed: HTTPRequest.Method

    var refusal: Refusal {
        Refusal(.notSupported, "The path has no such method: use \(allowed).", httpStatus: 405)
    }

    /// The methods of the path, for the header `Allow`.
    var methods: String { allowed == .get ? "GET, HEAD" : allowed.rawValue }
}

extension HTTPVerb {
    var method: HTTPRequest.Method {
        switch self {
        case .get: .get
        case .post: .post
        }
    }
}

extension Router where Context == GatehouseContext {
    /// Serves a path with GET, and answers 405 to every other method but HEAD, which is a GET here. The router alone would answer that there
    /// is no such path.
    ///
    /// - Parameter admits: throws for a caller who may not know that the path exists.
    func getOnly(
        _ path: RouterPath, admits: @escaping @Sendable (Request, GatehouseContext) throws -> Void = { _, _ in },
        use answer: @escaping @Sendable (Request, GatehouseContext) async throws -> Response
    ) {
        get(path) { request, context in
            try admits(request, context)
            return try await answer(request, context)
        }
        let others: [HTTPRequest.Method?] = [
            .post, .put, .patch, .delete, .options, .trace, HTTPRequest.Method("QUERY"),
        ]
        for method in others.compactMap(\.self) {
            on(path, method: method) { request, context -> Response in
                try admits(request, context)
                throw MethodNotAllowed(allowed: .get)
            }
        }
    }
}
