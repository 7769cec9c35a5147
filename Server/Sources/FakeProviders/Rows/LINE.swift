import GatehousePlatform
import GatehouseWire

extension FakeRow {
    private static let regions = ["japan", "thailand", "taiwan", "indonesia"]

    static let line = FakeRow(
        provider: .line,
        places: [
            "access.line.me/oauth2/v2.1/authorize": .authorize, "api.line.me/oauth2/v2.1/token": .token,
            "api.line.me/oauth2/v2.1/certs": .keys, "api.line.me/oauth2/v2.1/verify": .check,
            "api.line.me/v2/profile": .profile, "api.line.me/oauth2/v3/token": .channelToken,
            "api.line.me/user/v1/deauthorize": .revoke,
        ],
        issuer: "https://access.line.me", login: .idToken,
        settings: { idps in
            let channels = regions.map { region -> (String, JSONValue) in
                (region, ["clientIds": [.string("\(idps.clientID(of: .line))-\(region)")]])
            }
            return ["kind": "line", "regions": .object(Dictionary(uniqueKeysWithValues: channels))]
        },
        secrets: { idps in
            let secrets = regions.map { ($0, JSONValue.string(idps.clientSecret(of: .line))) }
            return ["regions": .object(Dictionary(uniqueKeysWithValues: secrets))]
        },
        givesIDTokens: true, signsAsLINE: true,
        check: { idps, request in
            guard let owner = idps.owner(of: request.query["access_token"] ?? "", at: .line) else {
                return FakeProviders.json(
                    ["error": "invalid_request", "error_description": "access token expired"], status: 400)
            }
            return FakeProviders.json([
                "scope": "profile openid", "client_id": .string(owner.clientID),
                "expires_in": .integer(idps.secondsLeft(of: owner)),
            ])
        },
        profile: { idps, request in
            guard let person = idps.person(of: request.bearer, at: .line) else {
                return FakeProviders.failure(401, "invalid_token")
            }
            return FakeProviders.json(["userId": person.subject, "displayName": person.name])
        },
        revoke: { idps, request in
            guard request.bearer == "fake-channel-token",
                let body = try? JSONDecoder().decode([String: String].self, from: request.body),
                let token = body["userAccessToken"]
            else { return FakeProviders.failure(401, "invalid_token") }
            idps.noteRevoked(token)
            return Response(status: 204, headers: [:], body: Data())
        },
        asksAnew: { $0["disable_auto_login"] == "true" })
}
