import Crypto
import GatehousePlatform
import GatehouseWire

extension FakeRow {
    static let facebook = FakeRow(
        provider: .facebook,
        places: [
            "www.facebook.com/v19.0/dialog/oauth": .authorize, "graph.facebook.com/v19.0/oauth/access_token": .token,
            "limited.facebook.com/.well-known/oauth/openid/jwks/": .keys,
            "graph.facebook.com/v19.0/debug_token": .check, "graph.facebook.com/v19.0/me": .profile,
        ],
        variablePlace: { path in
            let parts = path.split(separator: "/")
            return parts.count == 4 && parts[0] == "graph.facebook.com" && parts[3] == "permissions" ? .revoke : nil
        },
        issuer: "https://www.facebook.com", settings: plain("facebook"), givesRefreshTokens: false,
        check: { idps, request in
            let provider = Provider.facebook
            guard
                request.query["access_token"]
                    == "\(idps.clientID(of: provider))|\(idps.clientSecret(of: provider))"
            else { return FakeProviders.json(["error": ["message": "Invalid app token", "code": 190]], status: 400) }
            guard let owner = idps.owner(of: request.query["input_token"] ?? "", at: provider) else {
                return FakeProviders.json(["data": ["is_valid": false, "error": ["code": 190]]])
            }
            return FakeProviders.json([
                "data": [
                    "app_id": .string(owner.clientID), "is_valid": true, "type": "USER",
                    "user_id": .string(idps.subject(of: owner.player, at: provider)),
                    "expires_at": .integer(owner.issuedAt + 3_600), "scopes": ["public_profile"],
                ]
            ])
        },
        profile: { idps, request in
            let token = request.query["access_token"] ?? ""
            guard let person = idps.person(of: token, at: .facebook) else {
                return FakeProviders.failure(401, "invalid_token")
            }
            let key = SymmetricKey(data: Data(idps.clientSecret(of: .facebook).utf8))
            let proof = HMAC<SHA256>.authenticationCode(for: Data(token.utf8), using: key)
            guard request.query["appsecret_proof"] == proof.hexadecimal else {
                return FakeProviders.json(["error": ["message": "Invalid appsecret_proof", "code": 100]], status: 400)
            }
            return FakeProviders.json(["id": person.subject, "name": person.name])
        },
        revoke: { idps, request in
            let token = request.query["access_token"] ?? ""
            guard request.method == "DELETE", idps.owner(of: token, at: .facebook) != nil else {
                return FakeProviders.json(["error": ["code": 190]], status: 400)
            }
            idps.noteRevoked(token)
            return FakeProviders.json(["success": true])
        },
        asksAnew: { ($0["auth_type"] ?? "").split(separator: ",").contains("reauthenticate") },
        cancelled: ["error": "access_denied", "error_reason": "user_denied"], report: report)

    @Sendable private static func report(
        _ idps: FakeProviders, _ report: FakeReport
    ) throws -> (headers: [String: String], body: [UInt8]) {
        var payload: [String: JSONValue] = [
            "algorithm": "HMAC-SHA256", "issued_at": .integer(idps.nowSeconds()), "user_id": .string(report.subject),
        ]
        for (name, value) in report.changed { payload[name] = value }
        let text = Base64URL.encode(try JSONEncoder().encode(payload))
        let signature = FakeJWS.sign(
            text, secret: report.other == nil ? idps.clientSecret(of: .facebook) : "another secret")
        return (
            ["Content-Type": "application/x-www-form-urlencoded"],
            Array("signed_request=\(Base64URL.encode(signature)).\(text)".utf8)
        )
    }
}
