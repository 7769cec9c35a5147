import GatehouseWire

extension FakeRow {
    static let naver = FakeRow(
        provider: .naver,
        places: [
            "nid.naver.com/oauth2.0/authorize": .authorize, "nid.naver.com/oauth2.0/token": .token,
            "openapi.naver.com/v1/nid/me": .profile,
        ],
        login: .code, settings: plain("naver"), changeTokens: { answer, _, _ in answer["expires_in"] = "3600" },
        grant: { idps, request in
            guard request.form["grant_type"] == "delete" else { return nil }
            let token = request.form["access_token"] ?? ""
            guard idps.owner(of: token, at: .naver) != nil else { return FakeProviders.failure(400, "invalid_request") }
            idps.noteRevoked(token)
            return FakeProviders.json(["access_token": .string(token), "result": "success"])
        },
        profile: { idps, request in
            guard let person = idps.person(of: request.bearer, at: .naver) else {
                return FakeProviders.json(["resultcode": "024", "message": "Authentication failed"], status: 401)
            }
            return FakeProviders.json([
                "resultcode": "00", "message": "success",
                "response": ["id": person.subject, "nickname": person.name],
            ])
        },
        asksAnew: { $0["auth_type"] == "reauthenticate" })
}
