import GatehouseJSON
import GatehousePlatform
package import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// An app's identity providers.
enum IdentityProviderRules {
    /// A node may use its cached copy of the app for a second, so profiles are deleted only after this delay.
    static let forgetsAfterSeconds: Int64 = 5

    /// - Parameters:
    ///   - secrets: nil keeps the existing ones.
    ///   - samePersons: who says that the new authority has the same persons with the same subjects. If nobody does, it can't be
    ///     changed for a name that has identities, because the owner of a player's subject at the new one would log in as that player.
    static func set(
        _ provider: Provider, _ configuration: ProviderConfiguration, secrets: ProviderSecrets?,
        samePersons: SamePersons, app: AppID, vault: KeyVault, at moment: Moment, random: RandomSource,
        in tx: Transaction
    ) throws {
        try AppRules.lock(app, in: tx)
        let old = try IdentityProviderQueries.providers(of: app, in: tx)[provider]
        let configuration = try prepared(
            provider, configuration, over: old, secrets: secrets, samePersons: samePersons, app: app, vault: vault,
            in: tx)
        try IdentityProviderQueries.set(provider, configuration, app: app, at: moment, in: tx)
        guard old?.keepsProfiles ?? false, !configuration.keepsProfiles else { return }
        // From now on nobody can read the profiles. A job deletes the rows, which may be many (INFO-4), when every node knows of the
        // change.
        try JobRules.add(
            ForgetProfiles(provider: provider), app: app, vault: vault,
            at: moment.adding(seconds: forgetsAfterSeconds), random: random, in: tx)
    }

    /// The settings as they are stored, with their secrets sealed.
    ///
    /// - Parameter old: the settings that they replace.
    /// - Throws: ``Refusal`` that names the setting.
    static func prepared(
        _ provider: Provider, _ configuration: ProviderConfiguration, over old: ProviderConfiguration?,
        secrets: ProviderSecrets?, samePersons: SamePersons, app: AppID, vault: KeyVault, in tx: Reader
    ) throws -> ProviderConfiguration {
        guard provider != .guest else { throw Refusal.parameter("idp", "Guest needs no configuration.") }
        guard isName(provider) else {
            throw Refusal.parameter("idp", "A provider's name has 1 to 32 lower-case letters, digits, - or _.")
        }
        var configuration = configuration
        if let old, (old.namespace ?? "") != configuration.namespace ?? "" {
            throw Refusal.parameter("namespace", "The namespace can't be changed: its players would be others.")
        }
        let check = ProviderSettingsCheck(configuration: configuration)
        try check.check()
        if try takesOver(provider, configuration, from: old, app: app, in: tx) { try samePersons.require() }
        let known = try old.map { try $0.secrets(of: provider, in: app, vault: vault) } ?? ProviderSecrets()
        if secrets == nil, let old, old.destinations != configuration.destinations {
            // A person who can change an address must not get the secrets that others have stored for the former one.
            try ProviderSecretChanges().requireAll(of: known)
        }
        // Personal data is kept again only where the operator says so.
        if configuration.keepsProfile == nil { configuration.keepsProfile = old?.keepsProfile }
        try check.checkAuthentication(with: secrets ?? known)
        if let secrets {
            try check.check(secrets)
            configuration.sealedSecrets = try vault.seal(
                JSONWriter.bytes(of: secrets), for: .providerSecrets(provider, in: app))
        } else {
            configuration.sealedSecrets = old?.sealedSecrets
        }
        return configuration
    }

    /// Whether settings would give the players of a provider to another authority.
    static func takesOver(
        _ provider: Provider, _ configuration: ProviderConfiguration, from old: ProviderConfiguration?, app: AppID,
        in tx: Reader
    ) throws -> Bool {
        guard let old, old.authority != configuration.authority else { return false }
        return try IdentityProviderQueries.hasIdentities(provider, app: app, in: tx)
    }

    /// False when it is already disabled.
    static func disable(_ provider: Provider, app: AppID, in tx: Transaction) throws -> Bool {
        try AppRules.lock(app, in: tx)
        guard let configuration = try IdentityProviderQueries.providers(of: app, in: tx)[provider] else {
            throw Refusal.parameter("idp", "The app has no such identity provider.")
        }
        return try configuration.isEnabled
            && IdentityProviderQueries.setEnabled(
                false, provider, app: app, in: tx)
    }

    /// False when it is already enabled. Settings that were stored by an older version are validated as if they were set now.
    static func enable(_ provider: Provider, app: AppID, in tx: Transaction) throws -> Bool {
        try AppRules.lock(app, in: tx)
        guard let configuration = try IdentityProviderQueries.providers(of: app, in: tx)[provider] else {
            throw Refusal.parameter("idp", "The app has no such identity provider.")
        }
        try ProviderSettingsCheck(configuration: configuration).check()
        return try IdentityProviderQueries.setEnabled(true, provider, app: app, in: tx)
    }

    /// Access tokens contain the provider's name, so it must not need escaping there.
    private static func isName(_ provider: Provider) -> Bool {
        (1...32).contains(provider.rawValue.utf8.count)
            && provider.rawValue.utf8.allSatisfy { byte in
                ASCII.isLowercase(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }
}

/// Reads the identity providers of an app as they are now.
package struct ReadIdentityProviders: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package init() {}

    package func perform(_ work: Work) async throws -> [Provider: ProviderView] {
        let (app, vault) = (work.app.id, work.services.vault)
        return try await work.services.database.read { tx in try ProviderView.all(of: app, vault: vault, in: tx) }
    }
}

extension ProviderConfiguration {
    /// A short text that changes with the settings and the secrets, whether the provider is switched on or not.
    package var version: String {
        var plain = self
        plain.isEnabled = true
        let settings = (try? JSONText.sorted(plain)) ?? ""
        let secrets = plain.sealedSecrets.map { Base64URL.encode($0) } ?? ""
        return Base64URL.encode(OperatorRules.hash(of: "\(settings)\n\(secrets)").prefix(9))
    }
}

/// Whether a provider's new authority has the same persons with the same subjects as the former one.
enum SamePersons: Sendable {
    case no
    case said(by: OperatorRole)

    init(_ isSaid: Bool, by actor: Actor) {
        self = isSaid ? .said(by: actor.knownRole) : .no
    }

    /// - Throws: 3 if nobody has said so, and 5 if an operator has who is no owner. It decides who logs in as whom.
    func require() throws {
        switch self {
        case .no:
            throw Refusal.parameter(
                "issuer",
                "The provider has players by its former issuer, kind and hosts: another is another provider, with a name of its own. "
                    + "Say --same-persons if it knows the same persons by the same subjects.")
        case .said(let role):
            guard role >= .owner else {
                throw Refusal(
                    .userPermission, "Only an owner may say that another issuer or host has the same persons.",
                    httpStatus: 403)
            }
        }
    }
}
