import Foundation
import GatehouseStorage
import GatehouseWire

/// Which identity providers an app has.
enum IdentityProviderRules {
    static let supportedAlgorithms = ["RS256", "ES256"]

    static func set(
        _ provider: Provider, _ configuration: ProviderConfiguration, app: AppID, at moment: Moment, in tx: Transaction
    ) throws {
        try AppRules.lock(app, in: tx)
        guard provider != .guest else { throw Refusal.parameter("idp", "Guest needs no configuration.") }
        guard isName(provider) else {
            throw Refusal.parameter("idp", "A provider's name has 1 to 32 lower-case letters, digits, - or _.")
        }
        try check(configuration)
        try IdentityProviderQueries.set(provider, configuration, app: app, at: moment, in: tx)
    }

    static func disable(_ provider: Provider, app: AppID, in tx: Transaction) throws {
        try AppRules.lock(app, in: tx)
        guard try IdentityProviderQueries.disable(provider, app: app, in: tx) else {
            throw Refusal.parameter("idp", "The app has no such identity provider.")
        }
    }

    /// Access tokens name the provider: nothing in the name needs escaping there.
    private static func isName(_ provider: Provider) -> Bool {
        (1...32).contains(provider.rawValue.utf8.count)
            && provider.rawValue.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x2d || byte == 0x5f
            }
    }

    private static func check(_ configuration: ProviderConfiguration) throws {
        let clients = configuration.clientIds
        guard !clients.isEmpty, clients.allSatisfy({ (1...512).contains($0.utf8.count) }) else {
            throw Refusal.parameter("clientId", "A provider needs the client id that its tokens are issued for.")
        }
        guard !configuration.algorithms.isEmpty,
            configuration.algorithms.allSatisfy({ supportedAlgorithms.contains($0) })
        else {
            throw Refusal.parameter("algorithm", "The algorithms are \(supportedAlgorithms.joined(separator: ", ")).")
        }
        guard (1...512).contains(configuration.issuer.utf8.count) else {
            throw Refusal.parameter("issuer", "The issuer is the URL that ID tokens name.")
        }
        for (name, text) in [("keysUrl", configuration.keysURL), ("revocationUrl", configuration.revocationURL ?? "")] {
            guard !text.isEmpty || name == "revocationUrl" else {
                throw Refusal.parameter(name, "The provider's keys are at an https URL.")
            }
            guard text.isEmpty || OutgoingRequest.isAllowed(text) else {
                throw Refusal.parameter(name, "The URL is https, or http on this machine for development.")
            }
        }
    }
}
