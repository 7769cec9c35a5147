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

    private var gate: SecretKeyAuthenticator { SecretKeyAuthenticator(uses: actions.services.secretUses) }

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
        let address = context.notes.address ?? .unknown
        var actor = Actor(principal: .anyone(nil), door: .serverAPI)
        if case .secretKey(let scope) = endpoint.access {
            let scopes = try gate.scopes(of: request.headers, for: scope, app: entry, from: address, at: moment)
            actor = Actor(principal: .gameServer(scopes), door: .serverAPI)
        }
        // The body of a GET is ignored.
        let body = request.method == .get ? ByteBuffer() : try await RequestBody.collect(&request)
        // Texts are in the app's own language, whatever language a game server prefers.
        let callContext = requests.context(of: context, entry, at: moment)
        return ServerAPICall(
            version: version, parameters: context.parameters, token: context.pathToken,
            query: Self.fields(request.uri.query ?? ""), headers: request.headers, body: body, actor: actor,
            context: callContext,
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

/// A call of Gamebase's Server API without its implementation, for the router and for lists of the calls.
struct ServerAPIEndpoint: Sendable {
    /// The required authentication.
    enum Access: Sendable, Hashable {
        /// A secret key of the app with this scope.
        case secretKey(SecretKeyScope)
        /// None: for the ping, and for Apple's reports.
        case open
    }

    let method: HTTPRequest.Method
    let template: String
    /// In all other versions the call doesn't exist, as in Gamebase's documents.
    let versions: Set<ServerAPIVersion>
    let access: Access

    private init(
        _ method: HTTPRequest.Method, _ template: String, in versions: Set<ServerAPIVersion> = ServerAPIVersion.newest,
        _ access: Access
    ) {
        self.method = method
        self.template = template
        self.versions = versions
        self.access = access
    }

    private static let gateway = "/tcgb-gateway/{version}/apps/{appId}"
    private static let members = "/tcgb-member/{version}/apps/{appId}"
    private static let launching = "/tcgb-launching/{version}/apps/{appId}"
    private static let every = ServerAPIVersion.every

    static let authenticate = Self(
        .get, gateway + "/members/{userId}/tokens/{accessToken}", in: every, .secretKey(.check))
    static let providerProfile = Self(.get, gateway + "/members/{userId}/idps/{idPCode}", .secretKey(.profile))
    static let member = Self(.get, members + "/members/{userId}", in: every, .secretKey(.profile))
    static let membersByID = Self(.post, members + "/members", in: every, .secretKey(.profile))
    static let authKeys = Self(.post, members + "/auth/authKeys", in: every, .secretKey(.profile))
    static let usersByAuthKey = Self(.post, members + "/members/userIds/authKeys", in: every, .secretKey(.profile))
    static let usersByIdPID = Self(.post, gateway + "/idps/{idPCode}/members", .secretKey(.profile))
    static let ban = Self(.post, gateway + "/members/ban", .secretKey(.moderate))
    static let bans = Self(.get, members + "/members/bans", in: every, .secretKey(.moderate))
    static let currentBans = Self(.get, members + "/members/bans/current", .secretKey(.moderate))
    static let releaseBan = Self(.delete, gateway + "/members/ban", .secretKey(.moderate))
    static let releases = Self(.get, members + "/members/bans/release", in: every, .secretKey(.moderate))
    static let validateTransferAccount = Self(
        .post, gateway + "/members/transfer-account", in: [.v112, .v13], .secretKey(.check))
    static let withdraw = Self(.delete, gateway + "/members/{userId}", .secretKey(.erase))
    static let withdrawals = Self(.get, members + "/logs/withdrawal", .secretKey(.erase))
    static let appleNotification = Self(.post, gateway + "/webhooks/apple/notifications", .open)
    static let simpleLaunching = Self(.get, launching + "/launching/simple", in: every, .secretKey(.check))
    static let maintenance = Self(
        .get, launching + "/maintenances/under-maintenance", in: every, .secretKey(.check))
    /// It also answers versions that don't exist, because clients send the version of their SDK.
    static let health = Self(.get, gateway + "/health", in: every, .open)

    /// Every call about accounts, in the order of Gamebase's documents.
    static let all: [ServerAPIEndpoint] = [
        authenticate, providerProfile, member, membersByID, authKeys, usersByAuthKey, usersByIdPID, ban, bans,
        currentBans, releaseBan, releases, validateTransferAccount, withdraw, withdrawals, appleNotification,
        simpleLaunching, maintenance, health,
    ]
}

extension ServerAPI {
    /// Every call of ``ServerAPIEndpoint/all``, in one line each.
    func addRoutes(to router: Router<GatehouseContext>) {
        on(.authenticate, router, authenticate)
        on(.providerProfile, router, providerProfile)
        on(.member, router, self.member)
        on(.membersByID, router, members)
        on(.authKeys, router, authKeys)
        on(.usersByAuthKey, router, usersByAuthKey)
        on(.usersByIdPID, router, usersByIdPID)
        on(.ban, router, ban)
        on(.bans, router, bans)
        on(.currentBans, router, currentBans)
        on(.releaseBan, router, releaseBan)
        on(.releases, router, releases)
        on(.validateTransferAccount, router, validateTransferAccount)
        on(.withdraw, router, withdraw)
        on(.withdrawals, router, withdrawals)
        on(.appleNotification, router, appleNotification)
        on(.simpleLaunching, router, simpleLaunching)
        on(.maintenance, router, maintenance)
        addHealth(to: router)
    }
}

/// Removes the access token from a path of Gamebase's Server API before the door's router sees the request. So no other code can log it,
/// and the router does not have to process its four hundred letters.
struct TokenInPath<Next: HTTPResponder>: HTTPResponder where Next.Context == GatehouseContext {
    let next: Next

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        guard let (path, token) = PathToken.take(from: request.head.path ?? "") else {
            return try await next.respond(to: request, context: context)
        }
        var head = request.head
        head.path = path
        var context = context
        context.pathToken = token
        return try await next.respond(to: Request(head: head, body: request.body), context: context)
    }
}

enum PathToken {
    /// The placeholder that replaces the token in the path.
    static let mark = "-"

    /// The path without the segment after `/tokens/`, which is the last one; nil if the path has none.
    static func take(from path: String) -> (path: String, token: AccessToken)? {
        var path = path
        guard let range = path.withUTF8(range) else { return nil }
        let utf8 = path.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        let end = utf8.index(start, offsetBy: range.count)
        return ("\(path[..<start])\(mark)\(path[end...])", AccessToken(String(path[start..<end])))
    }

    /// The position of the token. A token contains no slash, so it follows the last one.
    private static func range(_ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
        guard let slash = bytes[..<end].lastIndex(of: UInt8(ascii: "/")), slash + 1 < end,
            bytes[..<slash].suffix("/tokens".utf8.count).elementsEqual("/tokens".utf8)
        else { return nil }
        return slash + 1..<end
    }
}
