import Crypto
import Foundation
import GatehouseWire
import Testing

/// `gatehouse import members` and what follows it, as an operator runs them.
@Suite(.timeLimit(.minutes(10))) struct ImportMembersCommandTests {
    /// A neutral file of guests.
    static func file(
        _ count: Int, extra: [String] = [], source: String = "old", kind: String = "firebase"
    ) -> Data {
        let header =
            #"{"format":"gatehouse.members/1","source":"\#(source)","sourceKind":"\#(kind)","from":{"project":"my-game"}}"#
        let members = (0..<count).map { number in
            #"{"legacyId":"player,\#(number)","status":"guest","devices":[{"kind":"deviceId","value":"device-number-\#(number)"}]}"#
        }
        let lines = ([header] + members + extra).map { "\($0)\n" }.joined()
        let digest = SHA256.hash(data: Data(lines.utf8)).map { String(format: "%02x", $0) }.joined()
        let end =
            #"{"end":true,"members":\#(count + extra.count),"identities":0,"devices":\#(count),"bans":0,"sha256":"\#(digest)"}"#
        return Data("\(lines)\(end)\n".utf8)
    }

    private func withSource(_ test: (URL) async throws -> Void) async throws {
        try await withFolder { folder in
            #expect(try await Command.createApp("game", in: folder).status == 0)
            let set = try await Command.run(
                ["import", "source", "set", "old", "--kind", "firebase", "--project", "my-game"], in: folder)
            #expect(set.status == 0, "\(set.text)")
            try await test(folder)
        }
    }

    private func run(_ arguments: String..., in folder: URL) async throws -> Command.Result {
        try await Command.run(["import"] + arguments, in: folder)
    }

    /// The id of the newest run.
    private func newest(in folder: URL) async throws -> String {
        let list = try await run("status", in: folder)
        let row = list.lines.filter { $0.contains("\t") }.dropFirst().first
        return row.flatMap { $0.split(separator: "\t").first }.map(String.init) ?? ""
    }

    private func text(_ name: String, of run: String, in folder: URL) throws -> [Substring] {
        let file = folder.appendingPathComponent("import-runs/\(run)/\(name)")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
    }

    @Test("A plan changes nothing, an import writes, and the same file again changes nothing")
    func members() async throws {
        try await withSource { folder in
            try Self.file(3).write(to: folder.appendingPathComponent("old.jsonl"))
            let plan = try await run("members", "--source", "old", "old.jsonl", "--dry-run", in: folder)
            #expect(plan.status == 0, "\(plan.text)")
            #expect(plan.text.contains("plan: 3 read = 3 imported + 0 skipped + 0 rejected"))
            #expect(try await !run("status", in: folder).text.contains("\t"))
            let without = try await run(
                "members", "--source", "old", "old.jsonl", "--dry-run", "--map", "apple.com=", in: folder)
            #expect(without.status == 0, "\(without.text)")
            #expect(without.text.contains("identities left out by --map: apple.com 0"))
            let done = try await run("members", "--source", "old", "old.jsonl", "--yes", in: folder)
            #expect(done.status == 0, "\(done.text)")
            let id = try await newest(in: folder)
            #expect(done.text.contains("run \(id): 3 read = 3 imported + 0 skipped + 0 rejected"))
            let ids = try text("ids.csv", of: id, in: folder)
            #expect(ids.count == 4 && ids[0] == "legacyId,userId" && ids[1].hasPrefix(#""player,0","#))
            for name in ["", "/summary.json", "/conflicts.jsonl", "/rejected.jsonl", "/unmapped.jsonl", "/ids.csv"] {
                let path = folder.appendingPathComponent("import-runs/\(id)\(name)").path
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == (name.isEmpty ? 0o700 : 0o600), "\(name)")
            }
            let again = try await run("members", "--source", "old", "old.jsonl", "--yes", in: folder)
            #expect(again.status == 0 && again.text.contains("0 new, 3 unchanged, 0 changed"))
            #expect(try await run("verify", id, in: folder).status == 0)
            #expect(try await run("status", id, in: folder).text.contains("done"))
            let undone = try await run("undo", id, "--yes", in: folder)
            #expect(undone.status == 0 && undone.text.contains("3 members are deleted, and 0 stay"))
            #expect(try await run("forget", id, in: folder).text.contains("is erased"))
        }
    }

    @Test("With --json standard output has the counts alone, also where somebody is asked")
    func objects() async throws {
        try await withSource { folder in
            try Self.file(3).write(to: folder.appendingPathComponent("old.jsonl"))
            let call = ["import", "members", "--source", "old", "old.jsonl"]
            #expect(try await Command.objects(call + ["--dry-run"], in: folder).count == 1)
            let done = try await Command.objects(call + ["--yes"], in: folder)
            #expect(done.map { $0["created"] } == [.integer(3)])
            let id = try await newest(in: folder)
            #expect(
                try await Command.objects(["import", "verify", id], in: folder).map { $0["same"] } == [.integer(3)])
            #expect(try await Command.objects(["import", "undo", id, "--yes"], in: folder).count == 1)
        }
    }

    @Test("Records that do not come in end with 2, a broken file with 1, and a wrong call with 64")
    func statuses() async throws {
        try await withSource { folder in
            let extra = [#"{"legacyId":"player,0","status":"guest"}"#, #"{"legacyId":"x","status":"lost"}"#]
            try Self.file(2, extra: extra).write(to: folder.appendingPathComponent("old.jsonl"))
            try Self.file(2).dropLast(40).write(to: folder.appendingPathComponent("cut.jsonl"))
            for choice in ["--dry-run", "--yes"] {
                let result = try await run("members", "--source", "old", "old.jsonl", choice, in: folder)
                #expect(result.status == 2, "\(result.text)")
                #expect(result.text.contains("4 read = 1 imported + 2 skipped + 1 rejected"))
            }
            let id = try await newest(in: folder)
            let conflicts = try text("conflicts.jsonl", of: id, in: folder)
            #expect(conflicts.count == 2 && conflicts.allSatisfy { $0.contains(#""code":"twiceInFile""#) })
            let rejected = try text("rejected.jsonl", of: id, in: folder)
            #expect(rejected.count == 1 && rejected[0].contains(#""code":"unknownValue""#))
            let cut = try await run("members", "--source", "old", "cut.jsonl", "--yes", in: folder)
            #expect(cut.status == 1, "\(cut.text)")
            #expect(try await run("members", "--source", "new", "old.jsonl", "--yes", in: folder).status == 1)
            #expect(try await run("members", "--source", "old", "nothing.jsonl", "--yes", in: folder).status == 1)
            #expect(try await run("members", "--source", "old", "-", in: folder).status == 64)
            for wrong in [
                ["--map", "x"], ["--map", "x=studio"], ["--map", "=studio"], ["--map", "x=:n"],
                ["--map", "x=", "--map", "x="], ["--asserts", "appleid"], ["--batch", "0"], ["--rate", "0"],
            ] {
                let result = try await Command.run(
                    ["import", "members", "--source", "old", "old.jsonl", "--yes"] + wrong, in: folder)
                #expect(result.status == 64, "\(wrong): \(result.text)")
            }
            #expect(try await run("resume", id, in: folder).status == 1)
            #expect(try await run("status", "R", in: folder).status == 1)
        }
    }

    @Test("A file from standard input is kept for its owner alone, until the plan is made or it is forgotten")
    func standardInput() async throws {
        try await withSource { folder in
            let lines = String(decoding: Self.file(3), as: UTF8.self).split(separator: "\n").map(String.init)
            func piped(_ arguments: String...) async throws -> Command.Result {
                let command = try Command(
                    ["import", "members", "--source", "old", "-"] + arguments, in: folder, hasInput: true)
                for line in lines { command.write(line) }
                command.closeInput()
                return await command.finish()
            }
            func kept() throws -> [String] {
                let runs = folder.appendingPathComponent("import-runs").path
                return try FileManager.default.contentsOfDirectory(atPath: runs).filter { $0.hasPrefix("input-") }
            }
            let plan = try await piped("--dry-run")
            #expect(plan.status == 0, "\(plan.text)")
            #expect(try kept().isEmpty)
            let done = try await piped("--yes", "--rate", "1000")
            #expect(done.status == 0, "\(done.text)")
            let file = try #require(try kept().first)
            let path = folder.appendingPathComponent("import-runs/\(file)").path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let id = try await newest(in: folder)
            #expect(try await run("verify", id, in: folder).status == 0)
            #expect(try await run("forget", id, in: folder).text.contains("\(file) is erased"))
            #expect(try kept().isEmpty)
        }
    }

    @Test("An import that was killed goes on with the same file, and with no other")
    func killed() async throws {
        try await withSource { folder in
            let path = folder.appendingPathComponent("old.jsonl")
            let file = Self.file(4_000)
            try file.write(to: path)
            let command = try Command(
                ["import", "members", "--source", "old", "old.jsonl", "--yes", "--batch", "5", "--rate", "100"],
                in: folder)
            // At this rate it is far from its end, however slow the machine is.
            for await line in command.lines where line.hasPrefix("run ") { break }
            command.signal(SIGKILL)
            _ = await command.status()
            let id = try await newest(in: folder)
            try Self.file(3_999).write(to: path)
            #expect(try await run("resume", id, in: folder).status == 1)
            try file.write(to: path)
            let resumed = try await run("resume", id, "--rate", "1000000", in: folder)
            #expect(resumed.status == 0, "\(resumed.text)")
            #expect(resumed.text.contains("4000 read = 4000 imported + 0 skipped + 0 rejected"))
            #expect(resumed.text.contains("4000 new"))
            #expect(Set(try text("ids.csv", of: id, in: folder)).count == 4_001)
            #expect(try await run("verify", id, in: folder).status == 0)
        }
    }
}
