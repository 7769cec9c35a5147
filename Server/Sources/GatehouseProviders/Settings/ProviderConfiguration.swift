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
