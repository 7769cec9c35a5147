import Crypto
import GatehousePlatform
import GatehouseWire
import Synchronization

extension FakeRow {
    /// Any OpenID Connect provider that an operator adds.
    static let studio = FakeRow(
        provider: .studio,
        places: [
            "id.studio.example/.well-known/openid-configuration": .discovery,
            "id.studio.example/authorize": .authorize, "id.studio.example/token": .token,
            "id.studio.example/keys": .keys, "id.studio.example/revoke": .revoke,
        ],
        login: .idToken, settings: { ["kind": "openid", "issuer": .string($0.issuer(of: .studio))] },
        isClient: isClient, givesIDTokens: true,
        revoke: { idps, request in
            guard let token = request.form["token"] else { return FakeProviders.failure(400, "invalid_request") }
            // The answer is only the status.
            guard idps.isClient(request, .studio) else { return Response(status: 401, headers: [:], body: Data()) }
            idps.noteRevoked(token)
            return FakeProviders.json([:])
        },
        namesIssuer: true, asksAnew: asksForLogin)

    /// Checks that a client authenticates as the discovery document specifies: with HTTP Basic, unless it says otherwise (OpenID
    /// Connect Discovery section 3).
    @Sendable private static func isClient(_ idps: FakeProviders, _ request: Request, _ client: String) -> Bool {
        let isRevocation = request.path.hasSuffix("/revoke")
        let form = request.form
        let names = idps.state.withLock { state in
            let own = isRevocation ? state.discovery["revocation_endpoint_auth_methods_supported"] : nil
            return own ?? state.discovery["token_endpoint_auth_methods_supported"]
        }
        var offered: [JSONValue] = ["client_secret_basic"]
        if case .array(let named)? = names { offered = named }
        if let assertion = form["client_assertion"] {
            return offered.contains("private_key_jwt") && isAssertion(assertion, of: client, idps)
        }
        if let header = request.headers["authorization"] {
            let pair = Data("\(client):\(idps.clientSecret(of: .studio))".utf8).base64EncodedString()
            return offered.contains("client_secret_basic") && header == "Basic \(pair)" && form["client_secret"] == nil
        }
        if let secret = form["client_secret"] {
            return offered.contains("client_secret_post") && secret == idps.clientSecret(of: .studio)
        }
        return offered.contains("none")
    }

    /// RFC 7523 section 3.
    private static func isAssertion(_ text: String, of client: String, _ idps: FakeProviders) -> Bool {
        guard let (input, claims, signature) = FakeJWS.parts(text), let jti = claims["jti"]?.stringValue,
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            idps.clientKey.publicKey.isValidSignature(ecdsa, for: Data(input.utf8)),
            case .integer(let end)? = claims["exp"]
        else { return false }
        let now = idps.nowSeconds()
        return claims["iss"] == .string(client) && claims["sub"] == .string(client)
            && claims["aud"] == .string("\(idps.issuer(of: .studio))/token") && (now...now + 300).contains(end)
            && idps.state.withLock { $0.assertions.insert(jti).inserted }
    }
}
