import GatehouseWire

extension FakeRow {
    static let weibo = FakeRow(
        provider: .weibo,
        places: [
            "api.weibo.com/oauth2/authorize": .authorize, "api.weibo.com/oauth2/access_token": .token,
            "api.weibo.com/oauth2/get_token_info": .check, "api.weibo.com/2/users/show.json": .profile,
            "api.weibo.com/oauth2/revokeoauth2": .revoke,
        ],
        hasNumbers: true, settings: plain("weibo"), givesRefreshTokens: false,
        changeTokens: { answer, idps, player in answer["uid"] = .string(idps.subject(of: player, at: .weibo)) },
        check: { idps, request in
            guard let owner = idps.owner(of: request.form["access_token"] ?? "", at: .weibo) else {
                return FakeProviders.json(["error": "invalid_access_token", "error_code": 21_332], status: 400)
            }
            return FakeProviders.json([
                "uid": idps.number(of: owner.player, at: .weibo), "appkey": .string(owner.clientID), "scope": "",
                "create_at": .integer(owner.issuedAt), "expire_in": .string(String(idps.secondsLeft(of: owner))),
            ])
        },
        profile: { idps, request in
            guard let person = idps.person(of: request.query["access_token"] ?? "", at: .weibo) else {
                return FakeProviders.failure(401, "invalid_token")
            }
            return FakeProviders.json(["id": person.number, "idstr": person.subject, "screen_name": person.name])
        },
        revoke: { idps, request in
            guard let token = request.form["access_token"] else {
                return FakeProviders.failure(400, "invalid_request")
            }
            idps.noteRevoked(token)
            return FakeProviders.json(["result": "true"])
        },
        asksAnew: { $0["forcelogin"] == "true" })
}
