import GatehousePlatform
import GatehouseWire

extension FakeRow {
    static let twitter = FakeRow(
        provider: .twitter,
        places: [
            "x.com/i/oauth2/authorize": .authorize, "api.x.com/2/oauth2/token": .token,
            "api.x.com/2/users/me": .profile, "api.x.com/2/oauth2/revoke": .revoke,
        ],
        login: .code, hasNumbers: true, settings: plain("twitter"), isClient: isClient,
        profile: { idps, request in
            guard let person = idps.person(of: request.bearer, at: .twitter) else {
                return FakeProviders.failure(401, "invalid_token")
            }
            return FakeProviders.json([
                "data": ["id": person.subject, "name": person.name, "username": .string(person.player)]
            ])
        },
        revoke: { idps, request in
            guard let token = request.form["token"] else { return FakeProviders.failure(400, "invalid_request") }
            // The answer is only the status.
            guard idps.isClient(request, .twitter) else { return Response(status: 401, headers: [:], body: Data()) }
            idps.noteRevoked(token)
            return FakeProviders.json(["revoked": true])
        },
        needsPKCE: true)

    @Sendable private static func isClient(_ idps: FakeProviders, _ request: Request, _ client: String) -> Bool {
        let pair = Data("\(client):\(idps.clientSecret(of: .twitter))".utf8).base64EncodedString()
        return request.headers["authorization"] == "Basic \(pair)"
    }
}
