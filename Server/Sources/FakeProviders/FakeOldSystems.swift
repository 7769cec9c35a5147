import Crypto
import GatehousePlatform
public import GatehouseWire

/// Sign-in systems that players come from, for development and tests: they sign tokens of every form, publish their keys, and answer the
/// calls of those that alone know their players. Anybody is one of their players.
public struct FakeOldSystems: Sendable {
    public enum Name: String, Sendable, CaseIterable {
        case firebase, supabase, unity, eos, cognito, openid, nakama, gamebase, playfab, gatehouse
    }

    /// The project, the title or the client that every app has there.
    public static let project = "my-game"
    public static let audience = "my-client"
    /// The issuers of the systems whose issuer an operator sets.
    public static let cognitoIssuer = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_pool"
    public static let openIDIssuer = "https://id.old.example"
    /// An app of another Gatehouse.
    public static let gatehouseApp = "old-game"
    public static let gatehouseIssuer = "https://login.old.example/v1/apps/\(gatehouseApp)"
    private static let gatehouseKey = FakeSigningKey.p256(id: "gatehouse-1")
    /// The key of Nakama, and the secret keys with which servers ask Gamebase and PlayFab.
    public static let secret = "a-secret-of-the-old-system"

    let key: FakeSigningKey
    let nowSeconds: @Sendable () -> Int64

    public init(key: FakeSigningKey, nowSeconds: @escaping @Sendable () -> Int64) {
        self.key = key
        self.nowSeconds = nowSeconds
    }

    /// A token of a player. A test changes members through `claims` and `header`; nil removes a member.
    ///
    /// - Parameter secret: signs with this key instead, by HS256.
    public func token(
        _ name: Name, for player: String, claims changed: [String: JSONValue?] = [:],
        header changedHeader: [String: JSONValue?] = [:], signedBy other: FakeSigningKey? = nil, secret: String? = nil
    ) throws -> ProviderToken {
        var claims = claims(name, of: player)
        for (name, value) in changed { claims[name] = value }
        let secret = secret ?? (name == .nakama ? Self.secret : nil)
        let isGatehouse = name == .gatehouse
        let key = other ?? (isGatehouse ? Self.gatehouseKey : key)
        var header: [String: JSONValue] = [
            "alg": .string(key.algorithm), "typ": isGatehouse ? "at+jwt" : "JWT", "kid": .string(key.id),
        ]
        if secret != nil { header = ["alg": "HS256", "typ": "JWT"] }
        for (name, value) in changedHeader { header[name] = value }
        let input = try FakeJWS.input(header: header, claims: claims)
        let signature = try secret.map { FakeJWS.sign(input, secret: $0) } ?? key.sign(input)
        return ProviderToken("\(input).\(Base64URL.encode(signature))")
    }

    private func claims(_ name: Name, of player: String) -> [String: JSONValue] {
        let now = nowSeconds()
        var claims: [String: JSONValue] = [
            "sub": .string(player), "iat": .integer(now), "exp": .integer(now + 3_600),
            // Two tokens of one second differ.
            "jti": .string(FakeJWS.nonce()),
        ]
        switch name {
        case .firebase:
            claims["iss"] = .string("https://securetoken.google.com/\(Self.project)")
            claims["aud"] = .string(Self.project)
            claims["auth_time"] = .integer(now)
            claims["firebase"] = ["sign_in_provider": "anonymous", "identities": [:]]
        case .supabase:
            claims["iss"] = .string("https://\(Self.project).supabase.co/auth/v1")
            claims["aud"] = "authenticated"
            claims["role"] = "authenticated"
            claims["session_id"] = .string(FakeJWS.nonce())
            claims["is_anonymous"] = true
        case .unity:
            claims["iss"] = "https://player-auth.services.api.unity.com"
            claims["aud"] = [.string("upid:\(Self.project)"), "envName:production"]
            claims["project_id"] = .string(Self.project)
            claims["sign_in_provider"] = "anonymous"
        case .eos:
            claims["iss"] = "https://api.epicgames.dev/auth/v1/oauth"
            claims["aud"] = .string(Self.audience)
            claims["pfdid"] = .string(Self.project)
        case .cognito:
            claims["iss"] = .string(Self.cognitoIssuer)
            claims["aud"] = .string(Self.audience)
            claims["token_use"] = "id"
        case .openid:
            claims["iss"] = .string(Self.openIDIssuer)
            claims["aud"] = .string(Self.audience)
        case .nakama:
            claims = [
                "tid": .string(FakeJWS.nonce()), "uid": .string(player), "usn": "name",
                "exp": .integer(now + 60),
            ]
        case .gatehouse:
            claims["jti"] = nil
            claims["iss"] = .string(Self.gatehouseIssuer)
            claims["aud"] = .string(Self.gatehouseApp)
            claims["sid"] = .string(FakeJWS.nonce())
            claims["idp"] = "guest"
            claims["gen"] = 0
            claims["cnf"] = ["jkt": .string(FakeJWS.nonce())]
        case .gamebase, .playfab: break
        }
        return claims
    }

    /// Firebase's refresh token of a player.
    public func refreshToken(of player: String) -> ProviderToken { ProviderToken("refresh-of-\(player)") }

    /// What Gamebase and PlayFab have given to a player's device. Both are good until the next hour.
    public func ticket(of player: String) -> ProviderToken { ProviderToken("ticket-of-\(player)") }

