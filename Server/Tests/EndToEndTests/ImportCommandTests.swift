import Foundation
import Testing

/// `gatehouse import convert` as an operator runs it: what it writes, where, and how it ends.
@Suite(.timeLimit(.minutes(10))) struct ImportCommandTests {
    private static let users = """
        {"users":[{"localId":"a","email":"p@example.com","lastSignedInAt":"1767225600000"},
        {"localId":"b","providerUserInfo":[{"providerId":"google.com","rawId":"113456789012345678901"}]}]}
        """

    private func run(_ arguments: String..., in folder: URL) async throws -> Command.Result {
        try await Command(["import", "convert"] + arguments, in: folder).finish()
    }

    @Test("The neutral file goes to standard output, and a report with counts but without e-mail to standard error")
    func converted() async throws {
        try await withFolder { folder in
            try Data(Self.users.utf8).write(to: folder.appendingPathComponent("users.json"))
            let done = try await run(
                "--kind", "firebase", "users.json", "--source", "old", "--from", "project=my-game", "--taken",
                "2026-01-01T00:00:00Z", in: folder)
            #expect(done.status == 0)
            let header =
                #"{"format":"gatehouse.members/1","source":"old","sourceKind":"firebase","takenDate":1767225600000,"from":{"project":"my-game"}}"#
            #expect(done.lines.contains(header))
            #expect(
                done.lines.contains { $0.hasPrefix(#"{"end":true,"members":2,"identities":1,"devices":0,"bans":0"#) })
            #expect(done.lines.contains("2 read = 2 imported + 0 skipped + 0 rejected"))
            #expect(!done.lines.contains { $0.contains("p@example") })
        }
    }

    @Test("A rejected record ends with 2, a file of another system with 1, and a wrong call with 64")
    func statuses() async throws {
        try await withFolder { folder in
            try Data((Self.users + "{\"users\":[{}]}").utf8).write(to: folder.appendingPathComponent("users.json"))
            let rejected = try await run("--kind", "firebase", "users.json", "--json", in: folder)
            #expect(rejected.status == 2)
            #expect(rejected.lines.contains { $0.contains(#""code":"missing""#) && $0.contains(#""path":"localId""#) })
            let other = try await run("--kind", "unity", "users.json", in: folder)
            #expect(other.status == 1)
            #expect(other.lines.contains { $0.contains("unknownForm") })
            #expect(try await run("--kind", "firebase", "nothing.json", in: folder).status == 1)
            #expect(try await run("--kind", "mars", "users.json", in: folder).status == 64)
            #expect(try await run("--kind", "gamebase", "users.json", in: folder).status == 64)
            #expect(try await run("--kind", "firebase", "users.json", "--from", "x", in: folder).status == 64)
        }
    }

    @Test("A folder is its files in the order of their names")
    func folder() async throws {
        try await withFolder { folder in
            let pages = folder.appendingPathComponent("pages")
            try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
            try Data(#"{"users":[{"localId":"1"}],"nextPageToken":"t"}"#.utf8).write(
                to: pages.appendingPathComponent("1.json"))
            try Data(#"{"users":[{"localId":"2"}]}"#.utf8).write(to: pages.appendingPathComponent("2.json"))
            let done = try await run("--kind", "firebase", "pages", in: folder)
            #expect(done.status == 0)
            #expect(done.lines.filter { $0.hasPrefix(#"{"legacyId""#) }.count == 2)
            try FileManager.default.removeItem(at: pages.appendingPathComponent("2.json"))
            #expect(try await run("--kind", "firebase", "pages", in: folder).status == 2)
        }
    }

    @Test("Standard input is read from a pipe and from a file alike")
    func standardInput() async throws {
        try await withFolder { folder in
            try Data(Self.users.utf8).write(to: folder.appendingPathComponent("users.json"))
            for call in ["\"$0\" $1 < users.json", "cat users.json | \"$0\" $1"] {
                let done = try await Command.run(
                    ["-c", call.replacing("$1", with: "import convert --kind firebase -"), Command.gatehouse],
                    in: folder, executable: "/bin/sh")
                #expect(done.status == 0)
                #expect(done.lines.contains("2 read = 2 imported + 0 skipped + 0 rejected"))
            }
        }
    }
}
