import Crypto
import Foundation
import Testing

/// `gatehouse export`, as an operator runs it.
@Suite(.timeLimit(.minutes(10))) struct ExportCommandTests {
    /// A neutral file of an old system.
    private static let records = [
        #"{"legacyId":"old-1","registrationDate":1600000000000,"status":"guest"}"#,
        #"{"legacyId":"old-2","registrationDate":1600000000000,"lastLoginDate":1700000000000,"status":"guest","bans":[{"type":"PERMANENT","beginDate":1700000000000,"reason":"it's \"me\""}]}"#,
        #"{"legacyId":"old-3","registrationDate":1600000000000,"status":"guest"}"#,
    ]

    private static func file(_ records: [String], bans: Int) -> Data {
        let header =
            #"{"format":"gatehouse.members/1","source":"old","sourceKind":"firebase","from":{"project":"my-game"}}"#
        let lines = ([header] + records).map { "\($0)\n" }.joined()
        let end =
            #"{"end":true,"members":\#(records.count),"identities":0,"devices":0,"bans":\#(bans),"sha256":"\#(digest(Data(lines.utf8)))"}"#
        return Data("\(lines)\(end)\n".utf8)
    }

    private static func digest(_ data: Data) -> String {
        SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
    }

    /// Runs a test with an app that has three members.
    private func withMembers(_ test: (URL) async throws -> Void) async throws {
        try await withFolder { folder in
            #expect(try await Command.createApp("game", in: folder).status == 0)
            try Self.file(Self.records, bans: 1).write(to: folder.appendingPathComponent("old.jsonl"))
            for command in [
                ["source", "set", "old", "--kind", "firebase", "--project", "my-game", "--app", "game"],
                ["members", "--source", "old", "old.jsonl", "--app", "game", "--yes"],
            ] {
                let result = try await Command.run(["import"] + command, in: folder)
                #expect(result.status == 0, "\(result.text)")
            }
            try await test(folder)
        }
    }

    private func export(_ arguments: String..., in folder: URL) async throws -> Command.Result {
        try await Command.run(["export", "--app", "game"] + arguments, in: folder)
    }

    /// The records of an exported file without what is the app's alone.
    static func records(_ path: String, in folder: URL) throws -> [NSDictionary] {
        let lines = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8).split(separator: "\n")
        return try lines.dropFirst().dropLast().map { line in
            var record = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            record["extra"] = nil
            return record as NSDictionary
        }
    }

    @Test("An export is whole by its manifest, for its owner alone, and another app imports it with its user ids")
    func whole() async throws {
        try await withMembers { folder in
            let done = try await export("--with-history", "--output", "out", in: folder)
            #expect(done.status == 0 && done.text.contains("out: 3 members of game as of"), "\(done.text)")
            let out = folder.appendingPathComponent("out")
            let names = try FileManager.default.contentsOfDirectory(atPath: out.path).sorted()
            #expect(names == ["MISSING.txt", "ledger-001.jsonl", "manifest.json", "members-001.jsonl"])
            for name in ["."] + names {
                let path = out.appendingPathComponent(name).path
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == (name == "." ? 0o700 : 0o600), "\(name)")
            }
            let bytes = try Data(contentsOf: out.appendingPathComponent("manifest.json"))
            let manifest = try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
            #expect(manifest["schema"] as? String == "gatehouse.export/1" && manifest["members"] as? Int == 3)
            #expect(manifest["records"] as? String == "gatehouse.members/1" && manifest["bans"] as? Int == 1)
            for file in try #require(manifest["files"] as? [[String: Any]]) {
                let name = try #require(file["name"] as? String)
                let data = try Data(contentsOf: out.appendingPathComponent(name))
                #expect(file["sha256"] as? String == Self.digest(data) && file["bytes"] as? Int == data.count)
            }
            for command in [
                ["app", "create", "next"],
                [
                    "import", "source", "set", "game", "--app", "next", "--kind", "openid", "--issuer",
                    "https://login.example.com/v1/apps/game", "--audience", "game",
                ],
                [
                    "import", "members", "--app", "next", "--source", "game", "out/members-001.jsonl", "--user-ids",
                    "keep", "--yes",
                ],
                ["export", "--app", "next", "--output", "next"],
            ] {
                let result = try await Command.run(command, in: folder)
                #expect(result.status == 0, "\(command): \(result.text)")
            }
            let (before, after) = try (
                Self.records("out/members-001.jsonl", in: folder), Self.records("next/members-001.jsonl", in: folder)
            )
            #expect(before == after && before.count == 3)
            let audit = try await Command.run(["audit"], in: folder)
            #expect(audit.text.contains("app.members-exported"))
        }
    }

    @Test("An export that was cut is repeated; nothing else is overwritten, and wrong calls end with 64")
    func again() async throws {
        try await withMembers { folder in
            let out = folder.appendingPathComponent("out")
            try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
            // What an export that was killed leaves.
            let begun = #"{"app":"game","format":"gatehouse","withHistory":false}"#
            try Data(begun.utf8).write(to: out.appendingPathComponent("export.json"))
            for name in ["members-001.jsonl", "members-002.jsonl.partial", "MISSING.txt"] {
                try Data("{".utf8).write(to: out.appendingPathComponent(name))
            }
            #expect(try await export("--format", "nakama", "--output", "out", in: folder).status == 1)
            let foreign = out.appendingPathComponent("notes.txt")
            try Data("mine".utf8).write(to: foreign)
            let refused = try await export("--output", "out", in: folder)
            #expect(refused.status == 1 && refused.text.contains("notes.txt"), "\(refused.text)")
            #expect(try String(contentsOf: foreign, encoding: .utf8) == "mine")
            try FileManager.default.removeItem(at: foreign)
            let done = try await export("--output", "out", in: folder)
            #expect(done.status == 0, "\(done.text)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: out.path).sorted()
                    == ["MISSING.txt", "manifest.json", "members-001.jsonl"])
            #expect(try Self.records("out/members-001.jsonl", in: folder).count == 3)
            #expect(try await export("--output", "out", in: folder).status == 1)
            #expect(try await export("--output", ".", in: folder).status == 1)
            #expect(try await export(in: folder).status == 64)
            #expect(try await export("--output", "x", "--format", "oracle", in: folder).status == 64)
            #expect(try await export("--output", "x", "--format", "nakama", "--with-history", in: folder).status == 64)
        }
    }

    @Test(
        "Each format has its files",
        arguments: [
            ("firebase", "users-001.json"), ("auth0", "users-001.json"), ("kratos", "identities-001.json"),
            ("supabase-sql", "members-001.sql"), ("nakama", "accounts-001.jsonl"),
        ])
    func formats(format: String, file: String) async throws {
        try await withMembers { folder in
            let done = try await export("--format", format, "--output", "out", in: folder)
            #expect(done.status == 0, "\(done.text)")
            let text = try String(contentsOf: folder.appendingPathComponent("out/\(file)"), encoding: .utf8)
            #expect(!text.isEmpty)
            let missing = try String(contentsOf: folder.appendingPathComponent("out/MISSING.txt"), encoding: .utf8)
            #expect(missing.contains("3 guests"))
        }
    }
}
