import Foundation
import Testing

/// What an operator sees of a server's start, and what it takes anew while it runs.
@Suite(.timeLimit(.minutes(10))) struct ServeCommandTests {
    @Test("A port that is in use ends the start with 1, and the message names the address and its setting")
    func portInUse() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["serve", "--database", "sqlite:one.db"], in: folder)
            let port = "\(server.port)"
            let second = try await Command.run(["serve", "--database", "sqlite:two.db", "--port", port], in: folder)
            #expect(second.status == 1)
            let words = "The address 127.0.0.1:\(port) is in use by another program"
            #expect(second.text.contains(words), "\(second.text)")
            #expect(second.text.contains("the settings host and port"))
            let dev = try await Command.run(
                ["dev", "--database", "sqlite:dev.db", "--port", "0", "--idp-port", port], in: folder)
            #expect(dev.status == 1)
            #expect(dev.text.contains(words), "\(dev.text)")
            #expect(dev.text.contains("the setting idp-port"))
            let elsewhere = try await Command.run(
                [
                    "serve", "--database", "sqlite:two.db", "--host", "192.0.2.1", "--public-url",
                    "https://login.example.com",
                ], in: folder)
            #expect(elsewhere.status == 1)
            #expect(elsewhere.text.contains("none of this machine's"), "\(elsewhere.text)")
        }
    }
}
