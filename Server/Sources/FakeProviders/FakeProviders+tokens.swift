import Crypto
import GatehousePlatform
import GatehouseWire
import Synchronization

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
