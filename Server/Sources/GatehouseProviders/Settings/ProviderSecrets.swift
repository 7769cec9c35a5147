import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
public import GatehouseWire

/// The secrets of an app's configuration of an identity provider. They are encrypted in the database and never published.
public struct ProviderSecrets: Codable, Sendable, Hashable {
    public var clientSecret: ProviderToken?
    /// Used instead of a client secret, at Apple.
    public var appleKey: AppleKey?
    /// Used instead of a client secret, for `private_key_jwt`.
    public var clientKey: ClientKey?
    /// Kakao's admin key. It unlinks a person without that person's token, and authenticates Kakao's webhooks.
    public var adminKey: ProviderToken?
    /// Client secrets of regions, by the region's name.
    public var regions: [String: ProviderToken]?
    /// The secret values in a partner's calls, by their placeholders.
    public var values: [String: ProviderToken]?

    public init(clientSecret: ProviderToken? = nil, appleKey: AppleKey? = nil, adminKey: ProviderToken? = nil) {
        self.clientSecret = clientSecret
        self.appleKey = appleKey
        self.adminKey = adminKey
    }

    /// A client's private key. The provider knows the public key.
    public struct ClientKey: Codable, Sendable, Hashable {
        /// The provider's `kid` for the key, if it requires one.
        public var keyId: String?
        /// PEM: a P-256 key, or an RSA key of at least 2048 bits.
        public var privateKey: ProviderToken

        public init(keyId: String? = nil, privateKey: ProviderToken) {
            self.keyId = keyId
            self.privateKey = privateKey
        }
    }

    /// A team's key at Apple.
    public struct AppleKey: Codable, Sendable, Hashable {
        public var teamId: String
        public var keyId: String
        /// A P-256 key as PEM, in the form that Apple provides.
        public var privateKey: ProviderToken

        public init(teamId: String, keyId: String, privateKey: ProviderToken) {
            self.teamId = teamId
            self.keyId = keyId
            self.privateKey = privateKey
        }
    }
}

extension ProviderConfiguration {
    /// The provider's secrets, decrypted.
    package func secrets(of provider: Provider, in app: AppID, vault: KeyVault) throws -> ProviderSecrets {
        guard let sealedSecrets else { return ProviderSecrets() }
        return try StoredJSON.read(
            ProviderSecrets.self, from: vault.open(sealedSecrets, for: .providerSecrets(provider, in: app)))
    }
}

/// Changes of single secrets of a provider. The others stay as they are.
///
/// A secret has the name that it has in an operator's file: `clientSecret`, `appleKey.privateKey`, `regions.japan`, `values.apiKey`.
package struct ProviderSecretChanges: Codable, Sendable, Hashable {
    /// The new secrets by name.
    package var values: [String: String]
    /// The names of those that are taken away. A name of a group, such as `appleKey`, takes away all of it.
    package var removed: Set<String>

    package init(values: [String: String] = [:], removed: Set<String> = []) {
        self.values = values
        self.removed = removed
    }

    package var isEmpty: Bool { values.isEmpty && removed.isEmpty }

    /// - Throws: ``Refusal`` for secrets of which a part is missing, such as a key without its id.
    package func applied(to secrets: ProviderSecrets) throws -> ProviderSecrets {
        var members = try Self.members(of: secrets)
        for name in removed { Self.put(nil, at: Self.path(name), in: &members) }
        for (name, text) in values { Self.put(.string(text), at: Self.path(name), in: &members) }
        do {
            return try StoredJSON.read(ProviderSecrets.self, from: JSONWriter.bytes(of: members))
        } catch {
            let group = (values.keys.sorted().first ?? "secrets").firstPart(at: ".")
            throw Refusal.parameter(group, "A part of the key is missing: its id, the team, or the key itself.")
        }
    }

    /// Secrets that were stored for one address may not go to another, so each of them is replaced or taken away.
    ///
    /// - Throws: 3 that names the first secret that would stay.
    package func requireAll(of secrets: ProviderSecrets) throws {
        let kept = secrets.hints.filter { name, hint in
            let group = name.firstPart(at: ".")
            return hint.value == nil && values[name] == nil && !removed.contains(name) && !removed.contains(group)
        }
        guard let name = kept.keys.min() else { return }
        let isOfMany = name.utf8.starts(with: "regions.".utf8) || name.utf8.starts(with: "values.".utf8)
        throw Refusal.parameter(
            isOfMany ? name.firstPart(at: ".") : name,
            "The secret \(name) was given for another address, kind or certificate. Give it again, or take it away.")
    }

    private static func path(_ name: String) -> [String] {
        name.parts(at: ".", atMost: 2).map(String.init)
    }

    private static func members(of secrets: ProviderSecrets) throws -> [String: JSONValue] {
        try StoredJSON.read([String: JSONValue].self, from: JSONWriter.bytes(of: secrets))
    }

    private static func put(_ value: JSONValue?, at path: [String], in members: inout [String: JSONValue]) {
        guard let first = path.first else { return }
        guard path.count > 1 else {
            members[first] = value
            return
        }
        var group = members[first]?.objectValue ?? [:]
        group[path[1]] = value
        members[first] = group.isEmpty ? nil : .object(group)
    }
}

/// What an operator may know of a secret that is set.
package struct ProviderSecretHint: Sendable, Hashable {
    /// The last characters; nil for a secret that is too short to show any, or whose end is always the same.
    package let ending: String?
    /// The whole value of what is no secret, such as the id of a key.
    package let value: String?
}

extension ProviderSecrets {
    private static let open: Set = ["appleKey.teamId", "appleKey.keyId", "clientKey.keyId"]

    /// What may be known of every secret that is set, by its name.
    package var hints: [String: ProviderSecretHint] {
        var hints: [String: ProviderSecretHint] = [:]
        func add(_ name: String, _ text: String?) {
            guard let text, !text.isEmpty else { return }
            guard !Self.open.contains(name) else {
                hints[name] = ProviderSecretHint(ending: nil, value: text)
                return
            }
            let isShown = text.count >= 12 && !text.begins(with: "-----")
            hints[name] = ProviderSecretHint(ending: isShown ? String(text.suffix(3)) : nil, value: nil)
        }
        add("clientSecret", clientSecret?.secretValue)
        add("adminKey", adminKey?.secretValue)
        add("appleKey.teamId", appleKey?.teamId)
        add("appleKey.keyId", appleKey?.keyId)
        add("appleKey.privateKey", appleKey?.privateKey.secretValue)
        add("clientKey.keyId", clientKey?.keyId)
        add("clientKey.privateKey", clientKey?.privateKey.secretValue)
        for (name, token) in regions ?? [:] { add("regions.\(name)", token.secretValue) }
        for (name, token) in values ?? [:] { add("values.\(name)", token.secretValue) }
        return hints
    }
}
