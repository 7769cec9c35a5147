import GatehouseWire

extension ProviderKind {
    /// LINE, with a channel for each region.
    public static let line = ProviderKind(
        "line", names: [ProviderName(.line)],
        ProviderDescription(
            openID: OpenIDDescription(
                issuers: ["https://access.line.me"], keysURL: "https://api.line.me/oauth2/v2.1/certs",
                algorithms: ["ES256"], signsWebTokensWithSecret: true),
            checks: [
                ProviderCheck(
                    ProviderCall("https://api.line.me/oauth2/v2.1/verify", query: ["access_token": "{token}"]),
                    audience: "client_id", secondsLeft: ["expires_in"]),
                ProviderCheck(
                    ProviderCall("https://api.line.me/v2/profile", headers: ProviderCall.bearer), subject: "userId",
                    profile: ""),
            ],
            authorization: AuthorizationDescription(
                url: "https://access.line.me/oauth2/v2.1/authorize", tokenURL: "https://api.line.me/oauth2/v2.1/token",
                scopes: ["openid", "profile"], required: ["openid"], knownScopes: ["email"],
                reauthentication: ["disable_auto_login": "true"]),
            revocation: [
                // Deauthorising requires a token of the channel, which is valid for minutes.
                ProviderCall(
                    "POST", "https://api.line.me/oauth2/v3/token",
                    form: [
                        "grant_type": "client_credentials", "client_id": "{clientId}",
                        "client_secret": "{clientSecret}",
                    ], captures: ["channelToken": "access_token"]),
                ProviderCall(
                    "POST", "https://api.line.me/user/v1/deauthorize",
                    headers: ["Authorization": "Bearer {channelToken}"],
                    json: ["userAccessToken": "{token}"]),
            ],
            additionalInfo: .scopes.merging(["region": .region, "sub_code": .region]) { $1 },
            // LINE's development guidelines: when a user leaves the service, and when the user unlinks LINE.
            requiredRevocations: [.withdrawal, .removal]))
}
