import Crypto
import Foundation
import GatehouseWire
import Synchronization

// Each provider's answers to servers, in its own format.
extension FakeProviders {
    func token(_ request: Request, _ provider: Provider) -> Response {
        let form = request.form
        guard isClient(form, request, provider) else { return Self.failure(401, "invalid_client") }
        switch form["grant_type"] {
        case "authorization_code": return exchange(form, provider)
        case "refresh_token":
            guard let owner = owner(of: form["refresh_token"] ?? "", at: provider), owner.kind == "refresh" else {
                return Self.failure(400, "invalid_grant")
            }
            return Self.json([
                "access_token": .string(accessToken(provider, for: owner.player).secretValue), "expires_in": "3600",
                "token_type": "bearer",
            ])
        case "delete" where provider == .naver:
            let token = form["access_token"] ?? ""
            guard owner(of: token, at: provider) != nil else { return Self.failure(400, "invalid_request") }
            state.withLock { $0.revoked.append(token) }
            return Self.json(["access_token": .string(token), "result": "success"])
        default: return Self.failure(400, "unsupported_grant_type")
        }
    }

    /// Whether the request authenticates the client with its secret, by this provider's method.
    private func isClient(_ form: [String: String], _ request: Request, _ provider: Provider) -> Bool {
        let client = form["client_id"] ?? ""
        guard client == clientID(of: provider) || client.hasPrefix("\(clientID(of: provider))-") else { return false }
        switch provider {
        case .apple: return isAppleSecret(form["client_secret"] ?? "")
        case .twitter:
            let pair = Data("\(client):\(clientSecret(of: provider))".utf8).base64EncodedString()
            return request.headers["authorization"] == "Basic \(pair)"
        case .studio: return isStudioClient(form, request, client)
        default: return form["client_secret"] == clientSecret(of: provider)
        }
    }

    /// Checks that a client authenticates as the discovery document specifies: with HTTP Basic, unless it says otherwise (OpenID
    /// Connect Discovery section 3).
    private func isStudioClient(_ form: [String: String], _ request: Request, _ client: String) -> Bool {
        let isRevocation = request.path.hasSuffix("/revoke")
        let names = state.withLock { state in
            let own = isRevocation ? state.discovery["revocation_endpoint_auth_methods_supported"] : nil
            return own ?? state.discovery["token_endpoint_auth_methods_supported"]
        }
        var offered: [JSONValue] = ["client_secret_basic"]
        if case .array(let named)? = names { offered = named }
        if let assertion = form["client_assertion"] {
            return offered.contains("private_key_jwt") && isClientAssertion(assertion, of: client)
        }
        if let header = request.headers["authorization"] {
            let pair = Data("\(client):\(clientSecret(of: .studio))".utf8).base64EncodedString()
            return offered.contains("client_secret_basic") && header == "Basic \(pair)" && form["client_secret"] == nil
        }
        if let secret = form["client_secret"] {
            return offered.contains("client_secret_post") && secret == clientSecret(of: .studio)
        }
        return offered.contains("none")
    }

    /// RFC 7523 section 3.
    private func isClientAssertion(_ text: String, of client: String) -> Bool {
        guard let (input, claims, signature) = FakeJWS.parts(text), let jti = claims["jti"]?.stringValue,
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            clientKey.publicKey.isValidSignature(ecdsa, for: Data(input.utf8)),
            case .integer(let end)? = claims["exp"]
        else { return false }
        return claims["iss"] == .string(client) && claims["sub"] == .string(client)
            && claims["aud"] == .string("\(issuer(of: .studio))/token")
            && (nowSeconds()...nowSeconds() + 300).contains(end)
            && state.withLock { $0.assertions.insert(jti).inserted }
    }

    private func isAppleSecret(_ text: String) -> Bool {
        guard let (input, claims, signature) = FakeJWS.parts(text),
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return appleTeamKey.publicKey.isValidSignature(ecdsa, for: Data(input.utf8))
            && claims["iss"] == "FAKETEAM01" && claims["aud"] == "https://appleid.apple.com"
            && claims["sub"] == .string(clientID(of: .apple))
    }

