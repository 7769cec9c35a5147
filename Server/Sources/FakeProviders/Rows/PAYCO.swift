import GatehouseWire

extension FakeRow {
    static let payco = FakeRow(
        provider: .payco,
        places: [
            "id.payco.com/oauth2.0/authorize": .authorize, "id.payco.com/oauth2.0/token": .token,
            "apis-payco.krp.toastoven.net/payco/friends/find_member_v2.json": .profile,
        ],
        login: .code, settings: plain("payco"),
        profile: { idps, request in
            // PAYCO reports a wrong token with status 200.
            guard let person = idps.person(of: request.headers["access_token"] ?? "", at: .payco) else {
                return FakeProviders.json(["header": ["isSuccessful": false, "resultCode": -1]])
            }
            guard request.headers["client_id"] == idps.clientID(of: .payco) else {
                return FakeProviders.json(["header": ["isSuccessful": false, "resultCode": -2]])
            }
            return FakeProviders.json([
                "header": ["isSuccessful": true, "resultCode": 0],
                "data": ["member": ["idNo": person.subject, "name": person.name]],
            ])
        })
}
