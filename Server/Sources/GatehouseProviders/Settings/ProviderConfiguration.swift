public import GatehouseWire

/// An app's configuration of an identity provider. None of it is secret; secrets are in ``ProviderSecrets``.
///
/// Its JSON is flat: the common settings and those of the form have their names side by side.
public struct ProviderConfiguration: Codable, Sendable, Hashable {
    /// The kind. It is absent in configurations of older versions, and then it is ``ProviderKind/openID``.
    public let kind: ProviderKind
    /// The settings that only the kind's form has.
    public private(set) var form: Form
    /// The client ids that tokens may be issued to; the first is the one for browser logins. For Game Center, bundle ids. Without any
    /// the provider can't be enabled (IDP-10).
    public var clientIds: [String]
    /// The scope in which the provider's subjects are unique, such as an Apple team. It can't be changed, because subjects would then
    /// belong to different players.
    public var namespace: String?
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
        form = kind.description.settings.empty
        self.clientIds = clientIds
        self.isEnabled = isEnabled
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = try container.decodeIfPresent(ProviderKind.self, forKey: .kind) ?? .openID
        form = try kind.description.settings.read(container)
        clientIds = try container.decodeIfPresent([String].self, forKey: .clientIds) ?? []
        namespace = try container.decodeIfPresent(String.self, forKey: .namespace)
        regions = try container.decodeIfPresent([String: Region].self, forKey: .regions)
        scopes = try container.decodeIfPresent([String].self, forKey: .scopes)
        callbackURL = try container.decodeIfPresent(String.self, forKey: .callbackURL)
        acceptsUnboundTokens = try container.decodeIfPresent(Bool.self, forKey: .acceptsUnboundTokens)
        origin = try container.decodeIfPresent(String.self, forKey: .origin)
        additionalInfo = try container.decodeIfPresent([String: JSONValue].self, forKey: .additionalInfo)
        keepsProfile = try container.decodeIfPresent(Bool.self, forKey: .keepsProfile)
        isEnabled = try container.decodeIfPresent(Bool.self, forKey: .isEnabled) ?? true
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(clientIds, forKey: .clientIds)
        try container.encodeIfPresent(namespace, forKey: .namespace)
        try container.encodeIfPresent(regions, forKey: .regions)
        try container.encodeIfPresent(scopes, forKey: .scopes)
        try container.encodeIfPresent(callbackURL, forKey: .callbackURL)
        try container.encodeIfPresent(acceptsUnboundTokens, forKey: .acceptsUnboundTokens)
        try container.encodeIfPresent(origin, forKey: .origin)
        try container.encodeIfPresent(additionalInfo, forKey: .additionalInfo)
        try container.encodeIfPresent(keepsProfile, forKey: .keepsProfile)
        try container.encode(isEnabled, forKey: .isEnabled)
        try form.write(to: &container)
    }

    package enum CodingKeys: String, CodingKey {
        case kind, clientIds, namespace, regions, scopes, callbackURL, acceptsUnboundTokens, origin, additionalInfo
        case keepsProfile, isEnabled
        // Those of a form.
        case issuer, keysURL, algorithms, revocationURL, clientAuthentication, reauthentication, trustedCertificates
        case checks, authorizationURL, tokenURL
        case gameCenterKind, acceptsSandbox
    }

    // MARK: The settings of a form; nil for a kind of another form, which no setter changes

    public var openID: OpenID? {
        get { if case .openID(let settings) = form { settings } else { nil } }
        set { if case .openID = form, let newValue { form = .openID(newValue) } }
    }

    public var partner: Partner? {
        get { if case .partner(let settings) = form { settings } else { nil } }
        set { if case .partner = form, let newValue { form = .partner(newValue) } }
    }

    public var gameCenter: GameCenter? {
        get { if case .gameCenter(let settings) = form { settings } else { nil } }
        set { if case .gameCenter = form, let newValue { form = .gameCenter(newValue) } }
    }

    // MARK: What follows from them

    /// The kind's description with the operator's settings.
    package var description: ProviderDescription {
        var description = kind.description
        switch form {
        case .described: break
        case .openID(let settings): settings.complete(&description)
        case .partner(let settings): settings.complete(&description)
        case .gameCenter: break
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

    /// How the client authenticates, where the operator has said so.
    package var clientAuthentication: ClientAuthenticationMethod? {
        openID?.clientAuthentication ?? partner?.clientAuthentication
    }

    /// The parameters that make the page ask for an account and its password again, where the operator has said so.
    package var reauthentication: [String: String]? { openID?.reauthentication ?? partner?.reauthentication }

    /// The authorities that are trusted for connections to the provider, besides the system's.
    package var trustedAuthorities: [String] { openID?.trustedCertificates ?? partner?.trustedCertificates ?? [] }

    /// The settings that a client may see.
    package var published: ProviderSettings {
        let description = description
        return ProviderSettings(
            clientId: clientIds.first, issuer: description.openID?.issuers.first,
            hasBrowserLogin: description.authorization == nil ? nil : true, regions: regions?.keys.sorted(),
            additionalInfo: additionalInfo)
    }
}

extension ProviderConfiguration {
    /// The settings that belong to the form of a kind.
    public enum Form: Sendable, Hashable {
        /// The kind's description has everything.
        case described
        case openID(OpenID)
        case partner(Partner)
        case gameCenter(GameCenter)

        package func write(to container: inout KeyedEncodingContainer<CodingKeys>) throws {
            switch self {
            case .described: break
            case .openID(let settings): try settings.write(to: &container)
            case .partner(let settings): try settings.write(to: &container)
            case .gameCenter(let settings): try settings.write(to: &container)
            }
        }
    }

    /// The settings of an OpenID Connect provider.
    public struct OpenID: Sendable, Hashable {
        /// The issuer, exactly as in ID tokens.
        public var issuer: String
        /// Where the provider publishes its keys, if it has no discovery document.
        public var keysURL: String?
        /// The accepted algorithms, if the discovery document should not determine them. The token can't choose another.
        public var algorithms: [String]?
        /// Where tokens are revoked (RFC 7009), if there is no discovery document.
        public var revocationURL: String?
        /// How the client authenticates at the token and revocation endpoints. If nil, the discovery document determines it.
        public var clientAuthentication: ClientAuthenticationMethod?
        /// The parameters that make the page ask for an account and its password again. Nil means the kind's default.
        public var reauthentication: [String: String]?
        /// Authorities, PEM-encoded, that are trusted for the provider's HTTPS, besides the system's.
        public var trustedCertificates: [String]?

        public init(issuer: String = "") {
            self.issuer = issuer
        }

        init(_ container: KeyedDecodingContainer<CodingKeys>) throws {
            issuer = try container.decodeIfPresent(String.self, forKey: .issuer) ?? ""
            keysURL = try container.decodeIfPresent(String.self, forKey: .keysURL)
            algorithms = try container.decodeIfPresent([String].self, forKey: .algorithms)
            revocationURL = try container.decodeIfPresent(String.self, forKey: .revocationURL)
            clientAuthentication = try container.decodeIfPresent(
                ClientAuthenticationMethod.self, forKey: .clientAuthentication)
            reauthentication = try container.decodeIfPresent([String: String].self, forKey: .reauthentication)
            trustedCertificates = try container.decodeIfPresent([String].self, forKey: .trustedCertificates)
        }

        fileprivate func write(to container: inout KeyedEncodingContainer<CodingKeys>) throws {
            try container.encode(issuer, forKey: .issuer)
            try container.encodeIfPresent(keysURL, forKey: .keysURL)
            try container.encodeIfPresent(algorithms, forKey: .algorithms)
            try container.encodeIfPresent(revocationURL, forKey: .revocationURL)
            try container.encodeIfPresent(clientAuthentication, forKey: .clientAuthentication)
            try container.encodeIfPresent(reauthentication, forKey: .reauthentication)
            try container.encodeIfPresent(trustedCertificates, forKey: .trustedCertificates)
        }

        package func complete(_ description: inout ProviderDescription) {
            // A row without an issuer can't have been set by any version, and verifies nothing.
            description.openID =
                issuer.isEmpty
                ? nil
                : OpenIDDescription(
                    issuers: [issuer], keysURL: keysURL, algorithms: algorithms, acceptsUnnamedKeys: true)
            if let revocationURL { description.revocation = [Self.revocation(at: revocationURL)] }
        }

        /// RFC 7009.
        package static func revocation(at url: String) -> ProviderCall {
            ProviderCall("POST", url, form: ["token": "{anyToken}", "token_type_hint": "{anyTokenKind}"]).authenticated
        }
    }

    /// The settings of a provider with its own calls.
    public struct Partner: Sendable, Hashable {
        /// The provider's login page, and the endpoint that exchanges its codes.
        public struct Page: Sendable, Hashable {
            public var authorizationURL: String
            public var tokenURL: String

            public init(authorizationURL: String, tokenURL: String) {
                self.authorizationURL = authorizationURL
                self.tokenURL = tokenURL
            }
        }

        /// The calls that verify a token.
        public var checks: [ProviderCheck]
        /// Nil if players can't log in with a browser.
        public var page: Page?
        /// How the client authenticates where codes are exchanged.
        public var clientAuthentication: ClientAuthenticationMethod?
        /// The parameters that make the page ask for an account and its password again.
        public var reauthentication: [String: String]?
        /// Authorities, PEM-encoded, that are trusted for the provider's HTTPS, besides the system's.
        public var trustedCertificates: [String]?

        public init(checks: [ProviderCheck] = [], page: Page? = nil) {
            self.checks = checks
            self.page = page
        }

        init(_ container: KeyedDecodingContainer<CodingKeys>) throws {
            checks = try container.decodeIfPresent([ProviderCheck].self, forKey: .checks) ?? []
            if let authorizationURL = try container.decodeIfPresent(String.self, forKey: .authorizationURL),
                let tokenURL = try container.decodeIfPresent(String.self, forKey: .tokenURL)
            {
                page = Page(authorizationURL: authorizationURL, tokenURL: tokenURL)
            }
            clientAuthentication = try container.decodeIfPresent(
                ClientAuthenticationMethod.self, forKey: .clientAuthentication)
            reauthentication = try container.decodeIfPresent([String: String].self, forKey: .reauthentication)
            trustedCertificates = try container.decodeIfPresent([String].self, forKey: .trustedCertificates)
        }

        fileprivate func write(to container: inout KeyedEncodingContainer<CodingKeys>) throws {
            try container.encode(checks, forKey: .checks)
            try container.encodeIfPresent(page?.authorizationURL, forKey: .authorizationURL)
            try container.encodeIfPresent(page?.tokenURL, forKey: .tokenURL)
            try container.encodeIfPresent(clientAuthentication, forKey: .clientAuthentication)
            try container.encodeIfPresent(reauthentication, forKey: .reauthentication)
            try container.encodeIfPresent(trustedCertificates, forKey: .trustedCertificates)
        }

        package func complete(_ description: inout ProviderDescription) {
            description.checks = checks
            guard let page else { return }
            description.authorization = AuthorizationDescription(
                url: page.authorizationURL, tokenURL: page.tokenURL, scopes: [], needsSecret: false)
        }
    }

    /// The settings of Game Center.
    public struct GameCenter: Sendable, Hashable {
        /// The accepted kind of player ids: `team` or `game`. Nil means `team`.
        public var playerIds: String?
        /// Whether signatures of Apple's sandbox are accepted.
        public var acceptsSandbox: Bool?
        /// The root and any intermediates, PEM-encoded, that are trusted to sign for Apple. Nil means the system's.
        public var trustedCertificates: [String]?

        public init() {}

        init(_ container: KeyedDecodingContainer<CodingKeys>) throws {
            playerIds = try container.decodeIfPresent(String.self, forKey: .gameCenterKind)
            acceptsSandbox = try container.decodeIfPresent(Bool.self, forKey: .acceptsSandbox)
            trustedCertificates = try container.decodeIfPresent([String].self, forKey: .trustedCertificates)
        }

        fileprivate func write(to container: inout KeyedEncodingContainer<CodingKeys>) throws {
            try container.encodeIfPresent(playerIds, forKey: .gameCenterKind)
            try container.encodeIfPresent(acceptsSandbox, forKey: .acceptsSandbox)
            try container.encodeIfPresent(trustedCertificates, forKey: .trustedCertificates)
        }
    }
}

extension ProviderConfiguration {
    /// The authority that assigns subjects, and says who has proven to be which: the kind, and for kinds without fixed addresses also the
    /// issuer, where its keys are, and the hosts that are asked.
    package var authority: [String] {
        let checks = partner?.checks ?? []
        let page = [partner?.page?.authorizationURL, partner?.page?.tokenURL].compactMap { $0 }
        let hosts = Set((checks.map(\.call.url) + page).map(Self.host)).sorted()
        // Which of the hosts names the player counts, too.
        let naming = checks.filter { $0.subject != nil }.map { Self.host($0.call.url) }
        return [kind.rawValue, openID?.issuer ?? "", openID?.keysURL ?? ""] + naming + [""] + hosts
    }

    /// Where the secrets are sent, and what proves that it is the right place. Secrets that were stored for one place are not sent to
    /// another.
    package var destinations: [String] {
        authority + [origin ?? "", openID?.revocationURL ?? "", partner?.page?.tokenURL ?? ""] + trustedAuthorities
    }

    /// Where consent is revoked: the scheme, host and port; nil for a provider without such a call.
    package var revocationHost: String? {
        let url = description.revocation.first?.url ?? openID?.issuer
        return url.map(Self.host)
    }

    /// Scheme, host and port of an address.
    package static func host(_ url: String) -> String {
        url.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2).prefix(2).map { String($0) ?? "" }
            .joined(separator: "//")
    }
}
