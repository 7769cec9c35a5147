import Crypto
import GatehousePlatform
import GatehouseWire

extension FakeRow {
    static let apple = FakeRow(
        provider: .apple,
        places: [
            "appleid.apple.com/auth/authorize": .authorize, "appleid.apple.com/auth/token": .token,
            "appleid.apple.com/auth/keys": .keys, "appleid.apple.com/auth/revoke": .revoke,
        ],
        issuer: "https://appleid.apple.com", login: .idTokenAndCode, settings: plain("apple"),
        secrets: { idps in
            [
                "appleKey": [
                    "teamId": "FAKETEAM01", "keyId": "FAKEKEY001",
                    "privateKey": .string(idps.appleTeamKey.pemRepresentation),
                ]
            ]
        },
        hasClientSecret: false,
        isClient: { idps, request, _ in isSecret(request.form["client_secret"] ?? "", idps) },
        givesIDTokens: true,
        changeClaims: { claims in
            // Apple doesn't include a name, and sometimes sends truth values as strings.
            claims["name"] = nil
            claims["email_verified"] = "true"
            claims["is_private_email"] = "false"
            claims["nonce_supported"] = true
        },
        revoke: { idps, request in
            guard let token = request.form["token"] else { return FakeProviders.failure(400, "invalid_request") }
            guard isSecret(request.form["client_secret"] ?? "", idps) else {
                return FakeProviders.failure(400, "invalid_client")
            }
            // RFC 7009: revoking an unknown token is not an error. Apple's answer is empty.
            idps.noteRevoked(token)
            return Response(status: 200, headers: [:], body: Data())
        },
        tellsNameOnce: true, cancelled: ["error": "user_cancelled_authorize"], report: report)

    private static func isSecret(_ text: String, _ idps: FakeProviders) -> Bool {
        guard let (input, claims, signature) = FakeJWS.parts(text),
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return idps.appleTeamKey.publicKey.isValidSignature(ecdsa, for: Data(input.utf8))
            && claims["iss"] == "FAKETEAM01" && claims["aud"] == "https://appleid.apple.com"
            && claims["sub"] == .string(idps.clientID(of: .apple))
    }

    @Sendable private static func report(
        _ idps: FakeProviders, _ report: FakeReport
    ) throws -> (headers: [String: String], body: [UInt8]) {
        let event: [String: JSONValue] = [
            "type": .string(report.kind == "account-deleted" ? "account-delete" : report.kind),
            "sub": .string(report.subject), "event_time": .integer(idps.nowSeconds() * 1_000),
        ]
        let text = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
        var claims: [String: JSONValue?] = [
            "jti": .string(FakeJWS.nonce()), "events": .string(text), "sub": nil, "name": nil, "email": nil,
        ]
        for (name, value) in report.changed { claims[name] = value }
        let token = try idps.idToken(.apple, for: report.player, claims: claims, signedBy: report.other)
        return (
            ["Content-Type": "application/json"], Array(try JSONEncoder().encode(["payload": token.secretValue]))
        )
    }
}
