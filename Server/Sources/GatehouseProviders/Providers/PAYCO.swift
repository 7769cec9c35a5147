import GatehouseWire

extension ProviderKind {
    /// PAYCO.
    public static let payco = ProviderKind(
        "payco", names: [ProviderName(.payco)],
        ProviderDescription(
            checks: [
                ProviderCheck(
                    ProviderCall(
                        "POST", "https://apis-payco.krp.toastoven.net/payco/friends/find_member_v2.json",
                        headers: ["client_id": "{clientId}", "access_token": "{token}"],
                        success: ["header.isSuccessful": "true"]),
                    subject: "data.member.idNo", profile: "data.member")
            ],
            authorization: AuthorizationDescription(
                url: "https://id.payco.com/oauth2.0/authorize", tokenURL: "https://id.payco.com/oauth2.0/token",
                scopes: [],
                parameters: ["serviceProviderCode": "FRIENDS", "userLocale": "ko_KR"], usesPKCE: false),
            additionalInfo: [
                "service_code": .parameter("serviceProviderCode"), "service_name": .parameter("serviceName"),
            ]))
}
