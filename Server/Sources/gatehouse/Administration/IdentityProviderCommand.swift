import ArgumentParser
import GatehouseServer
import GatehouseWire

struct IdentityProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idp", abstract: "Say which identity providers an app has.",
        subcommands: [Set.self, List.self, Disable.self])

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add or change an OpenID Connect provider.",
            discussion: "Without a client id a provider can't be enabled: tokens for other apps would be let in.")

        @OptionGroup var app: AppArguments
        @Argument(help: "Its name, such as google.") var idp: String
        @Option(help: "The issuer, exactly as ID tokens name it.") var issuer: String
        @Option(help: "A client id that tokens may be issued for; may be given several times.") var clientId: [String] =
            []
        @Option(help: "Where the provider publishes its keys: the jwks_uri of its discovery document.") var keysUrl:
            String
        @Option(help: "RS256 or ES256; may be given several times. Default: RS256") var algorithm: [String] = []
        @Option(help: "Where tokens are revoked (RFC 7009), if the provider offers it.") var revocationUrl: String?

        @Flag(help: "Keep profile and access token, encrypted, for the game's server to ask for.") var keepProfile =
            false

        func run() async throws {
            let configuration = ProviderConfiguration(
                issuer: issuer, clientIds: clientId, keysURL: keysUrl,
                algorithms: algorithm.isEmpty ? ["RS256"] : algorithm, revocationURL: revocationUrl,
                keepsProfile: keepProfile)
            try await Administration.open(app.data) {
                try await $0.setIdentityProvider(Provider(idp), configuration, of: app.id)
            }
            Terminal.say("\(app.id) has \(idp)")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List an app's identity providers.")

        @OptionGroup var app: AppArguments

        func run() async throws {
            let providers = try await Administration.open(app.data) { try await $0.identityProviders(of: app.id) }
            for (provider, configuration) in providers.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                Terminal.say(
                    [
                        provider.rawValue, configuration.isEnabled ? "enabled" : "disabled", configuration.issuer,
                        configuration.clientIds.joined(separator: ","),
                    ].joined(separator: "\t"))
            }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switch an identity provider off. Sessions go on; new logins and mappings with it are refused.")

        @OptionGroup var app: AppArguments
        @Argument(help: "Its name.") var idp: String

        func run() async throws {
            try await Administration.open(app.data) { try await $0.disableIdentityProvider(Provider(idp), of: app.id) }
            Terminal.say("\(idp) is disabled")
        }
    }
}
