import Foundation
import GatehouseStorage
import GatehouseWire

/// Which identity providers an app has.
enum IdentityProviderRules {
    /// A node may go by what it knew of the app for a second.
    static let forgetsAfterSeconds: Int64 = 5
    static let supportedAlgorithms = ["RS256", "ES256"]

    /// - Parameters:
    ///   - secrets: nil leaves those that there are.
    ///   - samePersons: whether another issuer or kind knows the same persons by the same subjects. Without it, none can be set
    ///     for a name that has identities: whoever has a player's subject there would be that player.
    static func set(
        _ provider: Provider, _ configuration: ProviderConfiguration, secrets: ProviderSecrets?,
        samePersons: Bool = false, app: AppID, vault: KeyVault, at moment: Moment, random: RandomSource,
        in tx: Transaction
    ) throws {
        try AppRules.lock(app, in: tx)
        guard provider != .guest else { throw Refusal.parameter("idp", "Guest needs no configuration.") }
        guard isName(provider) else {
            throw Refusal.parameter("idp", "A provider's name has 1 to 32 lower-case letters, digits, - or _.")
        }
        var configuration = configuration
        let old = try IdentityProviderQueries.providers(of: app, in: tx)[provider]
        if let old, (old.namespace ?? "") != configuration.namespace ?? "" {
            throw Refusal.parameter("namespace", "The namespace can't be changed: its players would be others.")
        }
        if let old, !samePersons, old.authority != configuration.authority,
            try IdentityProviderQueries.hasIdentities(provider, app: app, in: tx)
        {
            throw Refusal.parameter(
                "issuer",
                "The provider has players by its former issuer and kind: another is another provider, with a name of its own. "
                    + "Say --same-persons if it knows the same persons by the same subjects.")
        }
        // Personal data is kept again only where the operator says so.
        if configuration.keepsProfile == nil { configuration.keepsProfile = old?.keepsProfile }
        let check = ProviderSettingsCheck(configuration: configuration)
        try check.check()
        try check.checkAuthentication(
            with: secrets ?? old.map { try Self.secrets(of: $0, provider, app: app, vault: vault) } ?? ProviderSecrets()
        )
        if let secrets {
            try check.check(secrets)
            configuration.sealedSecrets = try vault.seal(
                JSONWriter.bytes(of: secrets), for: .providerSecrets(provider, in: app))
        } else {
            configuration.sealedSecrets = old?.sealedSecrets
        }
        try IdentityProviderQueries.set(provider, configuration, app: app, at: moment, in: tx)
        guard old?.keepsProfiles ?? false, !configuration.keepsProfiles else { return }
        // Nobody gets them from now on; the rows follow, which may be many (INFO-4): when every node has heard of it.
        try JobRules.add(
            .forgetProfiles, ForgetProfilesPayload(provider: provider), app: app, vault: vault,
            at: moment.adding(seconds: forgetsAfterSeconds), random: random, in: tx)
    }

    /// False when it is disabled already.
    static func disable(_ provider: Provider, app: AppID, in tx: Transaction) throws -> Bool {
        try AppRules.lock(app, in: tx)
        guard let configuration = try IdentityProviderQueries.providers(of: app, in: tx)[provider] else {
            throw Refusal.parameter("idp", "The app has no such identity provider.")
        }
        return try configuration.isEnabled && IdentityProviderQueries.disable(provider, app: app, in: tx)
    }

    static func secrets(
        of configuration: ProviderConfiguration, _ provider: Provider, app: AppID, vault: KeyVault
    ) throws -> ProviderSecrets {
        guard let sealed = configuration.sealedSecrets else { return ProviderSecrets() }
        return try JSONDecoder().decode(
            ProviderSecrets.self, from: Data(vault.open(sealed, for: .providerSecrets(provider, in: app))))
    }

    /// Access tokens name the provider: nothing in the name needs escaping there.
    private static func isName(_ provider: Provider) -> Bool {
        (1...32).contains(provider.rawValue.utf8.count)
            && provider.rawValue.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x2d || byte == 0x5f
            }
    }
}

extension ProviderConfiguration {
    /// Who says whose a subject is: the kind, and for those without an issuer of their own the issuer, or the hosts that are asked.
    fileprivate var authority: [String] {
        let hosts = (checks ?? []).filter { $0.subject != nil }.map { URLComponents(string: $0.call.url)?.host ?? "" }
        return [kind.rawValue, issuer ?? ""] + hosts
    }
}
