import GatehouseWire

extension ProviderKind {
    /// Weibo.
    public static let weibo = ProviderKind(
        "weibo", names: [ProviderName(.weibo)],
        ProviderDescription(
            checks: [
                ProviderCheck(
                    ProviderCall(
                        "POST", "https://api.weibo.com/oauth2/get_token_info", form: ["access_token": "{token}"],
                        captures: ["uid": "uid"]),
                    subject: "uid", subjectIsNumber: true, audience: "appkey", secondsLeft: ["expire_in", "expires_in"]),
                ProviderCheck(
                    ProviderCall(
                        "https://api.weibo.com/2/users/show.json", query: ["access_token": "{token}", "uid": "{uid}"]),
                    subject: "idstr", profile: ""),
            ],
            authorization: AuthorizationDescription(
                url: "https://api.weibo.com/oauth2/authorize", tokenURL: "https://api.weibo.com/oauth2/access_token",
                scopes: [], scopeSeparator: ",", knownScopes: ["email"], reauthentication: ["forcelogin": "true"],
                usesPKCE: false),
            revocation: [
                ProviderCall(
                    "POST", "https://api.weibo.com/oauth2/revokeoauth2", form: ["access_token": "{token}"],
                    success: ["result": "true"])
            ],
            additionalInfo: .scopes))
}
