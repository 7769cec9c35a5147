import Crypto
import GatehousePlatform
import GatehouseSecurity
package import GatehouseWire
import X509

/// Validates an operator's settings of an identity provider without asking the provider. No setting is accepted by default (IDP-10).
package struct ProviderSettingsCheck {
    package let configuration: ProviderConfiguration

    package init(configuration: ProviderConfiguration) {
        self.configuration = configuration
    }

    /// - Throws: ``Refusal`` that names the setting.
    package func check() throws {
        try checkClients()
        switch configuration.form {
        case .described: break
        case .openID(let settings): try check(settings)
        case .partner(let settings): try check(settings)
        case .gameCenter(let settings): try check(settings)
        }
        try AdditionalInfo(configuration, isBeingSet: true).checkOperators()
        try checkURL("callbackURL", configuration.callbackURL)
        if let origin = configuration.origin {
            guard OutgoingRequest.isLocal(origin), !origin.ends(with: "/") else {
                throw Refusal.parameter(
                    "origin", "A fake world is on this machine, such as http://127.0.0.1:9090.")
            }
        }
        guard (configuration.namespace ?? "").utf8.count <= 128 else {
            throw Refusal.parameter("namespace", "The namespace may have at most 128 bytes.")
        }
    }

    private func checkClients() throws {
        let channels = [configuration.clientIds] + (configuration.regions ?? [:]).values.map(\.clientIds)
        let areFine = channels.dropFirst().allSatisfy { !$0.isEmpty }
        guard areFine, channels.contains(where: { !$0.isEmpty }),
            channels.joined().allSatisfy({ (1...512).contains($0.utf8.count) })
        else { throw Refusal.parameter("clientId", "A provider needs the client id that its tokens are issued for.") }
    }

    private func check(_ settings: ProviderConfiguration.OpenID) throws {
        guard settings.algorithms?.isEmpty != true,
            (settings.algorithms ?? []).allSatisfy(OpenIDVerifier.supportedAlgorithms.contains)
        else {
            throw Refusal.parameter(
                "algorithm", "The algorithms are \(OpenIDVerifier.supportedAlgorithms.joined(separator: ", ")).")
        }
        guard (1...512).contains(settings.issuer.utf8.count),
            settings.keysURL != nil || OutgoingRequest.isAllowed(settings.issuer)
        else {
            throw Refusal.parameter(
                "issuer",
                "The issuer (--issuer) is the https URL that ID tokens name. Only on this machine it may be http: at localhost, 127.0.0.1 "
                    + "or [::1], with allow-local-providers.")
        }
        try checkURL("keysURL", settings.keysURL)
        try checkURL("revocationURL", settings.revocationURL)
        try checkAuthorities(settings.trustedCertificates)
        try checkReauthentication(settings.reauthentication)
    }

    private func check(_ settings: ProviderConfiguration.Partner) throws {
        guard settings.checks.contains(where: { $0.subject != nil }) else {
            throw Refusal.parameter("checks", "A partner needs a call whose answer names the player: its subject.")
        }
        guard settings.checks.contains(where: { $0.audience != nil }) || configuration.acceptsUnboundTokens ?? false
        else {
            throw Refusal.parameter(
                "checks",
                "A partner needs a call whose answer names the client: its audience. Or accept unbound tokens.")
        }
        for check in settings.checks {
            // Placeholders are allowed in every part except the host.
            let url = check.call.url.parts(at: "?", atMost: 2).first.map(String.init) ?? ""
            try checkURL("checks", url.replacing(/\{[A-Za-z]+\}/, with: "x"))
            guard !(url.parts(at: "/").dropFirst().first ?? "{").has("{") else {
                throw Refusal.parameter("checks", "A call's host can't depend on what a client sends.")
            }
        }
        try checkAuthorities(settings.trustedCertificates)
        try checkURL("authorizationURL", settings.page?.authorizationURL)
        try checkURL("tokenURL", settings.page?.tokenURL)
        guard settings.clientAuthentication != .privateKeyJWT else {
            throw Refusal.parameter("clientAuthentication", "A partner's client has a secret, or none.")
        }
        try checkReauthentication(settings.reauthentication)
    }

    private func check(_ settings: ProviderConfiguration.GameCenter) throws {
        if let certificates = settings.trustedCertificates?.map(GameCenterChain.certificate(pem:)) {
            guard !certificates.contains(nil), certificates.contains(where: { $0?.issuer == $0?.subject }) else {
                throw Refusal.parameter(
                    "trustedCertificates",
                    "Certificates in place of the system's are PEM, and one is a root. Without any the system's count.")
            }
        }
        guard [nil, "team", "game"].contains(settings.playerIds) else {
            throw Refusal.parameter("gameCenterKind", "The ids are those of a team or of a game.")
        }
    }

    private func checkAuthorities(_ certificates: [String]?) throws {
        guard let certificates else { return }
        guard !certificates.isEmpty, certificates.allSatisfy({ GameCenterChain.certificate(pem: $0) != nil }) else {
            throw Refusal.parameter("trustedCertificates", "Trusted certificates are PEM.")
        }
    }

    /// Validates the parameters that make a page ask for the account again.
    private func checkReauthentication(_ parameters: [String: String]?) throws {
        guard let parameters else { return }
        let taken = [
            "response_type", "client_id", "redirect_uri", "state", "scope", "nonce", "code_challenge",
            "code_challenge_method",
        ]
        guard parameters.count <= 8, parameters.allSatisfy({ !taken.contains($0.key) && !$0.key.isEmpty }),
            parameters.allSatisfy({ $0.key.utf8.count + $0.value.utf8.count <= 256 })
        else {
            throw Refusal.parameter(
                "reauthentication", "The parameters are those that a page takes beside the flow's own.")
        }
    }

    private func checkURL(_ name: String, _ url: String?) throws {
        guard let url else { return }
        guard (1...2_048).contains(url.utf8.count), OutgoingRequest.isAllowed(url) else {
            throw Refusal.parameter(name, "The URL is https, or http on this machine for development.")
        }
    }

    package func check(_ secrets: ProviderSecrets) throws {
        if let key = secrets.appleKey,
            (try? P256.Signing.PrivateKey(pemRepresentation: key.privateKey.secretValue)) == nil
        {
            throw Refusal.parameter("appleKey", "Apple's private key is a P-256 key in PEM, as in the .p8 file.")
        }
        if let key = secrets.clientKey, ClientSigningKey(pem: key.privateKey.secretValue) == nil {
            throw Refusal.parameter(
                "clientKey", "The client's private key is a P-256 key or an RSA key of at least 2048 bits, in PEM.")
        }
        let reserved = ["token", "clientId", "clientSecret", "adminKey"]
        guard !(secrets.values ?? [:]).keys.contains(where: reserved.contains) else {
            throw Refusal.parameter("values", "The names \(reserved.joined(separator: ", ")) are taken.")
        }
    }

    /// Whether the operator's method can be used with the available secrets.
    package func checkAuthentication(with secrets: ProviderSecrets) throws {
        guard let method = configuration.clientAuthentication else { return }
        let isPossible =
            switch method {
            case .publicClient: true
            case .secretBasic, .secretPost: secrets.clientSecret != nil || secrets.regions != nil
            case .privateKeyJWT: secrets.clientKey != nil
            }
        guard isPossible else {
            throw Refusal.parameter(
                "clientAuthentication", "The secret or key that \(method.rawValue) needs is missing.")
        }
    }
}

