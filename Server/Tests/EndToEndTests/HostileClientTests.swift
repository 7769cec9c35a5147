import Foundation
import TestDatabases
import Testing

/// Clients that take as many resources as they can without authentication.
@Suite struct HostileClientTests {
    private static let tls = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("TLS")
    private static let certificate = tls.appendingPathComponent("certificate.pem").path
    private static let httpsStates = [
        "silent", "half-hello", "http1-silent", "http1-head", "http1-body", "http1-unread", "http2-silent",
        "http2-preface", "http2-idle", "http2-settings", "http2-headers", "http2-body", "http2-unread",
    ]
    private static let httpStates = ["plain-silent", "plain-unread"]

    @Test(
        "INP-2: over HTTPS and HTTP, a client that stops in any state of a connection is closed for good",
        .timeLimit(.minutes(5)), arguments: [httpsStates, httpStates])
    func states(states: [String]) async throws {
        try await withFolder { folder in
            _ = try await Command.createApp("game", in: folder)
            var arguments = ["serve", "--request-seconds", "1", "--idle-seconds", "2"]
            if states == Self.httpsStates {
                arguments += [
                    "--tls-certificate", Self.certificate, "--tls-key",
                    Self.tls.appendingPathComponent("key.pem").path,
                ]
            }
            let server = try await ServingCommand.start(arguments, in: folder)
            let clients = try await Command.run(
                [Self.tls.appendingPathComponent("hostile_client.py").path, "\(server.port)", Self.certificate]
                    + states, in: folder, executable: "/usr/bin/python3")
            #expect(clients.lines.sorted() == states.map { "\($0) closed" }.sorted())
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }

    @Test(
        "INP-2: an address has as many connections as max-connections-per-address says; a further one is closed at once",
        .timeLimit(.minutes(5)))
    func connectionsPerAddress() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["serve", "--max-connections-per-address", "2"], in: folder)
            let request = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
            func answer() async -> String? {
                // The server may have closed the connection before anything could be sent.
                guard let connection = try? RawConnection(port: server.port) else { return nil }
                try? connection.send(request)
                return try? await connection.read(until: "live")
            }
            var first: RawConnection? = try RawConnection(port: server.port)
            try first?.send(request)
            #expect(try await first?.read(until: "live").contains("200 OK") == true)
            let second = try RawConnection(port: server.port)
            try second.send(request)
            _ = try await second.read(until: "live")
            #expect(await answer() ?? "" == "")
            // One place becomes free. The server notices it soon, but at an unknown time.
            first = nil
            try await eventually("free place") { await answer()?.contains("200 OK") ?? false }
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }

    @Test(
        "NET-3: a server that others reach in the clear says so, and one behind a named proxy does not",
        .timeLimit(.minutes(5)), arguments: [([], true), (["--trusted-proxies", "10.0.0.0/8"], false)])
    func clearWarning(arguments: [String], isWarned: Bool) async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(
                ["serve", "--host", "0.0.0.0", "--public-url", "https://login.example.com"] + arguments, in: folder)
            let warning = server.greeting.first {
                $0.contains("other machines reach this server in the clear") && $0.contains(#""level":"warning""#)
            }
            #expect((warning != nil) == isWarned)
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }

    @Test("NET-3: a public-url that sends what players say over the internet in the clear ends the start")
    func exposedURL() async throws {
        try await withFolder { folder in
            let result = try await Command.run(
                ["serve", "--public-url", "https://login.example.com,http://login.example.com"], in: folder)
            #expect(result.status == 1)
            #expect(result.text.contains("public-url"))
            #expect(result.text.contains("http://login.example.com is plain HTTP"))
        }
    }
}
