import Foundation
import GatehouseWire
import Testing

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
                    if arguments != ["migrate"] {
                        #expect(
                            result.text.contains(
                                "database  sqlite:\(folder.path)/gatehouse.db (line 2 of \(path.path))"))
                    }
                }
            }
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

    @Test("`gatehouse --version` names the version of the SDK, of the API's document and of the newest release")
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