    // MARK: What they answer

    private static let keyPlaces: Set<String> = [
        "www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
        "\(project).supabase.co/auth/v1/.well-known/jwks.json",
        "player-auth.services.api.unity.com/.well-known/jwks.json", "api.epicgames.dev/auth/v1/oauth/jwks",
        "cognito-idp.eu-west-1.amazonaws.com/eu-west-1_pool/.well-known/jwks.json", "id.old.example/keys",
    ]

    /// The answer to a request for `HOST/PATH`; nil for a place that none of them has.
    public func respond(_ request: FakeProviders.Request) -> FakeProviders.Response? {
        let path = String(request.path.drop { $0 == "/" })
        if Self.keyPlaces.contains(path) { return FakeProviders.json(["keys": [key.published]]) }
        let gatehouse = String(Self.gatehouseIssuer.dropFirst("https://".count))
        if path == "\(gatehouse)/jwks.json" { return FakeProviders.json(["keys": [Self.gatehouseKey.published]]) }
        if path == "\(gatehouse)/.well-known/openid-configuration" {
            return FakeProviders.json([
                "issuer": .string(Self.gatehouseIssuer), "jwks_uri": .string("\(Self.gatehouseIssuer)/jwks.json"),
            ])
        }
        if path == "id.old.example/.well-known/openid-configuration" {
            return FakeProviders.json([
                "issuer": .string(Self.openIDIssuer), "jwks_uri": .string("\(Self.openIDIssuer)/keys"),
            ])
        }
        let parts = path.split(separator: "/").map(String.init)
        switch parts.first {
        case "api-gamebase.nhncloudservice.com": return gamebase(parts, request)
        case "\(Self.project).playfabapi.com": return playFab(parts.last ?? "", request)
        case "securetoken.googleapis.com": return secureToken(request)
        default: return nil
        }
    }

    private func gamebase(_ parts: [String], _ request: FakeProviders.Request) -> FakeProviders.Response {
        func answer(_ code: Int64, _ user: String? = nil) -> FakeProviders.Response {
            var members: [String: JSONValue] = [
                "header": ["resultCode": .integer(code), "isSuccessful": .bool(code == 0), "resultMessage": "-"]
            ]
            if let user { members["member"] = ["userId": .string(user), "valid": "Y", "authList": []] }
            return FakeProviders.json(.object(members))
        }
        guard request.headers["x-secret-key"] == Self.secret else { return answer(-4_010_001) }
        if parts.last == "transfer-account" {
            guard let body = try? JSONDecoder().decode([String: [String: String]].self, from: request.body),
                let account = body["account"], let id = account["id"], account["password"] == "password-of-\(id)"
            else { return answer(-4_040_403) }
            return answer(0, id)
        }
        guard parts.count == 9, parts[4] == Self.project, parts[8] == ticket(of: parts[6]).secretValue else {
            return answer(-4_010_203)
        }
        return answer(0, parts[6])
    }

    private func playFab(_ call: String, _ request: FakeProviders.Request) -> FakeProviders.Response {
        func answer(_ data: JSONValue) -> FakeProviders.Response {
            FakeProviders.json(["code": 200, "status": "OK", "data": data])
        }
        let refused = FakeProviders.json(["code": 401, "status": "Unauthorized"], status: 401)
        let titleToken = "entity-token-of-the-title"
        let hasKey =
            call == "ValidateEntityToken"
            ? request.headers["x-entitytoken"] == titleToken : request.headers["x-secretkey"] == Self.secret
        guard hasKey, let body = try? JSONDecoder().decode([String: String].self, from: request.body) else {
            return refused
        }
        if call == "GetEntityToken" { return answer(["EntityToken": .string(titleToken)]) }
        guard let ticket = body["SessionTicket"] ?? body["EntityToken"], ticket.hasPrefix("ticket-of-") else {
            return refused
        }
        let player = JSONValue.string(String(ticket.dropFirst("ticket-of-".count)))
        guard call == "ValidateEntityToken" else {
            return answer(["IsSessionTicketExpired": false, "UserInfo": ["PlayFabId": player]])
        }
        let kind = player == "TITLE" ? "title" : "title_player_account"
        return answer([
            "Entity": ["Id": "OF-THE-TITLE", "Type": .string(kind)], "Lineage": ["MasterPlayerAccountId": player],
        ])
    }

    /// Firebase's exchange of a refresh token for an ID token.
    private func secureToken(_ request: FakeProviders.Request) -> FakeProviders.Response {
        func refused(_ message: String) -> FakeProviders.Response {
            FakeProviders.json(["error": ["code": 400, "message": .string(message)]], status: 400)
        }
        guard request.headers["x-goog-api-key"] == Self.secret else { return refused("API key not valid.") }
        let form = request.form
        guard form["grant_type"] == "refresh_token", let token = form["refresh_token"] else {
            return refused("MISSING_REFRESH_TOKEN")
        }
        if token == "ended" { return refused("TOKEN_EXPIRED") }
        guard token.hasPrefix("refresh-of-"),
            let idToken = try? self.token(.firebase, for: String(token.dropFirst("refresh-of-".count)))
        else { return refused("INVALID_REFRESH_TOKEN") }
        return FakeProviders.json([
            "id_token": .string(idToken.secretValue), "token_type": "Bearer", "expires_in": "3600",
            "project_id": .string(Self.project),
        ])
    }
}
