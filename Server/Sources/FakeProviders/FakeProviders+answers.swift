import Crypto
public import Foundation
public import GatehouseWire
import Synchronization

extension FakeProviders {
    /// A request to the fake providers' HTTP interface.
    public struct Request: Sendable, Hashable {
        public var method: String
        public var path: String
        public var query: [String: String]
        /// The headers, with lower-case names.
        public var headers: [String: String]
        public var body: Data

        /// - Parameter headers: with lower-case names.
        public init(
            method: String, path: String, query: [String: String] = [:], headers: [String: String] = [:],
            body: Data = Data()
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.body = body
        }

        /// The request for a whole URL; nil if the text is not a URL. Header names may have any case.
        public init?(method: String, url: String, headers: [String: String], body: Data) {
            guard let parts = URLComponents(string: url) else { return nil }
            let query = (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }
            self.init(
                method: method, path: parts.path, query: Dictionary(query) { _, last in last },
                headers: Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { _, last in last }, body: body)
        }

        var form: [String: String] {
            var members: [String: String] = [:]
            for part in String(decoding: body, as: UTF8.self).split(separator: "&") {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                    $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
                }
                members[pair[0]] = pair.count == 2 ? pair[1] : ""
            }
            return members
        }

        var bearer: String {
            let value = headers["authorization"] ?? ""
            return value.hasPrefix("Bearer ") ? String(value.dropFirst(7)) : ""
        }
    }

    /// A provider's response.
    public struct Response: Sendable, Hashable {
        public var status: Int
        public var headers: [String: String] = ["Content-Type": "application/json"]
        public var body: Data
        /// The delay before the response. The HTTP server waits for it.
        public var delayMilliseconds = 0
    }

    /// Each place of the fake world, with its provider.
    private static let places: [String: (Provider, Place)] = [
        "accounts.google.com/o/oauth2/v2/auth": (.google, .authorize),
        "oauth2.googleapis.com/token": (.google, .token), "www.googleapis.com/oauth2/v3/certs": (.google, .keys),
        "oauth2.googleapis.com/tokeninfo": (.google, .check), "oauth2.googleapis.com/revoke": (.google, .revoke),
        "appleid.apple.com/auth/authorize": (.apple, .authorize), "appleid.apple.com/auth/token": (.apple, .token),
        "appleid.apple.com/auth/keys": (.apple, .keys), "appleid.apple.com/auth/revoke": (.apple, .revoke),
        FakeGameCenter.certificatePath: (.gameCenter, .certificate),
        FakeGameCenter.issuerPath: (.gameCenter, .issuer),
        "www.facebook.com/v19.0/dialog/oauth": (.facebook, .authorize),
        "graph.facebook.com/v19.0/oauth/access_token": (.facebook, .token),
        "limited.facebook.com/.well-known/oauth/openid/jwks/": (.facebook, .keys),
        "graph.facebook.com/v19.0/debug_token": (.facebook, .check),
        "graph.facebook.com/v19.0/me": (.facebook, .profile),
        "access.line.me/oauth2/v2.1/authorize": (.line, .authorize), "api.line.me/oauth2/v2.1/token": (.line, .token),
        "api.line.me/oauth2/v2.1/certs": (.line, .keys), "api.line.me/oauth2/v2.1/verify": (.line, .check),
        "api.line.me/v2/profile": (.line, .profile), "api.line.me/oauth2/v3/token": (.line, .channelToken),
        "api.line.me/user/v1/deauthorize": (.line, .revoke),
        "nid.naver.com/oauth2.0/authorize": (.naver, .authorize), "nid.naver.com/oauth2.0/token": (.naver, .token),
        "openapi.naver.com/v1/nid/me": (.naver, .profile),
        "kauth.kakao.com/oauth/authorize": (.kakao, .authorize), "kauth.kakao.com/oauth/token": (.kakao, .token),
        "kauth.kakao.com/.well-known/jwks.json": (.kakao, .keys),
        "kapi.kakao.com/v1/user/access_token_info": (.kakao, .check), "kapi.kakao.com/v2/user/me": (.kakao, .profile),
        "kapi.kakao.com/v1/user/unlink": (.kakao, .revoke),
        "x.com/i/oauth2/authorize": (.twitter, .authorize), "api.x.com/2/oauth2/token": (.twitter, .token),
        "api.x.com/2/users/me": (.twitter, .profile), "api.x.com/2/oauth2/revoke": (.twitter, .revoke),
        "api.weibo.com/oauth2/authorize": (.weibo, .authorize), "api.weibo.com/oauth2/access_token": (.weibo, .token),
        "api.weibo.com/oauth2/get_token_info": (.weibo, .check), "api.weibo.com/2/users/show.json": (.weibo, .profile),
        "api.weibo.com/oauth2/revokeoauth2": (.weibo, .revoke),
        "id.payco.com/oauth2.0/authorize": (.payco, .authorize), "id.payco.com/oauth2.0/token": (.payco, .token),
        "apis-payco.krp.toastoven.net/payco/friends/find_member_v2.json": (.payco, .profile),
        "partner.hangame.example/authorize": (.hangame, .authorize),
        "partner.hangame.example/token": (.hangame, .token),
        "partner.hangame.example/introspect": (.hangame, .check),
        "partner.kakaogame.example/authorize": (.kakaoGame, .authorize),
        "partner.kakaogame.example/token": (.kakaoGame, .token),
        "partner.kakaogame.example/introspect": (.kakaoGame, .check),
        "id.studio.example/.well-known/openid-configuration": (.studio, .discovery),
        "id.studio.example/authorize": (.studio, .authorize), "id.studio.example/token": (.studio, .token),
        "id.studio.example/keys": (.studio, .keys), "id.studio.example/revoke": (.studio, .revoke),
    ]

    enum Place {
        case authorize, token, keys, check, profile, revoke, certificate, issuer, channelToken, discovery, nothing
    }

    private static func place(_ path: String) -> (Provider, Place)? {
        if let found = places[path] { return found }
        // Game Center's hosts are asked for what a client names: a test counts that, too.
        if path.hasPrefix("static.gc.apple.com/") || path.hasPrefix("sandbox.gc.apple.com/") {
            return (.gameCenter, .nothing)
        }
        let parts = path.split(separator: "/")
        guard parts.count == 4, parts[0] == "graph.facebook.com", parts[3] == "permissions" else { return nil }
        return (.facebook, .revoke)
    }

    /// Answers a request to the HTTP interface.
    public func respond(_ request: Request) -> Response {
        let path = String(request.path.drop { $0 == "/" })
        if path.isEmpty || path.hasPrefix("world") { return control(request) }
        guard let (provider, place) = Self.place(path) else { return Self.failure(404, "not_found") }
        let fault = state.withLock { state in
            state.requests[provider, default: 0] += 1
            return state.faults[provider]
        }
        switch fault {
        case .down: return Self.failure(503, "down")
        case .tooManyRequests: return Self.failure(429, "too_many_requests")
        case .serverError: return Self.failure(400, "server_error")
        default: break
        }
        var response = answer(request, provider, place)
        switch fault {
        case .slow(let milliseconds): response.delayMilliseconds = milliseconds
        case .lostAnswer: response.delayMilliseconds = 60_000
        case .odd(let oddity): response = Self.odd(oddity, response)
        default: break
        }
        return response
    }

    private func answer(_ request: Request, _ provider: Provider, _ place: Place) -> Response {
        switch place {
        case .authorize: return loginPage(request, provider)
        case .token: return token(request, provider)
        case .keys: return keys(of: provider)
        case .check: return check(request, provider)
        case .profile: return profile(request, provider)
        case .revoke: return revoke(request, provider)
        case .certificate: return Response(status: 200, headers: [:], body: gameCenterCertificates?.signer ?? Data())
        case .issuer: return Response(status: 200, headers: [:], body: gameCenterCertificates?.issuer ?? Data())
        case .channelToken: return Self.json(["access_token": "fake-channel-token", "expires_in": 900])
        case .discovery: return discovery(provider)
        case .nothing: return Self.failure(404, "not_found")
        }
    }

    private func keys(of provider: Provider) -> Response {
        guard provider == .line else {
            // Readers must ignore keys of unknown kinds.
            let keys = (state.withLock { $0.keys[provider] } ?? [key]).map(\.published)
            return Self.json(["keys": .array(keys + [["kty": "OKP", "crv": "Ed25519", "kid": "odd"]])])
        }
        let raw = lineKey.publicKey.rawRepresentation
        return Self.json([
            "keys": [
                [
                    "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": "line-1",
                    "x": .string(Base64URL.encode(raw.prefix(32))), "y": .string(Base64URL.encode(raw.suffix(32))),
                ]
            ]
        ])
    }

    private func discovery(_ provider: Provider) -> Response {
        let issuer = issuer(of: provider)
        let (named, others) = state.withLock { ($0.discoveryIssuer, $0.discovery) }
        let document: [String: JSONValue] = [
            "issuer": .string(named ?? issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
            "token_endpoint": .string("\(issuer)/token"), "jwks_uri": .string("\(issuer)/keys"),
            "revocation_endpoint": .string("\(issuer)/revoke"), "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
            "authorization_response_iss_parameter_supported": true,
        ]
        return Self.json(.object(document.merging(others) { $1 }))
    }

    static func json(_ value: JSONValue, status: Int = 200) -> Response {
        Response(status: status, body: (try? JSONEncoder().encode(value)) ?? Data())
    }

    static func failure(_ status: Int, _ error: String) -> Response {
        json(["error": .string(error)], status: status)
    }

    /// A response with status 200 whose body is not a valid answer.
    private static func odd(_ oddity: FakeOddity, _ response: Response) -> Response {
        let body: Data
        switch oddity {
        case .html: body = Data("<!doctype html><title>Busy</title>".utf8)
        case .huge: body = Data(repeating: 0x20, count: 4 << 20)
        case .empty: body = Data()
        case .error: body = Data(#"{"error":"invalid_token","error_description":"expired"}"#.utf8)
        case .garbage: body = Data((0..<256).map { UInt8($0) })
        default: body = withSubject(oddity, in: response.body)
        }
        return Response(status: 200, headers: response.headers, body: body)
    }

    private static func withSubject(_ oddity: FakeOddity, in body: Data) -> Data {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: body) else { return body }
        let odd: JSONValue? =
            switch oddity {
            case .emptySubject: ""
            case .nullSubject: .null
            case .zeroSubject: 0
            case .listSubject: ["alice"]
            default: nil
            }
        func changed(_ value: JSONValue) -> JSONValue {
            guard case .object(var members) = value else { return value }
            for (name, member) in members { members[name] = changed(member) }
            for name in ["sub", "id", "userId", "user_id", "idNo", "uid", "no", "idstr"] where members[name] != nil {
                members[name] = odd
            }
            return .object(members)
        }
        return (try? JSONEncoder().encode(changed(value))) ?? body
    }
}
