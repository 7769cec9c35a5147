public import GatehouseWire

/// An app's configuration of an identity provider. None of it is secret; secrets are in ``ProviderSecrets``.
public struct ProviderConfiguration: Codable, Sendable, Hashable {
    /// The kind. It is absent in configurations of older versions, and then it is ``ProviderKind/openID``.
    public var kind: ProviderKind
    /// The client ids that tokens may be issued to; the first is the one for browser logins. For Game Center, bundle ids. Without any
    /// the provider can't be enabled (IDP-10).
    public var clientIds: [String]
    /// The scope in which the provider's subjects are unique, such as an Apple team. It can't be changed, because subjects would then
    /// belong to different players.
    public var namespace: String?
    /// For ``ProviderKind/openID``: the issuer, exactly as in ID tokens.
    public var issuer: String?
    /// For ``ProviderKind/openID`` without a discovery document: where the provider publishes its keys.
    public var keysURL: String?
    /// For ``ProviderKind/openID``: the accepted algorithms, if the discovery document should not determine them. The token can't
    /// choose another.
    public var algorithms: [String]?
    /// For ``ProviderKind/openID`` without a discovery document: where tokens are revoked (RFC 7009).
    public var revocationURL: String?
    /// For ``ProviderKind/openID``: how the client authenticates at the token and revocation endpoints. If nil, the discovery document
    /// determines it.
    public var clientAuthentication: ClientAuthenticationMethod?
    /// For ``ProviderKind/partner``: the provider's login page, if it has one, and the endpoint that exchanges its codes. With both,
    /// players can log in with a browser.
    public var authorizationURL: String?
    public var tokenURL: String?
    /// For ``ProviderKind/partner`` and ``ProviderKind/openID``: the parameters that make the page ask for an account and its password
    /// again. Nil means the kind's default.
    public var reauthentication: [String: String]?
    /// For ``ProviderKind/partner``: the calls that verify a token.
    public var checks: [ProviderCheck]?
    /// Certificates, PEM-encoded. For Game Center: the root and any intermediates that are trusted to sign for Apple. For
    /// ``ProviderKind/openID`` and ``ProviderKind/partner``: authorities that are trusted for the provider's HTTPS, besides the
    /// system's.
    public var trustedCertificates: [String]?
    /// For Game Center: `team` or `game`, the accepted kind of player ids. Nil means `team`.
    public var gameCenterKind: String?
    /// For Game Center: whether signatures of Apple's sandbox are accepted.
    public var acceptsSandbox: Bool?
    /// Channels by the names of regions, as LINE has them.
    public var regions: [String: Region]?
    /// The scopes that browser logins request, replacing the kind's own.
    public var scopes: [String]?
    /// The callback that is registered at the provider, if it differs from this server's own address.
    public var callbackURL: String?
    /// Whether access tokens are accepted for which the provider can't say to whom they were issued. If so, the operator of another
    /// game with this provider can log in as its players.
    public var acceptsUnboundTokens: Bool?
    /// For development: the address of the fake world that replaces the provider.
    public var origin: String?
    /// What adapters use when the game's call doesn't set a key (LOGIN-3).
    public var additionalInfo: [String: JSONValue]?
    /// Whether profile and access token are stored, encrypted, for the game's server (INFO-4). Nil means yes. They are personal data,
    /// so an operator can disable this.
    public var keepsProfile: Bool?
    public var isEnabled: Bool
    /// The encrypted ``ProviderSecrets``, as in the database.
    package var sealedSecrets: [UInt8]?

    public struct Region: Codable, Sendable, Hashable {
        public var clientIds: [String]

        public init(clientIds: [String]) {
            self.clientIds = clientIds
        }
    }

