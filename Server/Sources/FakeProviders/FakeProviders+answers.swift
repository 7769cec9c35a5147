import Crypto
public import GatehousePlatform
import GatehouseWire
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
                    $0.replacing("+", with: " ").percentDecoded ?? ""
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

    private func place(_ path: String) -> (FakeRow, FakeRow.Place)? {
        for row in rows {
            if let place = row.places[path] ?? row.variablePlace(path) { return (row, place) }
        }
        return nil
    }

    /// Answers a request to the HTTP interface.
    public func respond(_ request: Request) -> Response {
        let path = String(request.path.drop { $0 == "/" })
        if path.isEmpty || path.hasPrefix("world") { return control(request) }
        if let response = oldSystems.respond(request) { return response }
        guard let (row, place) = place(path) else { return Self.failure(404, "not_found") }
        let provider = row.provider
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
        var response = answer(request, row, place)
        switch fault {
        case .slow(let milliseconds): response.delayMilliseconds = milliseconds
        case .lostAnswer: response.delayMilliseconds = 60_000
        case .odd(let oddity): response = Self.odd(oddity, response)
        default: break
        }
        var now = nowSeconds()
        if case .wrongClock(let seconds) = fault { now += seconds }
        response.headers["Date"] = HTTPDate.text(now)
        return response
    }

    private func answer(_ request: Request, _ row: FakeRow, _ place: FakeRow.Place) -> Response {
        switch place {
        case .authorize: return loginPage(request, row)
        case .token: return token(request, row)
        case .keys: return keys(of: row)
        case .check: return row.check(self, request)
        case .profile: return row.profile(self, request)
        case .revoke: return row.revoke(self, request)
        case .certificate: return Response(status: 200, headers: [:], body: gameCenterCertificates?.signer ?? Data())
        case .issuer: return Response(status: 200, headers: [:], body: gameCenterCertificates?.issuer ?? Data())
        case .channelToken: return Self.json(["access_token": "fake-channel-token", "expires_in": 900])
        case .discovery: return discovery(row.provider)
        case .nothing: return Self.failure(404, "not_found")
        }
    }

    private func keys(of row: FakeRow) -> Response {
        guard row.signsAsLINE else {
            // Readers must ignore keys of unknown kinds.
            let keys = (state.withLock { $0.keys[row.provider] } ?? [key]).map(\.published)
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

// What the providers' answers to servers have in common. Their forms are in the rows.
extension FakeProviders {
    func token(_ request: Request, _ row: FakeRow) -> Response {
        let form = request.form
        let provider = row.provider
        guard isClient(request, provider) else { return Self.failure(401, "invalid_client") }
        if let answer = row.grant(self, request) { return answer }
        switch form["grant_type"] {
        case "authorization_code": return exchange(form, row)
        case "refresh_token":
            guard let owner = owner(of: form["refresh_token"] ?? "", at: provider), owner.kind == "refresh" else {
                return Self.failure(400, "invalid_grant")
            }
            return Self.json([
                "access_token": .string(accessToken(provider, for: owner.player).secretValue), "expires_in": "3600",
                "token_type": "bearer",
            ])
        default: return Self.failure(400, "unsupported_grant_type")
        }
    }

    /// Whether the request authenticates the client with its secret, by this provider's method.
    func isClient(_ request: Request, _ provider: Provider) -> Bool {
        let form = request.form
        let client = form["client_id"] ?? ""
        guard client == clientID(of: provider) || client.hasPrefix("\(clientID(of: provider))-") else { return false }
        guard let isClient = row(of: provider)?.isClient else {
            return form["client_secret"] == clientSecret(of: provider)
        }
        return isClient(self, request, client)
    }

    private func exchange(_ form: [String: String], _ row: FakeRow) -> Response {
        let provider = row.provider
        let code = form["code"] ?? ""
        guard let grant = state.withLock({ $0.codes.removeValue(forKey: code) }), grant.provider == provider,
            grant.clientID == form["client_id"], grant.redirect == form["redirect_uri"]
        else { return Self.failure(400, "invalid_grant") }
        if let challenge = grant.challenge {
            let digest = SHA256.hash(data: Data((form["code_verifier"] ?? "").utf8))
            guard challenge == Base64URL.encode(digest) else { return Self.failure(400, "invalid_grant") }
        }
        let access = newToken(provider, for: grant.player, clientID: grant.clientID)
        var answer: [String: JSONValue] = [
            "access_token": .string(access.secretValue), "token_type": "Bearer", "expires_in": 3_600,
        ]
        if row.givesRefreshTokens {
            answer["refresh_token"] = .string(newToken(provider, for: grant.player, kind: "refresh").secretValue)
        }
        if row.givesIDTokens, let idToken = try? webToken(row, grant, accessToken: access) {
            answer["id_token"] = .string(idToken)
        }
        row.changeTokens(&answer, self, grant.player)
        return Self.json(.object(answer))
    }

    /// A new consent gives a token that is valid, also in the second in which the former one was revoked.
    private func newToken(
        _ provider: Provider, for player: String, clientID: String? = nil, kind: String = "access"
    ) -> ProviderToken {
        let token = accessToken(provider, for: player, clientID: clientID, kind: kind)
        guard revoked.contains(token.secretValue) else { return token }
        return accessToken(provider, for: player, clientID: clientID, kind: kind, nonce: FakeJWS.nonce())
    }

    private func webToken(_ row: FakeRow, _ grant: Grant, accessToken: ProviderToken) throws -> String {
        let provider = row.provider
        var claims: [String: JSONValue?] = ["aud": .string(grant.clientID)]
        if state.withLock({ $0.faults[provider] }) == .wrongAudience { claims["aud"] = "somebody-else" }
        if let nonce = grant.nonce { claims["nonce"] = .string(nonce) }
        row.changeWebClaims(&claims, accessToken)
        guard row.signsAsLINE else { return try idToken(provider, for: grant.player, claims: claims).secretValue }
        // LINE signs web logins with the channel's secret.
        var all = self.claims(provider, of: grant.player)
        for (name, value) in claims { all[name] = value }
        let input = try FakeJWS.input(header: ["alg": "HS256", "typ": "JWT"], claims: all)
        return "\(input).\(Base64URL.encode(FakeJWS.sign(input, secret: clientSecret(of: provider))))"
    }

    /// The person of an access token, as a profile's answer needs it.
    struct Person {
        let player: String
        let subject: JSONValue
        /// The same, for providers whose ids are numbers.
        let number: JSONValue
        let name: JSONValue
    }

    func person(of token: String, at provider: Provider) -> Person? {
        owner(of: token, at: provider).map { owner in
            Person(
                player: owner.player, subject: .string(subject(of: owner.player, at: provider)),
                number: number(of: owner.player, at: provider), name: .string("Player \(owner.player)"))
        }
    }

    func number(of player: String, at provider: Provider) -> JSONValue {
        .integer(Int64(subject(of: player, at: provider)) ?? 0)
    }

    func secondsLeft(of owner: TokenOwner) -> Int64 { owner.issuedAt + 3_600 - nowSeconds() }

    func noteRevoked(_ token: String) { state.withLock { $0.revoked.append(token) } }
}
