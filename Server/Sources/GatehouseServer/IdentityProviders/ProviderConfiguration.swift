public import GatehouseWire

/// What an app has configured of an identity provider. No part of it is secret: that is in ``ProviderSecrets``.
public struct ProviderConfiguration: Codable, Sendable, Hashable {
    /// What older versions stored names none: it is ``ProviderKind/openID``.
    public var kind: ProviderKind
    /// The client ids that tokens may be issued for; the first is the one of browser logins. For Game Center, bundle ids.
    /// Without one the provider can't be enabled (IDP-10).
    public var clientIds: [String]
    /// What makes a subject unique at the provider, such as an Apple team. It can't be changed: its players would be others.
    public var namespace: String?
    /// For ``ProviderKind/openID``: the issuer, exactly as ID tokens name it.
    public var issuer: String?
    /// For ``ProviderKind/openID``, where no discovery document tells: where the provider publishes its keys.
    public var keysURL: String?
    /// For ``ProviderKind/openID``: what its keys may sign with, where its discovery document is not to decide. The token does
    /// not choose.
    public var algorithms: [String]?
    /// For ``ProviderKind/openID``, where no discovery document tells: where tokens are revoked (RFC 7009).
    public var revocationURL: String?
    /// For ``ProviderKind/openID``: how the client authenticates at the token and revocation endpoints. Nil leaves it to the
    /// discovery document.
    public var clientAuthentication: ClientAuthenticationMethod?
    /// For ``ProviderKind/partner``: the provider's page, if it has one, and where its codes are exchanged. With both, players
    /// can log in with a browser.
    public var authorizationURL: String?
    public var tokenURL: String?
    /// For ``ProviderKind/partner`` and ``ProviderKind/openID``: the parameters that make the page ask for an account and its
    /// password anew. Nil is what the kind has.
    public var reauthentication: [String: String]?
    /// For ``ProviderKind/partner``: the calls that verify a token.
    public var checks: [ProviderCheck]?
    /// As PEM. For Game Center: certificates that are trusted to sign for Apple, a root and what lies between. For
    /// ``ProviderKind/openID`` and ``ProviderKind/partner``: authorities that the provider's own HTTPS may lead to, beside the
    /// system's.
    public var trustedCertificates: [String]?
    /// For Game Center: `team` or `game`, the kind of player ids that are accepted. Nil is `team`.
    public var gameCenterKind: String?
    /// For Game Center: whether signatures of Apple's sandbox count.
    public var acceptsSandbox: Bool?
    /// Channels of regions, by the region's name, as LINE has them.
    public var regions: [String: Region]?
    /// What browser logins ask for, in place of the kind's own.
    public var scopes: [String]?
    /// The callback that the provider knows, where it is not this server's own address.
    public var callbackURL: String?
    /// Whether access tokens are accepted of which the provider can't say for whom they were issued. Then whoever runs another
    /// game with this provider can log in as its players.
    public var acceptsUnboundTokens: Bool?
    /// Development: where the fake world is that stands for the provider.
    public var origin: String?
    /// What adapters take where the game's own call gives nothing (LOGIN-3).
    public var additionalInfo: [String: JSONValue]?
    /// Whether profile and access token are kept, encrypted, for the game's server to ask for (INFO-4). Nil is yes; they are
    /// personal, and an operator can say no.
    public var keepsProfile: Bool?
    public var isEnabled: Bool
    /// ``ProviderSecrets``, as the database has them.
    var sealedSecrets: [UInt8]?

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

    /// The kind's description with what the operator has said.
    var description: ProviderDescription {
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

    var keepsProfiles: Bool { keepsProfile ?? true }

    /// RFC 7009.
    static func revocation(at url: String) -> ProviderCall {
        ProviderCall("POST", url, form: ["token": "{anyToken}", "token_type_hint": "{anyTokenKind}"]).authenticated
    }

    /// Authorities that connections to the provider may lead to, beside the system's.
    var trustedAuthorities: [String] {
        kind == .openID || kind == .partner ? trustedCertificates ?? [] : []
    }

    /// What a client may see.
    var published: ProviderSettings {
        let description = description
        return ProviderSettings(
            clientId: clientIds.first, issuer: issuer ?? description.openID?.issuers.first,
            hasBrowserLogin: description.authorization == nil ? nil : true, regions: regions?.keys.sorted(),
            additionalInfo: additionalInfo)
    }
}
