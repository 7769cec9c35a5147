import Foundation
import GatehouseServer
import GatehouseStorage
import TestDatabases
import Testing

@testable import gatehouse

/// How a command reads its settings, without a process.
@Suite struct SettingReaderTests {
    private static let deploy = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../deploy").standardizedFileURL

    /// Runs a body with the path of a configuration file.
    private func withFile<Value>(_ content: some Sequence<UInt8>, _ body: (String) throws -> Value) throws -> Value {
        let path = NSTemporaryDirectory() + "settings-\(UUID().uuidString).conf"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(content).write(to: URL(fileURLWithPath: path))
        return try body(path)
    }

    private func read(
        _ flags: [String: String?] = [:], _ environment: [String: String] = [:]
    ) throws -> Settings {
        try Settings(flags: flags, environment: environment, looksForFile: false)
    }

    /// What is said about settings that are refused.
    private func refusal(_ flags: [String: String?] = [:], _ environment: [String: String] = [:]) -> String {
        do {
            _ = try read(flags, environment)
            return "nothing is refused"
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "A configuration file is read whatever ends its lines, with and without a byte order mark and a last line end",
        arguments: ["\n", "\r\n", "\r"], [true, false])
    func lineEnds(end: String, isMarked: Bool) throws {
        for last in ["", end, end + end] {
            let lines = ["# a comment first", "", "database = sqlite:/srv/want.db", "  port=18651\t", "# port = 1"]
            let text = (isMarked ? "\u{feff}" : "") + lines.joined(separator: end) + last
            try withFile(text.utf8) { path in
                let settings = try read(["config": path])
                #expect(settings.text("database")?.value == "sqlite:/srv/want.db")
                #expect(settings.text("port")?.value == "18651")
                #expect(settings.text("port")?.source.description == "line 4 of \(path)")
                #expect(settings.filePath == path)
                #expect(settings.notices == [])
            }
        }
    }

    @Test("The file that is installed sets the same after an editor of Windows has saved it")
    func installedFile() throws {
        let installed = try String(contentsOf: Self.deploy.appendingPathComponent("gatehouse.conf"), encoding: .utf8)
        func values(_ text: String) throws -> [String] {
            try withFile(text.utf8) { path in
                let settings = try read(["config": path])
                return KnownSetting.names.sorted().compactMap { name in
                    settings.text(name).map { "\(name) = \($0.value)" }
                }
            }
        }
        let expected = try values(installed)
        #expect(expected.contains("database = sqlite:/var/lib/gatehouse/gatehouse.db") && expected.count > 4)
        #expect(try values(installed.replacingOccurrences(of: "\n", with: "\r\n")) == expected)
        #expect(try values("\u{feff}" + installed.replacingOccurrences(of: "\n", with: "\r\n")) == expected)
    }

    @Test(
        "What can't be read in a configuration file is refused with its line, and never becomes part of a value",
        arguments: [
            "port = 18651 # inline", "database = sqlite:/srv/want.db\t# players", "port = # later", "port = 18\u{0}651",
            "# a comment with\u{0}NUL", "database = \"sqlite:/srv/want.db\"", "key-file = '/srv/key'", "key-file =",
            "prot = 80", "port", "[server]", "host = a\u{2028}b", "host = a\u{7f}",
        ])
    func refused(line: String) throws {
        for end in ["\n", "\r\n", "\r"] {
            try withFile("# first\(end)\(line)\(end)log-level = info\(end)".utf8) { path in
                let said = refusal(["config": path])
                #expect(said.lowercased().contains("line 2 of \(path)".lowercased()), "\(said)")
                #expect(!said.contains("\n") && !said.contains("/srv/"), "\(said)")
            }
        }
    }

    @Test("A file in another encoding, a folder and a file that is not there are refused by name, with what names them")
    func files() throws {
        let text = "# a comment\nport = 18651\n"
        for encoding in [String.Encoding.utf16LittleEndian, .utf16] {
            let encoded = try #require(text.data(using: encoding))
            try withFile(encoded) { path in
                #expect(refusal(["config": path]).contains("Line 1 of \(path)"))
            }
        }
        try withFile([0x70, 0xff] as [UInt8]) { path in
            #expect(refusal(["config": path]).contains("Line 1 of \(path)"))
        }
        let folder = NSTemporaryDirectory()
        #expect(refusal(["config": folder]).contains("\(folder) can't be read: Is a directory (the flag --config)"))
        let missing = refusal([:], ["GATEHOUSE_CONFIG": "/nowhere/gatehouse.conf"])
        #expect(missing.contains("/nowhere/gatehouse.conf can't be read: No such file or directory"), "\(missing)")
        #expect(missing.contains("the environment variable GATEHOUSE_CONFIG"), "\(missing)")
    }

    @Test(
        "An empty line counts as not set where it never did harm", arguments: ["app", "mail-from", "server", "storage"])
    func emptyLine(name: String) throws {
        try withFile("\(name) =\n".utf8) { path in
            let value = try read(["config": path]).text(name)?.value
            #expect(value == nil)
        }
    }

    @Test("`gatehouse settings` shows a URL without its user", arguments: ["http://u:SECRET@h", "u:SECRET@h"])
    func userOfURL(text: String) throws {
        let rows = SettingsCommand.rows(try read(["server": text, "public-url": text]))
        let shown = rows.filter { ["server", "public-url"].contains($0[0]) }.map { $0[1] }
        #expect(shown.count == 2 && shown.allSatisfy { $0.hasSuffix("h") && !$0.contains("SECRET") }, "\(shown)")
    }

    @Test("A file without a setting is noticed")
    func emptyFile() throws {
        for text in ["", "# only\r\n# comments\r\n"] {
            try withFile(text.utf8) { path in
                let notices = try read(["config": path]).notices
                #expect(notices == [.emptyFile(path)])
            }
        }
    }

    @Test("An empty environment variable counts as not set, for every setting and for the file's name")
    func emptyVariables() throws {
        for empty in ["", " ", "\n", "\r\n"] {
            let names = KnownSetting.names.union(["config"])
            let environment = Dictionary(uniqueKeysWithValues: names.map { (Settings.variable($0), empty) })
            let settings = try read([:], environment)
            for name in names { #expect(settings.text(name)?.value == nil, "\(name)") }
            #expect(settings.filePath == nil && settings.unknownVariables == [])
        }
        // Where an empty list has a meaning it can be said by a flag and in a file; elsewhere it is a mistake.
        #expect(try read(["metrics-readers": ""]).text("metrics-readers")?.value == "")
        #expect(refusal(["key-file": ""]).contains("The setting key-file is wrong (the flag --key-file)"))
        #expect(refusal(["config": ""]).contains("the flag --config"))
    }

    @Test("A line break at the end of a value is dropped, and one in the middle is refused by name, without the value")
    func tornValues() throws {
        for end in ["\n", "\r\n", "\r", " \n\n"] {
            let settings = try read(["host": "127.0.0.1\(end)"], ["GATEHOUSE_DATABASE": "sqlite:/srv/want.db\(end)"])
            #expect(settings.text("database")?.value == "sqlite:/srv/want.db")
            #expect(settings.text("host")?.value == "127.0.0.1")
        }
        for middle in ["\n", "\r\n", "\r", "\u{85}", "\u{1b}"] {
            let environment = ["GATEHOUSE_MAIL_SERVER": "smtps://user:secret\(middle)@mail.example.com"]
            let said = refusal([:], environment)
            #expect(
                said.contains("The setting mail-server is wrong (the environment variable GATEHOUSE_MAIL_SERVER)"),
                "\(said)")
            #expect(!said.contains("secret"))
        }
        #expect(refusal([:], ["GATEHOUSE_KEY_FILE": "\"/srv/key\""]).contains("without quotation marks"))
    }

    @Test("A Kubernetes service link is passed over and noticed; another wrong port is refused")
    func serviceLinks() throws {
        let environment = [
            "GATEHOUSE_SERVICE_HOST": "10.96.14.7", "GATEHOUSE_SERVICE_PORT": "8080",
            "GATEHOUSE_PORT": "tcp://10.96.14.7:8080", "GATEHOUSE_PORT_8080_TCP": "tcp://10.96.14.7:8080",
            "GATEHOUSE_IDP_PORT": "udp://[fd00::7]:80",
        ]
        let settings = try read([:], environment)
        #expect(settings.notices == [.serviceLink("GATEHOUSE_IDP_PORT"), .serviceLink("GATEHOUSE_PORT")])
        #expect(try ServerConfiguration(settings).port == 8_080)
        let others = ["GATEHOUSE_PORT_8080_TCP", "GATEHOUSE_SERVICE_HOST", "GATEHOUSE_SERVICE_PORT"]
        #expect(settings.unknownVariables == others)
        // The file's port counts then, and so does a flag.
        try withFile("port = 9000\n".utf8) { path in
            let configuration = try ServerConfiguration(read(["config": path], environment))
            #expect(configuration.port == 9_000)
        }
        #expect(try ServerConfiguration(read(["port": "9001"], environment)).port == 9_001)
        #expect(throws: SettingError.self) {
            try ServerConfiguration(read([:], ["GATEHOUSE_PORT": "10.96.14.7:8080"]))
        }
        #expect(throws: SettingError.self) { try ServerConfiguration(read(["port": "tcp://10.96.14.7:8080"])) }
    }

