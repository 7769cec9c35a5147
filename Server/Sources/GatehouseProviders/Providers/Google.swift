import GatehouseWire

extension ProviderKind {
    /// Google, with its own libraries, a page, or Play Games.
    public static let google = ProviderKind(
        "google", names: [ProviderName(.google)],
        ProviderDescription(
            openID: OpenIDDescription(
                issuers: ["https://accounts.google.com", "accounts.google.com"],
                keysURL: "https://www.googleapis.com/oauth2/v3/certs"),
            checks: [
                ProviderCheck(
                    ProviderCall("https://oauth2.googleapis.com/tokeninfo", query: ["access_token": "{token}"]),
                    subject: "sub", audience: "aud", secondsLeft: ["expires_in"], profile: "")
            ],
            authorization: AuthorizationDescription(
                url: "https://accounts.google.com/o/oauth2/v2/auth", tokenURL: "https://oauth2.googleapis.com/token",
                scopes: ["openid", "profile"], required: ["openid"],
                knownScopes: ["email", "https://www.googleapis.com/auth/games_lite"],
                // A refresh token is the only one that can be revoked weeks later.
                parameters: ["access_type": "offline"], reauthentication: ["prompt": "select_account"],
                asksForPassword: false),
            revocation: [ProviderCall("POST", "https://oauth2.googleapis.com/revoke", form: ["token": "{anyToken}"])],
            additionalInfo: .scopes))
}