    private func exchange(_ form: [String: String], _ provider: Provider) -> Response {
        let code = form["code"] ?? ""
        guard let grant = state.withLock({ $0.codes.removeValue(forKey: code) }), grant.provider == provider,
            grant.clientID == form["client_id"], grant.redirect == form["redirect_uri"]
        else { return Self.failure(400, "invalid_grant") }
        if let challenge = grant.challenge {
            let digest = SHA256.hash(data: Data((form["code_verifier"] ?? "").utf8))
            guard challenge == Base64URL.encode(digest) else { return Self.failure(400, "invalid_grant") }
        }
        let access = accessToken(provider, for: grant.player, clientID: grant.clientID)
        var answer: [String: JSONValue] = [
            "access_token": .string(access.secretValue), "token_type": "Bearer", "expires_in": 3_600,
        ]
        if provider == .naver { answer["expires_in"] = "3600" }
        if provider == .weibo { answer["uid"] = .string(subject(of: grant.player, at: provider)) }
        if provider != .facebook, provider != .weibo {
            answer["refresh_token"] = .string(accessToken(provider, for: grant.player, kind: "refresh").secretValue)
        }
        if [.google, .apple, .line, .kakao, .studio].contains(provider),
            let idToken = try? webToken(provider, grant, accessToken: access)
        {
            answer["id_token"] = .string(idToken)
        }
        return Self.json(.object(answer))
    }

    private func webToken(_ provider: Provider, _ grant: Grant, accessToken: ProviderToken) throws -> String {
        var claims: [String: JSONValue?] = ["aud": .string(grant.clientID)]
        if state.withLock({ $0.faults[provider] }) == .wrongAudience { claims["aud"] = "somebody-else" }
        if let nonce = grant.nonce { claims["nonce"] = .string(nonce) }
        if provider == .google {
            let digest = SHA256.hash(data: Data(accessToken.secretValue.utf8))
            claims["at_hash"] = .string(Base64URL.encode(Array(digest.prefix(16))))
        }
        guard provider == .line else { return try idToken(provider, for: grant.player, claims: claims).secretValue }
        // LINE signs web logins with the channel's secret.
        var all = self.claims(provider, of: grant.player)
        for (name, value) in claims { all[name] = value }
        let input = try FakeJWS.input(header: ["alg": "HS256", "typ": "JWT"], claims: all)
        return "\(input).\(Base64URL.encode(FakeJWS.sign(input, secret: clientSecret(of: provider))))"
    }

    // MARK: Whose a token is

    func check(_ request: Request, _ provider: Provider) -> Response {
        switch provider {
        case .google:
            guard let owner = owner(of: request.query["access_token"] ?? "", at: provider) else {
                return Self.failure(400, "invalid_token")
            }
            return Self.json([
                "aud": .string(owner.clientID), "azp": .string(owner.clientID),
                "sub": .string(subject(of: owner.player, at: provider)),
                "expires_in": .string(String(secondsLeft(of: owner))), "scope": "openid",
            ])
        case .facebook:
            guard request.query["access_token"] == "\(clientID(of: provider))|\(clientSecret(of: provider))" else {
                return Self.json(["error": ["message": "Invalid app token", "code": 190]], status: 400)
            }
            guard let owner = owner(of: request.query["input_token"] ?? "", at: provider) else {
                return Self.json(["data": ["is_valid": false, "error": ["code": 190]]])
            }
            return Self.json([
                "data": [
                    "app_id": .string(owner.clientID), "is_valid": true, "type": "USER",
                    "user_id": .string(subject(of: owner.player, at: provider)),
                    "expires_at": .integer(owner.issuedAt + 3_600), "scopes": ["public_profile"],
                ]
            ])
        case .line:
            guard let owner = owner(of: request.query["access_token"] ?? "", at: provider) else {
                return Self.json(
                    ["error": "invalid_request", "error_description": "access token expired"], status: 400)
            }
            return Self.json([
                "scope": "profile openid", "client_id": .string(owner.clientID),
                "expires_in": .integer(secondsLeft(of: owner)),
            ])
        case .kakao:
            guard let owner = owner(of: request.bearer, at: provider) else {
                return Self.json(["msg": "this access token does not exist", "code": -401], status: 401)
            }
            // Kakao identifies apps by numbers here.
            let isOurs = owner.clientID == clientID(of: provider)
            return Self.json([
                "id": number(of: owner.player, at: provider), "expires_in": .integer(secondsLeft(of: owner)),
                "app_id": .integer(isOurs ? Int64(Self.kakaoAppID) ?? 0 : 1),
            ])
        case .weibo:
            guard let owner = owner(of: request.form["access_token"] ?? "", at: provider) else {
                return Self.json(["error": "invalid_access_token", "error_code": 21_332], status: 400)
            }
            return Self.json([
                "uid": number(of: owner.player, at: provider), "appkey": .string(owner.clientID), "scope": "",
                "create_at": .integer(owner.issuedAt), "expire_in": .string(String(secondsLeft(of: owner))),
            ])
        default:
            guard request.headers["x-api-key"] == clientSecret(of: provider) else {
                return Self.failure(401, "wrong_key")
            }
            guard let owner = owner(of: request.form["token"] ?? "", at: provider) else {
                return Self.json(["result": ["ok": false]])
            }
            return Self.json([
                "result": [
                    "ok": true, "client": .string(owner.clientID),
                    "user": ["no": .string(subject(of: owner.player, at: provider))],
                ]
            ])
        }
    }

