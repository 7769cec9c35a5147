import Foundation
import TestDatabases
import Testing

/// A server's messages at its start, and the files that it reloads while it runs.
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

    @Test("A TLS file that can't be used ends the start with 1 and one line, before a database is made")
    func wrongCertificate() async throws {
        try await withFolder { folder in
            let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("TLS")
            let key = fixtures.appendingPathComponent("key.pem").path
            let result = try await Command.run(
                ["serve", "--port", "0", "--tls-certificate", folder.path, "--tls-key", key], in: folder)
            #expect(result.status == 1)
            let line = "Error: The setting tls-certificate is wrong: \(folder.path) can't be read: Is a directory."
            #expect(result.lines.contains(line), "\(result.text)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test("NET-3: SIGHUP takes a renewed certificate; one that does not fit its key leaves the one from before")
    func certificate() async throws {
        try await withFolder { folder in
            let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("TLS")
            func install(_ fixture: String, as name: String) throws {
                let content = try Data(contentsOf: fixtures.appendingPathComponent(fixture))
                try content.write(to: folder.appendingPathComponent(name))
            }
            try install("certificate.pem", as: "chain.pem")
            try install("key.pem", as: "key.pem")
            let server = try await ServingCommand.start(
                ["serve", "--tls-certificate", "chain.pem", "--tls-key", "key.pem"], in: folder)
            func trusts(_ fixture: String) async throws -> Bool {
                try await Command.run(
                    [
                        "-s", "-m", "120", "--cacert", fixtures.appendingPathComponent(fixture).path,
                        "https://localhost:\(server.port)/health/live",
                    ], in: folder, executable: "curl"
                ).status == 0
            }
            func hear(_ words: String) async {
                server.command.signal(SIGHUP)
                for await line in server.command.lines where line.contains(words) { return }
                Issue.record("the log does not say: \(words)")
            }
            #expect(try await trusts("certificate.pem"))

            try install("renewed-certificate.pem", as: "chain.pem")
            await hear("can't be renewed")
            #expect(try await trusts("certificate.pem"))
            try install("renewed-key.pem", as: "key.pem")
            await hear("is renewed")
            #expect(try await trusts("renewed-certificate.pem"))
            #expect(try await !trusts("certificate.pem"))
            try Data("nonsense".utf8).write(to: folder.appendingPathComponent("chain.pem"))
            await hear("can't be renewed")
            try FileManager.default.removeItem(at: folder.appendingPathComponent("key.pem"))
            await hear("can't be renewed")
            #expect(try await trusts("renewed-certificate.pem"))
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }

    @Test("SIGHUP does not end a server without a certificate")
    func hangUp() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["serve"], in: folder)
            server.command.signal(SIGHUP)
            let live = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            for _ in 0..<3 {
                #expect(try await RawConnection.exchange(live, port: server.port).hasPrefix("HTTP/1.1 200 "))
            }
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }

    @Test("REL-9: a server whose output nobody reads answers, and has written all of its log when it is read again")
    func unreadLog() async throws {
        try await withFolder { folder in
            _ = try await Command.createApp("game", in: folder)
            let port = try LoopbackListener.freePort()
            // Its output is a pipe that blocks, as a supervisor makes it.
            let process = try ChildProcess(
                Command.gatehouse, ["serve", "--port", "\(port)"],
                environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path], folder: folder.path)
            defer { process.signal(SIGKILL) }
            func answer(_ request: String) async throws -> String {
                try await RawConnection.exchange(
                    "\(request) HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", port: port)
            }
            try await eventually("server") {
                (try? await answer("GET /health/live"))?.hasPrefix("HTTP/1.1 200 ") ?? false
            }
            // Each is a line of more than 200 bytes, and a pipe holds 65,536.
            for _ in 0..<500 {
                let refused = try await answer("POST /v1/apps/game/mappings/remove")
                try #require(refused.hasPrefix("HTTP/1.1 401 "), "\(refused)")
            }
            #expect(try await answer("GET /health/live").hasPrefix("HTTP/1.1 200 "))

            process.signal(SIGTERM)
            let (lines, line) = AsyncStream.makeStream(of: String.self)
            async let status = withCheckedContinuation { (continuation: CheckedContinuation<Int32, Never>) in
                process.follow {
                    line.yield($0)
                } end: {
                    line.finish()
                    continuation.resume(returning: $0)
                }
            }
            var refusals = 0
            for await line in lines where line.contains("token.refused") { refusals += 1 }
            #expect(refusals == 500)
            #expect(await status == 0)
        }
    }
}