    @Test("The defaults that `gatehouse settings` prints are those of a server without settings")
    func defaults() throws {
        func description(_ settings: Settings) throws -> String {
            var configuration = try ServerConfiguration(settings)
            // Who names this machine is believed that no proxy runs on it.
            configuration.metricsBelieveLoopback = false
            configuration.console?.believesLoopback = false
            return String(describing: configuration)
        }
        let flags = Dictionary(uniqueKeysWithValues: KnownSetting.all.map { ($0.name, $0.standard) })
        #expect(try description(read(flags)) == description(read()))
        let empty = try read()
        for row in SettingsCommand.rows(empty).dropLast() where row[0] != "key-file" {
            let known = try #require(KnownSetting.all.first { $0.name == row[0] })
            #expect(row[1] == (known.isSecret ? "not set" : known.standard ?? "-") && row[2] == "the default")
        }
    }

    @Test("`gatehouse settings` shows values with their sources, and of secrets only whether they are set")
    func rows() throws {
        try withFile("port = 9000\nmail-server = smtps://user:secret@mail.example.com\n".utf8) { path in
            let database = "postgres://gatehouse:secret@db.example.com/players"
            let settings = try read(["config": path, "host": "::1"], ["GATEHOUSE_DATABASE": database])
            let rows = SettingsCommand.rows(settings)
            #expect(rows.contains(["port", "9000", "line 1 of \(path)"]))
            #expect(rows.contains(["mail-server", "set", "line 2 of \(path)"]))
            #expect(rows.contains(["host", "::1", "the flag --host"]))
            let place = try #require(rows.first { $0[0] == "database" })
            #expect(place[1].contains("db.example.com") && place[2] == "the environment variable GATEHOUSE_DATABASE")
            #expect(!rows.joined().contains(where: { $0.contains("secret") }))
            let wrong = try read([:], ["GATEHOUSE_DATABASE": "mysql://root:secret@db"])
            #expect(!SettingsCommand.rows(wrong).joined().contains(where: { $0.contains("secret") }))
            #expect(throws: SettingError.self) { try SettingsCommand.check(wrong) }
        }
    }

