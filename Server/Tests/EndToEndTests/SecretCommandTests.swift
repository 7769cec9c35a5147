import Foundation
import Testing

/// Secret keys with scopes, as an operator creates them.
@Suite(.timeLimit(.minutes(5))) struct SecretCommandTests {
    @Test("`gatehouse app` makes a secret key for a purpose, lists keys without showing them, and ends one by its id")
    func secrets() async throws {
        try await withFolder { folder in
            func run(_ arguments: String...) async throws -> Command.Result {
                try await Command.run(["app"] + arguments, in: folder)
            }
            #expect(try await Command.createApp("game", in: folder).status == 0)
            let added = try await run(
                "add-secret", "game", "--name", "matchmaking", "--scope", "profile", "--scope", "check")
            #expect(added.status == 0)
            let secret = try #require(added.lines.last?.split(separator: " ").last)
            #expect(secret.hasPrefix("gsk_"))
            let listed = try await run("secrets", "game").lines.map { $0.split(separator: "\t").map(String.init) }
                .filter { $0.count == 4 && $0[0] != "ID" }
            try #require(listed.count == 2)
            #expect(added.lines.contains { $0.hasPrefix("id ") && $0.hasSuffix(listed[0][0]) })
            #expect(listed.map { $0[1] } == ["check,profile", "check,moderate,erase,profile,migrate"])
            #expect(listed.map { $0[3] } == ["matchmaking", "-"])
            #expect(!"\(listed)".contains(secret))

            for wrong in [["--scope", "everything"], []] {
                let refused = try await Command.run(["app", "add-secret", "game", "--name", "x"] + wrong, in: folder)
                #expect(refused.status != 0)
            }
            #expect(try await run("revoke-secret", "game", listed[0][0]).status == 0)
            #expect(try await run("revoke-secret", "game", listed[0][0]).status != 0)
            #expect(try await run("revoke-secret", "game", listed[1][0]).text.contains("only key"))
            #expect(try await run("secrets", "game").lines.count { $0.contains("\tcheck,") } == 1)
        }
    }
}