    func profile(_ request: Request, _ provider: Provider) -> Response {
        let token: String
        switch provider {
        case .facebook, .weibo: token = request.query["access_token"] ?? ""
        case .payco: token = request.headers["access_token"] ?? ""
        default: token = request.bearer
        }
        guard let owner = owner(of: token, at: provider) else {
            switch provider {
            case .naver:
                return Self.json(["resultcode": "024", "message": "Authentication failed"], status: 401)
            // PAYCO reports this with status 200.
            case .payco: return Self.json(["header": ["isSuccessful": false, "resultCode": -1]])
            default: return Self.failure(401, "invalid_token")
            }
        }
        let subject = JSONValue.string(subject(of: owner.player, at: provider))
        let name = JSONValue.string("Player \(owner.player)")
        switch provider {
        case .facebook:
            let key = SymmetricKey(data: Data(clientSecret(of: provider).utf8))
            let proof = HMAC<SHA256>.authenticationCode(for: Data(token.utf8), using: key)
            guard request.query["appsecret_proof"] == proof.map({ String(format: "%02x", $0) }).joined() else {
                return Self.json(["error": ["message": "Invalid appsecret_proof", "code": 100]], status: 400)
            }
            return Self.json(["id": subject, "name": name])
        case .line: return Self.json(["userId": subject, "displayName": name])
        case .naver:
            return Self.json([
                "resultcode": "00", "message": "success", "response": ["id": subject, "nickname": name],
            ])
        case .kakao:
            return Self.json([
                "id": number(of: owner.player, at: provider), "kakao_account": ["profile": ["nickname": name]],
            ])
        case .twitter: return Self.json(["data": ["id": subject, "name": name, "username": .string(owner.player)]])
        case .weibo:
            return Self.json([
                "id": number(of: owner.player, at: provider), "idstr": subject, "screen_name": name,
            ])
        default:
            guard request.headers["client_id"] == clientID(of: provider) else {
                return Self.json(["header": ["isSuccessful": false, "resultCode": -2]])
            }
            return Self.json([
                "header": ["isSuccessful": true, "resultCode": 0], "data": ["member": ["idNo": subject, "name": name]],
            ])
        }
    }

    private func number(of player: String, at provider: Provider) -> JSONValue {
        .integer(Int64(subject(of: player, at: provider)) ?? 0)
    }

    private func secondsLeft(of owner: TokenOwner) -> Int64 { owner.issuedAt + 3_600 - nowSeconds() }

    // MARK: Taking back

    func revoke(_ request: Request, _ provider: Provider) -> Response {
        let form = request.form
        switch provider {
        case .google, .apple, .studio, .twitter:
            guard let token = form["token"] else { return Self.failure(400, "invalid_request") }
            if provider == .apple, !isAppleSecret(form["client_secret"] ?? "") {
                return Self.failure(400, "invalid_client")
            }
            // Some providers answer with only the status.
            if provider == .studio || provider == .twitter, !isClient(form, request, provider) {
                return Response(status: 401, headers: [:], body: Data())
            }
            // RFC 7009: revoking an unknown token is not an error. Apple's answer is empty.
            state.withLock { $0.revoked.append(token) }
            return provider == .apple
                ? Response(status: 200, headers: [:], body: Data())
                : Self.json(provider == .twitter ? ["revoked": true] : [:])
        case .facebook:
            let token = request.query["access_token"] ?? ""
            guard request.method == "DELETE", owner(of: token, at: provider) != nil else {
                return Self.json(["error": ["code": 190]], status: 400)
            }
            state.withLock { $0.revoked.append(token) }
            return Self.json(["success": true])
        case .line:
            guard request.bearer == "fake-channel-token",
                let body = try? JSONDecoder().decode([String: String].self, from: request.body),
                let token = body["userAccessToken"]
            else { return Self.failure(401, "invalid_token") }
            state.withLock { $0.revoked.append(token) }
            return Response(status: 204, headers: [:], body: Data())
        case .kakao:
            guard request.headers["authorization"] == "KakaoAK \(adminKey)", let subject = form["target_id"] else {
                return Self.json(["code": -401], status: 401)
            }
            state.withLock { $0.revoked.append("\(provider):\(subject)") }
            return Self.json(["id": .integer(Int64(subject) ?? 0)])
        default:
            guard let token = form["access_token"] else { return Self.failure(400, "invalid_request") }
            state.withLock { $0.revoked.append(token) }
            return Self.json(["result": "true"])
        }
    }
}