    @Test(
        "A server that may make no database makes none where there is none, and serves one that is there",
        arguments: Engine.available)
    func noDatabase(engine: Engine) async throws {
        try await withDatabaseURL(engine) { url in
            let place = try DataPlace(read(["database": url]))
            let refusal = await #expect(throws: SettingError.self) {
                _ = try await place.openOrCreate(mayCreate: false)
            }
            let said = refusal?.description ?? ""
            #expect(
                said.contains("There is no Gatehouse database at \(place.location) (the flag --database)"), "\(said)")
            if let path = place.location.filePath { #expect(!FileManager.default.fileExists(atPath: path)) }

            let made = try await place.openOrCreate()
            await made.database.close()
            #expect(made.isNew)
            let found = try await place.openOrCreate(mayCreate: false)
            await found.database.close()
            #expect(!found.isNew)
        }
        let unit = try String(contentsOf: Self.deploy.appendingPathComponent("gatehouse.service"), encoding: .utf8)
        #expect(unit.contains("gatehouse serve --config %d/gatehouse.conf\n"))
        let installed = try String(contentsOf: Self.deploy.appendingPathComponent("gatehouse.conf"), encoding: .utf8)
        #expect(installed.contains("\ncreate-database = false\n"))
    }

    @Test("A database that is a folder, or another program's file, is refused with the file and what names it")
    func foreignFiles() async throws {
        try await withFolder { folder in
            let other = folder.appendingPathComponent("notes.txt")
            try Data(String(repeating: "no database\n", count: 400).utf8).write(to: other)
            for path in [folder.path, other.path] {
                let place = try DataPlace(read(["database": "sqlite:\(path)"]))
                let refusal = await #expect(throws: SettingError.self) { _ = try await place.openOrCreate() }
                let said = refusal?.description ?? ""
                #expect(said.contains(path) && said.contains("(the flag --database)"), "\(said)")
                #expect(!said.contains("\n"))
            }
            #expect(try Data(contentsOf: other).count == 4_800)
        }
    }

    @Test("The files for containers set what a server knows", arguments: ["kubernetes.yaml", "compose.yaml"])
    func containers(file: String) throws {
        let text = try String(contentsOf: Self.deploy.appendingPathComponent(file), encoding: .utf8)
        let known = Set(KnownSetting.names.map(Settings.variable)).union(MasterKeyVariable.all)
        let named = Set(text.matches(of: #/GATEHOUSE_[A-Z_]+/#).map { String($0.output) })
        #expect(named.count > 3)
        // Compose makes the database's address of it.
        #expect(named.subtracting(known).isSubset(of: ["GATEHOUSE_DATABASE_PASSWORD"]))
    }

    @Test("The manifest for Kubernetes switches service links off, and names the addresses of the probes")
    func manifest() throws {
        let text = try String(contentsOf: Self.deploy.appendingPathComponent("kubernetes.yaml"), encoding: .utf8)
        #expect(text.contains("enableServiceLinks: false"))
        for path in ["/health/ready", "/health/live"] { #expect(text.contains("path: \(path)")) }
    }
}
