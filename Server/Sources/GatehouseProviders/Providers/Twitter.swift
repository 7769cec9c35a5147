import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

extension ProviderKind {
    /// X, which was Twitter.
    public static let twitter = ProviderKind(
        "twitter", names: [ProviderName(.twitter)],
        ProviderDescription(
            checks: [
                ProviderCheck(
                    ProviderCall("https://api.x.com/2/users/me", headers: ProviderCall.bearer), subject: "data.id",
                    profile: "data")
            ],
            authorization: AuthorizationDescription(
                url: "https://x.com/i/oauth2/authorize", tokenURL: "https://api.x.com/2/oauth2/token",
                scopes: ["tweet.read", "users.read", "offline.access"], required: ["tweet.read", "users.read"],
                knownScopes: ["users.email"],
                authentication: .secretBasic, needsSecret: false),
            revocation: [
                ProviderCall("POST", "https://api.x.com/2/oauth2/revoke", form: ["token": "{anyToken}"]).authenticated
            ],
            additionalInfo: .scopes,
            oddities: ProviderOddities(refusal: refusal)))

    /// Recognises the form of OAuth 1.0a's tokens: `123456-abc...`.
    @Sendable private static func refusal(of token: ProviderToken) -> String? {
        let parts = token.secretValue.parts(at: "-", atMost: 2)
        let isOld =
            parts.count == 2 && parts[0].utf8.allSatisfy(ASCII.isDigit)
            && parts[1].utf8.allSatisfy(ASCII.isLetterOrDigit)
        return isOld ? "it is a token of OAuth 1.0a, which can't be verified without its secret" : nil
    }
}