/// The names in an operator's document. ``ProviderConfiguration`` has no place for the settings of another form, and would ignore
/// them: an operator is told instead.
package enum ProviderSettingsNames {
    /// - Throws: ``Refusal`` that names the setting.
    package static func check(_ document: JSONValue) throws {
        guard let members = document.objectValue?.filter({ $0.value != .null }) else { return }
        let named = members["kind"]?.stringValue
        guard let kind = named.map({ ProviderKind(rawValue: $0) }) ?? .openID else { return }
        let form = kind.description.settings
        func require(_ names: [String], _ forms: [ProviderSettingsForm], _ message: String) throws {
            guard !forms.contains(form), let name = names.first,
                names.contains(where: { members[$0] != nil })
            else { return }
            throw Refusal.parameter(name, "A provider of kind \(kind.rawValue) \(message).")
        }
        try require(["issuer", "keysURL"], [.openID], "has its own issuer and keys")
        try require(["clientAuthentication"], [.openID, .partner], "has its own way to authenticate clients")
        try require(["trustedCertificates"], [.openID, .partner, .gameCenter], "is reached as the system trusts it")
        try require(["checks"], [.partner], "has its own calls")
        try require(
            ["authorizationURL", "tokenURL"], [.partner], "has its own page, or its discovery document names it")
        try require(["reauthentication"], [.openID, .partner], "has its own way to ask anew")
        // Without its calls a partner is refused for those, which it needs first.
        guard form != .partner || members["checks"] != nil else { return }
        guard (members["authorizationURL"] == nil) == (members["tokenURL"] == nil) else {
            throw Refusal.parameter(
                "tokenURL", "A page needs both: where players log in, and where the server exchanges the codes.")
        }
    }
}

/// The address of a game that an operator registers, so that browsers may be redirected to it.
package enum RegisteredRedirect {
    /// Accepts a URL scheme of the game or an https link, but nothing that a browser would execute.
    package static func isAllowed(_ text: String) -> Bool {
        guard (1...1_024).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(), url.fragment == nil,
            url.user == nil
        else { return false }
        if scheme == "https" { return url.host?.isEmpty == false }
        return !["http", "javascript", "data", "file", "vbscript", "about", "blob", "ws", "wss", "ftp"].contains(scheme)
    }
}
