import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseProviders
import GatehouseServer
import GatehouseWire

struct IdentityProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idp", abstract: "Say which identity providers an app has.",
        discussion: "What to enter where in each provider's console is in docs/providers.md.",
        subcommands: [SetIdentityProvider.self, Show.self, List.self, Test.self, Enable.self, Disable.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print an identity provider's settings, as JSON that `idp set --file` takes.",
            discussion: "Its secrets are not in it, and stay as they are when that file is set.")

        @OptionGroup var app: AppArguments
        @Argument(help: "Its name.") var idp: String

        func run() async throws {
            let found = try await app.run(ReadApp())
            guard let configuration = found.providers[Provider(idp)] else {
                let names = found.providers.keys.map(\.rawValue).sorted().joined(separator: ", ")
                throw SettingError(
                    "The app \(found.id) has no identity provider \(idp). \(names.isEmpty ? "It has none." : "It has \(names).")"
                )
            }
            try Terminal.json(["settings": configuration])
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List an app's identity providers.",
            discussion: "The callback is relative to the server's public address, unless it was set.")

        @OptionGroup var app: AppArguments

        func run() async throws {
            let found = try await app.run(ReadApp())
            let providers = found.providers.sorted { $0.key.rawValue < $1.key.rawValue }
            try app.output.list(
                ["name", "kind", "state", "clientIds", "ways", "callback"],
                providers.map { Self.row($0.key, $0.value, app: found.id) })
        }

        private static func row(_ provider: Provider, _ configuration: ProviderConfiguration, app: AppID) -> [Shown] {
            let regions = configuration.regions ?? [:]
            let clientIds = configuration.clientIds + regions.values.flatMap(\.clientIds).sorted()
            let path = Endpoints.path(Endpoints.callback, of: provider, app: app)
            let isCalledBack = configuration.description.authorization != nil
            return [
                .text(provider.rawValue), .text(configuration.kind.rawValue),
                .text(configuration.isEnabled ? "enabled" : "disabled"), .list(clientIds), .list(ways(configuration)),
                .text(isCalledBack ? configuration.callbackURL ?? path : nil),
            ]
        }

        /// The kinds of credentials that are accepted.
        private static func ways(_ configuration: ProviderConfiguration) -> [String] {
            let description = configuration.description
            let bindsTokens = description.namesAudience || configuration.acceptsUnboundTokens ?? false
            let ways = [
                ("browser", description.authorization != nil), ("id-token", description.openID != nil),
                ("access-token", !description.checks.isEmpty && bindsTokens), ("proof", description.isGameCenter),
            ]
            return ways.filter(\.1).map(\.0)
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check an identity provider's settings against the provider, and say what is wrong.",
            discussion: "Exits with 1 when something is. A line with ? says what only a login can show.")

        private static let words: [ProviderFinding.Verdict: String] = [
            .fine: "ok   ", .wrong: "WRONG", .unknown: "?    ",
        ]

        @OptionGroup var app: AppArguments
        @Argument(help: "Its name.") var idp: String
        @Flag(help: "The provider may be on this machine or in its networks, as with allow-local-providers.")
        var local = false
        @Option(
            help: "The server's public-url: the provider knows the callback there. Default: the server's address")
        var publicUrl: String?

        func run() async throws {
            let settings = try app.data.settings(also: ["public-url": publicUrl])
            let reachesLocal = try self.local || settings.flag("allow-local-providers", default: false)
            let url = try await ServerAddress.known(to: [settings], by: ["public-url"]).url
            let test = TestIdentityProvider(provider: Provider(idp), publicURL: url)
            let findings = try await app.run(test, reachesLocal: reachesLocal)
            // Where nothing can be reached, two calls of a browser login say the same.
            var said = Set<String>()
            for finding in findings {
                guard !app.output.json else {
                    try Terminal.json(finding)
                    continue
                }
                guard said.insert(finding.text).inserted else { continue }
                Terminal.say("\(Self.words[finding.verdict] ?? "?    ") \(finding.text)")
            }
            guard !findings.contains(where: \.isWrong) else { throw ExitCode.failure }
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switch an identity provider on again, with the settings that it has.")

        @OptionGroup var app: AppArguments
        @Argument(help: "Its name.") var idp: String

        func run() async throws {
            try await app.run(EnableIdentityProvider(provider: Provider(idp)))
            app.output.done("\(idp) is enabled")
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switch an identity provider off. Sessions go on; new logins and mappings with it are refused.")

        @OptionGroup var app: AppArguments
        @Argument(help: "Its name.") var idp: String

        func run() async throws {
            try await app.run(DisableIdentityProvider(provider: Provider(idp)))
            app.output.done("\(idp) is disabled")
        }
    }
}