    public init(kind: ProviderKind, clientIds: [String], isEnabled: Bool = true) {
        self.kind = kind
        self.clientIds = clientIds
        self.isEnabled = isEnabled
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = try container.decodeIfPresent(ProviderKind.self, forKey: .kind) ?? .openID
        clientIds = try container.decodeIfPresent([String].self, forKey: .clientIds) ?? []
        namespace = try container.decodeIfPresent(String.self, forKey: .namespace)
        issuer = try container.decodeIfPresent(String.self, forKey: .issuer)
        keysURL = try container.decodeIfPresent(String.self, forKey: .keysURL)
        algorithms = try container.decodeIfPresent([String].self, forKey: .algorithms)
        revocationURL = try container.decodeIfPresent(String.self, forKey: .revocationURL)
        clientAuthentication = try container.decodeIfPresent(
            ClientAuthenticationMethod.self, forKey: .clientAuthentication)
        authorizationURL = try container.decodeIfPresent(String.self, forKey: .authorizationURL)
        tokenURL = try container.decodeIfPresent(String.self, forKey: .tokenURL)
        reauthentication = try container.decodeIfPresent([String: String].self, forKey: .reauthentication)
        checks = try container.decodeIfPresent([ProviderCheck].self, forKey: .checks)
        trustedCertificates = try container.decodeIfPresent([String].self, forKey: .trustedCertificates)
        gameCenterKind = try container.decodeIfPresent(String.self, forKey: .gameCenterKind)
        acceptsSandbox = try container.decodeIfPresent(Bool.self, forKey: .acceptsSandbox)
        regions = try container.decodeIfPresent([String: Region].self, forKey: .regions)
        scopes = try container.decodeIfPresent([String].self, forKey: .scopes)
        callbackURL = try container.decodeIfPresent(String.self, forKey: .callbackURL)
        acceptsUnboundTokens = try container.decodeIfPresent(Bool.self, forKey: .acceptsUnboundTokens)
        origin = try container.decodeIfPresent(String.self, forKey: .origin)
        additionalInfo = try container.decodeIfPresent([String: JSONValue].self, forKey: .additionalInfo)
        keepsProfile = try container.decodeIfPresent(Bool.self, forKey: .keepsProfile)
        isEnabled = try container.decodeIfPresent(Bool.self, forKey: .isEnabled) ?? true
    }

    private enum CodingKeys: String, CodingKey {
        case kind, clientIds, namespace, issuer, keysURL, algorithms, revocationURL, clientAuthentication, checks
        case authorizationURL, tokenURL, reauthentication
        case trustedCertificates, gameCenterKind, acceptsSandbox
        case regions, scopes, callbackURL, acceptsUnboundTokens, origin, additionalInfo, keepsProfile, isEnabled
    }

    /// The kind's description with the operator's settings.
    package var description: ProviderDescription {
        var description = kind.description
        if kind == .openID {
            description.openID = issuer.map {
                OpenIDDescription(issuers: [$0], keysURL: keysURL, algorithms: algorithms, acceptsUnnamedKeys: true)
            }
            if let revocationURL {
                description.revocation = [Self.revocation(at: revocationURL)]
            }
        }
        if let checks { description.checks = checks }
        if kind == .partner, let authorizationURL, let tokenURL {
            description.authorization = AuthorizationDescription(
                url: authorizationURL, tokenURL: tokenURL, scopes: [], needsSecret: false)
        }
        if let scopes { description.authorization?.scopes = scopes }
        if let reauthentication { description.authorization?.reauthentication = reauthentication }
        if description.authorization == nil {
            description.additionalInfo = description.additionalInfo.filter { !$0.value.isForPages }
        }
        if origin != nil { description.additionalInfo["fakeWorld"] = .fakeWorld }
        return description
    }

    package var keepsProfiles: Bool { keepsProfile ?? true }

    /// RFC 7009.
    package static func revocation(at url: String) -> ProviderCall {
        ProviderCall("POST", url, form: ["token": "{anyToken}", "token_type_hint": "{anyTokenKind}"]).authenticated
    }

    /// The authorities that are trusted for connections to the provider, besides the system's.
    package var trustedAuthorities: [String] {
        kind == .openID || kind == .partner ? trustedCertificates ?? [] : []
    }

    /// The settings that a client may see.
    package var published: ProviderSettings {
        let description = description
        return ProviderSettings(
            clientId: clientIds.first, issuer: issuer ?? description.openID?.issuers.first,
            hasBrowserLogin: description.authorization == nil ? nil : true, regions: regions?.keys.sorted(),
            additionalInfo: additionalInfo)
    }
}
