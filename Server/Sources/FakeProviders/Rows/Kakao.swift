import GatehouseWire

extension FakeRow {
    /// The app's number.
    private static let appID: Int64 = 424_242

    static let kakao = FakeRow(
        provider: .kakao,
        places: [
            "kauth.kakao.com/oauth/authorize": .authorize, "kauth.kakao.com/oauth/token": .token,
            "kauth.kakao.com/.well-known/jwks.json": .keys, "kapi.kakao.com/v1/user/access_token_info": .check,
            "kapi.kakao.com/v2/user/me": .profile, "kapi.kakao.com/v1/user/unlink": .revoke,
        ],
        issuer: "https://kauth.kakao.com", hasNumbers: true,
        settings: {
            ["kind": "kakao", "clientIds": [.string($0.clientID(of: .kakao)), .string(String(appID))]]
        },
        secrets: { ["adminKey": .string($0.adminKey)] }, givesIDTokens: true,
        check: { idps, request in
            guard let owner = idps.owner(of: request.bearer, at: .kakao) else {
                return FakeProviders.json(["msg": "this access token does not exist", "code": -401], status: 401)
            }
            // Kakao identifies apps by numbers here.
            let isOurs = owner.clientID == idps.clientID(of: .kakao)
            return FakeProviders.json([
                "id": idps.number(of: owner.player, at: .kakao), "expires_in": .integer(idps.secondsLeft(of: owner)),
                "app_id": .integer(isOurs ? appID : 1),
            ])
        },
        profile: { idps, request in
            guard let person = idps.person(of: request.bearer, at: .kakao) else {
                return FakeProviders.failure(401, "invalid_token")
            }
            return FakeProviders.json([
                "id": person.number, "kakao_account": ["profile": ["nickname": person.name]],
            ])
        },
        revoke: { idps, request in
            guard request.headers["authorization"] == "KakaoAK \(idps.adminKey)",
                let subject = request.form["target_id"]
            else { return FakeProviders.json(["code": -401], status: 401) }
            idps.noteRevoked("\(Provider.kakao):\(subject)")
            return FakeProviders.json(["id": .integer(Int64(subject) ?? 0)])
        },
        asksAnew: asksForLogin,
        report: { idps, report in
            let type = report.kind == "account-deleted" ? "ACCOUNT_DELETE" : "UNLINK_FROM_APPS"
            let key = report.other == nil ? idps.adminKey : "another key"
            return (
                ["Content-Type": "application/x-www-form-urlencoded", "Authorization": "KakaoAK \(key)"],
                Array("app_id=\(appID)&user_id=\(report.subject)&referrer_type=\(type)".utf8)
            )
        })
}
