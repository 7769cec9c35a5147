import Foundation
import GatehouseWire
import Testing

@testable import gatehouse

/// One configuration file for all commands, and a newcomer's commands.
@Suite(.timeLimit(.minutes(10))) struct SettingCommandTests {
    /// The file that is installed with the systemd unit, with a test's paths and port.
    private func installed(in folder: URL) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        var text = try String(
            contentsOf: root.appendingPathComponent("deploy/gatehouse.conf").standardizedFileURL, encoding: .utf8)
        for (original, own) in [
            ("/var/lib/gatehouse", folder.path), ("port = 8080", "port = 0"),
            // A test's players can't use this host name; without the line, a server on loopback accepts them.
            ("public-url = https://login.example.com\n", "\n"),
        ] {
            #expect(text.contains(original))
            text = text.replacing(original, with: own)
        }
        return text
    }

    @Test("The file that is installed serves every command, from its usual place")
    func file() async throws {
        try await withFolder { folder in
            let place = folder.appendingPathComponent(".config/gatehouse")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let path = place.appendingPathComponent("gatehouse.conf")
            try Data(installed(in: folder).utf8).write(to: path)
            // With this file no server makes a database of its own accord.
            #expect(try await Command.run(["migrate"], in: folder).status == 0)
            let command = try Command(["serve"], in: folder)
            var port = ""
            for await line in command.lines where line.contains("\"serving\"") {
                #expect(line.contains("sqlite:\(folder.path)/gatehouse.db"))
                #expect(line.contains("\(folder.path)/gatehouse.key"))
                port = String(try #require(line.firstMatch(of: #/"port":"(\d+)"/#)).output.1)
                break
            }
            for arguments in [
                ["app", "create", "mygame"], ["app", "list"], ["idp", "list"], ["member", "list"], ["ban", "list"],
                ["jobs"], ["rekey"], ["migrate"],
            ] {
                for environment in [[:], ["GATEHOUSE_CONFIG": path.path]]
                where !arguments.contains("create") || environment.isEmpty {
                    let result = try await Command.run(arguments, in: folder, environment: environment)
                    #expect(result.status == 0, "\(arguments): \(result.text)")
                    #expect(!result.text.contains("database  "), "\(arguments): \(result.text)")
                }
            }
            let nobody = try await Command.run(["member", "show", "AAAAAAAAAAAAAAAA"], in: folder)
            let words = "database  sqlite:\(folder.path)/gatehouse.db (line 2 of \(path.path))"
            #expect(nobody.status == 1 && nobody.text.contains(words), "\(nobody.text)")
            let login = try await Command.run(
                ["play", "--server", "http://127.0.0.1:\(port)", "--app", "mygame", "--script", "guest"], in: folder)
            #expect(login.status == 0, "\(login.text)")
            command.signal(SIGTERM)
            #expect(await command.status() == 0)
            // Files of the development server must not become part of the installation.
            _ = try await ServingCommand.start(["dev"], in: folder)
            #expect(
                FileManager.default.fileExists(atPath: folder.appendingPathComponent(".gatehouse/gatehouse.db").path))
        }
    }

    @Test("A server says where its settings come from, and makes no database if it may not")
    func sources() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("gatehouse.conf")
            try Data("# saved on Windows\r\ndatabase = sqlite:data/players.db\r\n".utf8).write(to: file)
            let serve = ["serve", "--config", file.path]
            let refused = try await Command.run(serve + ["--create-database", "false"], in: folder)
            #expect(refused.status == 1)
            #expect(
                refused.text.contains("no Gatehouse database at sqlite:data/players.db (line 2 of \(file.path))"),
                "\(refused.text)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["gatehouse.conf"])

            let first = try await ServingCommand.start(serve, in: folder)
            #expect(first.greeting.contains { $0.contains("new and empty one") && $0.contains(#""level":"warning""#) })
            first.command.signal(SIGTERM)
            #expect(await first.command.status() == 0)
            let second = try await ServingCommand.start(serve + ["--create-database", "false"], in: folder)
            #expect(!second.greeting.contains { $0.contains("new and empty one") })
            #expect(
                second.greeting.contains {
                    $0.contains("database: line 2 of \(file.path)") && $0.contains("port: the flag --port")
                })
            second.command.signal(SIGTERM)
            #expect(await second.command.status() == 0)
        }
    }

    @Test("`gatehouse settings` prints every setting of a server with its source, and ends with 1 where a server would")
    func settings() async throws {
        try await withFolder { folder in
            let environment = ["GATEHOUSE_PORT": "tcp://10.96.14.7:8080", "GATEHOUSE_PUBLICURL": "https://x.example"]
            let shown = try await Command.run(["settings", "--host", "::1"], in: folder, environment: environment)
            #expect(shown.status == 0, "\(shown.text)")
            for line in [
                "host\t::1\tthe flag --host", "port\t8080\tthe default", "mail-server\tnot set\tthe default",
                "password-cost\t8\tthe environment variable GATEHOUSE_PASSWORD_COST",
                "GATEHOUSE_PUBLICURL is the name of no setting: it is not read",
            ] {
                #expect(shown.lines.contains(line), "\(line) in \(shown.text)")
            }
            #expect(shown.text.contains("GATEHOUSE_PORT is no setting, but a service link"))
            let wrong = try await Command.run(["settings", "--port", "none"], in: folder)
            #expect(wrong.status == 1)
            #expect(wrong.lines.contains("port\tnone\tthe flag --port"))
            #expect(wrong.text.contains("The setting port is wrong (the flag --port)"))

            let help = try await Command.run(["settings", "--help"], in: folder)
            let flags = Set(help.lines.compactMap { $0.firstMatch(of: #/^ +--([a-z-]+)/#) }.map { String($0.output.1) })
            #expect(flags.subtracting(["config", "help", "json", "version"]).isSubset(of: KnownSetting.names))
            #expect(KnownSetting.names.subtracting(["app", "idp-port", "server", "storage"]).isSubset(of: flags))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test("`gatehouse --version` has the version of SDK, API, newest release and the images of deploy/")
    func version() async throws {
        try await withFolder { folder in
            let result = try await Command.run(["--version"], in: folder)
            #expect(result.status == 0)
            #expect(result.lines == ["gatehouse \(GatehouseVersion.current)"])
        }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let api = try String(
            contentsOf: root.appendingPathComponent("docs/openapi.yaml").standardizedFileURL, encoding: .utf8)
        #expect(api.contains("\n  version: \(GatehouseVersion.current)\n"))
        let changes = try String(
            contentsOf: root.appendingPathComponent("CHANGELOG.md").standardizedFileURL, encoding: .utf8)
        let newest = changes.split(separator: "\n").first { $0.firstMatch(of: #/^## [0-9]/#) != nil }
        #expect(newest?.hasPrefix("## \(GatehouseVersion.current) ") == true)
        for file in ["deploy/compose.yaml", "deploy/kubernetes.yaml"] {
            let text = try String(contentsOf: root.appendingPathComponent(file).standardizedFileURL, encoding: .utf8)
            #expect(text.contains("/gatehouse:\(GatehouseVersion.current)\n"), "\(file)")
        }
    }

    @Test("A status is known by its name in Gamebase's documents, in any spelling, and by its number")
    func status() async throws {
        try await withFolder { folder in
            #expect(try await Command.createApp("mygame", in: folder).status == 0)
            for (word, name) in [
                ("IN_SERVICE", "in-service"), ("inService", "in-service"), ("in-service", "in-service"),
                ("200", "in-service"), ("INSPECTING_SERVICE", "maintenance"),
                ("inspecting all services", "maintenance-of-all-services"),
                ("TERMINATED_SERVICE", "terminated"), ("IN_SERVICE_BY_QA_WHITE_LIST", "in-service-for-test-devices"),
                ("REQUIRE_UPDATE", "require-update"), ("303", "maintenance"),
            ] {
                let result = try await Command.run(["app", "status", "mygame", word], in: folder)
                #expect(result.status == 0, "\(result.text)")
                #expect(result.lines.last == "mygame is \(name)", "\(result.text)")
            }
        }
    }
}
