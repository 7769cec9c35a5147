import GatehouseWire

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
