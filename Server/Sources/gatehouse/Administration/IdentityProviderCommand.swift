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
        subcommands: [SetIdentityProvider.self, List.self, Test.self, Disable.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List an app's identity providers: name, kind, state, client ids, ways in, callback.")

        @OptionGroup var app: AppArguments

        func run() async throws {
            let providers = try await Administration.open(app) { try await $0.identityProviderReports(of: $1) }
            for report in providers {
                Terminal.say(
                    .init(columns: [
                        report.provider.rawValue, report.kind.rawValue, report.isEnabled ? "enabled" : "disabled",
                        report.clientIds.joined(separator: ","), report.ways.joined(separator: ","),
                        report.callback ?? "-",
                    ]))
            }
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
            help: "The server's public-url: the provider knows the callback there. Default: that of the configuration")
        var publicUrl: String?

        func run() async throws {
            let settings = try app.data.settings(also: ["public-url": publicUrl])
            let port = try settings.number("port", default: 8_080, in: 0...65_535)
            let origin = settings.list("public-url").first ?? "http://127.0.0.1:\(port)"
            let reachesLocal = try self.local || settings.flag("allow-local-providers", default: false)
            let url = origin.hasSuffix("/") ? String(origin.dropLast()) : origin
            let findings = try await Administration.open(app, reachesLocal: reachesLocal) {
                try await $0.testIdentityProvider(Provider(idp), of: $1, publicURL: url)
            }
            for finding in findings { Terminal.say("\(Self.words[finding.verdict] ?? "?    ") \(finding.text)") }
            guard !findings.contains(where: \.isWrong) else { throw ExitCode.failure }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switch an identity provider off. Sessions go on; new logins and mappings with it are refused.")

        @OptionGroup var app: AppArguments
        @Argument(help: "Its name.") var idp: String

        func run() async throws {
            try await Administration.open(app) { try await $0.disableIdentityProvider(Provider(idp), of: $1) }
            Terminal.say("\(idp) is disabled")
        }
    }
}
