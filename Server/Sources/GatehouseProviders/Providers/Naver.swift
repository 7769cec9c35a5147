import GatehouseWire

extension ProviderKind {
    /// Naver.
    public static let naver = ProviderKind(
        "naver", names: [ProviderName(.naver)],
        ProviderDescription(
            checks: [
                ProviderCheck(
                    ProviderCall(
                        "https://openapi.naver.com/v1/nid/me", headers: ProviderCall.bearer,
                        success: ["resultcode": "00"]),
                    subject: "response.id", profile: "response")
            ],
            authorization: AuthorizationDescription(
                url: "https://nid.naver.com/oauth2.0/authorize", tokenURL: "https://nid.naver.com/oauth2.0/token",
                scopes: [], reauthentication: ["auth_type": "reauthenticate"], usesPKCE: false, sendsState: true),
            revocation: [
                // Deleting requires a valid token, so the refresh token is exchanged for a new one.
                ProviderCall(
                    "POST", "https://nid.naver.com/oauth2.0/token",
                    form: [
                        "grant_type": "refresh_token", "client_id": "{clientId}", "client_secret": "{clientSecret}",
                        "refresh_token": "{refreshToken}",
                    ], captures: ["token": "access_token"]),
                ProviderCall(
                    "POST", "https://nid.naver.com/oauth2.0/token",
                    form: [
                        "grant_type": "delete", "client_id": "{clientId}", "client_secret": "{clientSecret}",
                        "access_token": "{token}", "service_provider": "NAVER",
                    ], success: ["result": "success"]),
            ],
            additionalInfo: [
                "service_name": .parameter("service_name"), "url_scheme_ios_only": .callbackScheme,
            ]))
}
