import FakeProviders
import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// An operator's and a developer's work with identity providers, only with the command.
@Suite(.timeLimit(.minutes(10))) struct ProviderCommandTests {
    @Test(
        "`gatehouse idp` sets, lists, tests and disables every provider, and says what is wrong")
    func providers() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            let operations = Operations(folder: folder)
            try await Self.lists(operations)
            let game = GatehouseClient(
                .init(
                    appID: "devgame", serverURL: try URL(string: server.url).unwrapped(), storage: MemoryStorage()))
            let launching = try await game.start()
            let origin = try #require(launching.providers[.google]?.additionalInfo?["fakeWorld"]?.stringValue)
            try await Self.reportsAndFaults(operations, at: origin)
            try await Self.detectsWrongSecret(operations, at: origin)
            try await Self.refusesBadSettings(operations)
            try await Self.changesAndDisables(operations)
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }

    /// An operator's commands in a folder.
    private struct Operations: Sendable {
        let folder: URL

        /// A file with a secret that the fake world does not know.
        var wrongSecret: URL { folder.appendingPathComponent("wrong.secret") }

        func run(_ arguments: String..., status: Int32 = 0) async throws -> String {
            let result = try await Command.run(arguments, in: folder)
            #expect(result.status == status, "\(arguments): \(result.text)")
            return result.text
        }
    }

    private static func lists(_ operations: Operations) async throws {
        let list = try await operations.run("idp", "list")
        for provider in FakeProviders.names {
            #expect(list.contains("\(provider)\t"))
            #expect(!(try await operations.run("idp", "test", provider.rawValue, "--local")).contains("WRONG"))
        }
        // Without options, the port and the way to providers on this machine are those of the configuration.
        let configured = try await Command.run(
            ["idp", "test", "google"], in: operations.folder,
            environment: ["GATEHOUSE_PORT": "18541", "GATEHOUSE_ALLOW_LOCAL_PROVIDERS": "true"])
        #expect(configured.status == 0, "\(configured.text)")
        #expect(
            configured.text.contains("http://127.0.0.1:18541/v1/apps/devgame/callback/google"), "\(configured.text)")
        #expect(list.contains("/v1/apps/devgame/callback/google"))
        #expect(!list.contains("secret-of"))
    }

    /// The fake world's control page sends a report, and sets a fault.
    private static func reportsAndFaults(_ operations: Operations, at origin: String) async throws {
        @Sendable func post(_ path: String, _ form: String) async throws -> TransportResponse {
            try await GatehouseClient.Environment.live().send(
                TransportRequest(
                    method: "POST", url: try URL(string: origin + path).unwrapped(),
                    headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(form.utf8),
                    timeoutSeconds: 20))
        }
        let page = try await GatehouseClient.Environment.live().send(
            TransportRequest(
                method: "GET", url: try URL(string: origin).unwrapped(), headers: [:], body: nil, timeoutSeconds: 20))
        let html = String(decoding: page.body, as: UTF8.self)
        for words in ["Signing key", "What each fault does", "lost-answer", "nothing for 60 seconds", "<svg"] {
            #expect(html.contains(words), "\(words)")
        }
        let report = try await post("/world/signal", "provider=appleid&player=alice&signal=account-deleted")
        #expect(String(decoding: report.body, as: UTF8.self).contains("answered 200"))
        #expect(try await post("/world/signal", "provider=google&player=alice").status == 400)
        #expect(try await post("/world/fault", "provider=weibo&fault=down").status == 303)
        #expect(try await operations.run("idp", "test", "weibo", "--local", status: 1).contains("WRONG"))
        #expect(try await post("/world/fault", "provider=weibo&fault=none").status == 303)
        #expect(try await post("/world/fault", "provider=weibo&fault=odd").status == 400)
        #expect(try await post("/world/rotate", "provider=google").status == 303)
    }

    /// A wrong secret is detected by asking the provider.
    private static func detectsWrongSecret(_ operations: Operations, at origin: String) async throws {
        try Data("wrong\n".utf8).write(to: operations.wrongSecret)
        _ = try await operations.run(
            "idp", "set", "google", "--client-id", "gatehouse-google", "--client-secret-file",
            operations.wrongSecret.path, "--fake-world", origin)
        let found = try await operations.run("idp", "test", "google", "--local", status: 1)
        #expect(found.contains("WRONG browser logins"))
        #expect(!found.contains("wrong\n"))
        // Without the exception, no address on this machine is contacted.
        #expect(try await operations.run("idp", "test", "naver", status: 1).contains("internet"))
    }

    private static func refusesBadSettings(_ operations: Operations) async throws {
        let typo = try await operations.run(
            "idp", "set", "facebook", "--client-id", "a", "--additional-info", #"{"facebook_permision":["email"]}"#,
            status: 1)
        #expect(typo.contains("facebook_permission, scope, scopes"))
        for (arguments, words) in [
            (["idp", "set", "google"], "client id"),
            (["idp", "set", "hangame", "--client-id", "a", "--token-url", "https://a.example"], "subject"),
            (["idp", "set", "google", "--client-id", "a", "--authorization-url", "https://a.example"], "own page"),
            (["idp", "set", "own", "--client-id", "a", "--reauthentication", "prompt"], "NAME=VALUE"),
            (["idp", "set", "own", "--client-id", "a", "--issuer", "http://example.com"], "issuer"),
            (["idp", "set", "own", "--kind", "nonsense", "--client-id", "a"], "kind"),
            (["idp", "set", "hangame", "--client-id", "a"], "subject"),
            (
                [
                    "idp", "set", "iosgamecenter", "--client-id", "a", "--trusted-certificates",
                    operations.wrongSecret.path,
                ], "root"
            ),
            (["app", "accounts", "devgame", "--revoke-consent", "sometimes"], "withdrawal, removal, never"),
            (["idp", "set", "appleid", "--client-id", "a", "--apple-team", "T"], "go together"),
            (["idp", "set", "google", "--client-id", "a", "--client-secret-file", "nowhere"], "nowhere"),
            (["idp", "set", "google", "--client-id", "a", "--namespace", "other"], "namespace"),
            (["idp", "set", "google", "--client-id", "a", "--fake-world", "https://example.com"], "this machine"),
            (["idp", "set", "Google!", "--client-id", "a"], "name"), (["idp", "test", "nobody"], "no such"),
            (["app", "accounts", "devgame", "--redirect", "javascript:alert(1)"], "redirect"),
            (["app", "accounts", "devgame", "--on-account-deleted", "explode"], "explode"),
        ] {
            let result = try await Command.run(arguments, in: operations.folder)
            #expect(result.status != 0)
            #expect(result.text.contains(words), "\(arguments): \(result.text)")
        }
    }

    private static func changesAndDisables(_ operations: Operations) async throws {
        #expect(
            try await operations.run("app", "accounts", "devgame", "--redirect", "mygame://login").contains(
                "mygame://login"))
        // Game Center needs only the bundle id.
        let replaced = try await operations.run("idp", "set", "iosgamecenter", "--client-id", "a", "--no-keep-profile")
        #expect(replaced.contains("trustedCertificates: none"))
        #expect(replaced.contains("keepsProfile: false, before none"))
        #expect(try await operations.run("idp", "test", "iosgamecenter").contains("an authority of this system"))
        #expect(try await operations.run("app", "accounts", "devgame").contains("revoke consent         withdrawal"))
        let consent = try await operations.run("app", "accounts", "devgame", "--revoke-consent", "never")
        #expect(consent.contains("revoke consent         never"))
        _ = try await operations.run("idp", "disable", "google")
        #expect(try await operations.run("idp", "list").contains("google\tgoogle\tdisabled"))
    }

    @Test("A provider with a name of its own: `idp set` says what it replaces, `idp test` and `play` go to it")
    func ownName() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            @Sendable func run(_ arguments: [String], status: Int32 = 0) async throws -> String {
                let result = try await Command.run(arguments, in: folder)
                #expect(result.status == status, "\(arguments): \(result.text)")
                return result.text
            }
            let game = GatehouseClient(
                .init(
                    appID: "devgame", serverURL: try URL(string: server.url).unwrapped(), storage: MemoryStorage()))
            let launching = try await game.start()
            let origin = try #require(launching.providers[.google]?.additionalInfo?["fakeWorld"]?.stringValue)
            let secret = folder.appendingPathComponent("studio.secret")
            try Data("secret-of-studio\n".utf8).write(to: secret)
            let set = [
                "idp", "set", "studio-id", "--kind", "openid", "--issuer", "https://id.studio.example", "--client-id",
                "gatehouse-studio", "--fake-world", origin, "--additional-info", #"{"fakeWorld":"\#(origin)"}"#,
            ]
            let first = try await run(set + ["--client-secret-file", secret.path, "--scope", "openid"])
            #expect(!first.contains("before"))
            #expect(try await !run(["idp", "test", "studio-id", "--local"]).contains("WRONG"))
            // A change takes effect within a second.
            try await eventually("provider studio-id") {
                try await game.start().providers[Provider("studio-id")] != nil
            }
            let played = try await run([
                "play", "--server", server.url, "--storage", "phone.json", "--json", "--script", "login:studio-id,me",
            ])
            #expect(played.contains(#""provider":"studio-id""#), "\(played)")

            let second = try await run(set + ["--client-authentication", "client_secret_basic"])
            #expect(second.contains(#"clientAuthentication: "client_secret_basic", before none"#), "\(second)")
            #expect(second.contains(#"scopes: none, before ["openid"]"#))
            #expect(second.contains("secrets: as they were"))
            #expect(!second.contains("secret-of"))
            for (arguments, words) in [
                (["--client-authentication", "nonsense"], "client_secret_basic"),
                (["--client-authentication", "private_key_jwt"], "missing"), (["--client-key-id", "1"], "go"),
                (["--client-key-file", secret.path], "P-256"), (["--trusted-certificates", secret.path], "PEM"),
            ] {
                let result = try await Command.run(set + arguments, in: folder)
                #expect(result.status != 0)
                #expect(result.text.contains(words), "\(arguments): \(result.text)")
            }
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }
}
