import GatehouseWire

extension ProviderKind {
    /// Any OpenID Connect provider, identified by its issuer.
    public static let openID = ProviderKind(
        "openid", names: [],
        ProviderDescription(
            openID: OpenIDDescription(issuers: []),
            authorization: AuthorizationDescription(
                scopes: ["openid", "profile"], required: ["openid"], knownScopes: ["openid", "profile", "email"],
                // OpenID Connect Core section 3.1.2.1.
                reauthentication: ["prompt": "login"], authentication: nil, needsSecret: false),
            settings: .openID, additionalInfo: .scopes))
}
