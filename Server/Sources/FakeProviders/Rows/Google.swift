import Crypto
import GatehousePlatform
import GatehouseWire

extension FakeRow {
    static let google = FakeRow(
        provider: .google,
        places: [
            "accounts.google.com/o/oauth2/v2/auth": .authorize, "oauth2.googleapis.com/token": .token,
            "www.googleapis.com/oauth2/v3/certs": .keys, "oauth2.googleapis.com/tokeninfo": .check,
            "oauth2.googleapis.com/revoke": .revoke,
        ],
        issuer: "https://accounts.google.com", login: .idToken, settings: plain("google"), givesIDTokens: true,
        changeWebClaims: { claims, accessToken in
            let digest = SHA256.hash(data: Data(accessToken.secretValue.utf8))
            claims["at_hash"] = .string(Base64URL.encode(Array(digest.prefix(16))))
        },
        check: { idps, request in
            guard let owner = idps.owner(of: request.query["access_token"] ?? "", at: .google) else {
                return FakeProviders.failure(400, "invalid_token")
            }
            return FakeProviders.json([
                "aud": .string(owner.clientID), "azp": .string(owner.clientID),
                "sub": .string(idps.subject(of: owner.player, at: .google)),
                "expires_in": .string(String(idps.secondsLeft(of: owner))), "scope": "openid",
            ])
        },
        revoke: { idps, request in
            guard let token = request.form["token"] else { return FakeProviders.failure(400, "invalid_request") }
            // RFC 7009: revoking an unknown token is not an error.
            idps.noteRevoked(token)
            return FakeProviders.json([:])
        },
        namesIssuer: true,
        asksAnew: { ($0["prompt"] ?? "").split(separator: " ").contains("select_account") },
        // The list of accounts: the one of before is in with one tap, and without a password.
        offersAccounts: true)
}
