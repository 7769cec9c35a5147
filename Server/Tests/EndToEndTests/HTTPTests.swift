import Foundation
import GatehouseServerWire
import GatehouseWire
import TestDatabases
import Testing

/// Input below the level of requests.
@Suite(.timeLimit(.minutes(10))) struct HTTPTests {
    static let malformedRequests: [(String, String)] = [
        ("a request line that is none", "\u{16}\u{3}\u{1}\u{0}nonsense\r\n\r\n"),
        ("a header without a colon", "GET /health/live HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n"),
        ("a header name with a space", "GET /health/live HTTP/1.1\r\nHost: x\r\nBad Name: 1\r\n\r\n"),
        (
            "two lengths",
            "POST /v1/apps/game/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} "
        ),
        ("a negative length", "POST /v1/apps/game/login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"),
        (
            "a length that overflows",
            "POST /v1/apps/game/login HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n"
        ),
        ("no host", "GET /health/live HTTP/1.1\r\n\r\n"),
        ("two hosts", "GET /health/live HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"),
        (
            "a length and chunks",
            "POST /v1/apps/game/login HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
    ]

    @Test("NET-4: what is no well-formed request is answered with 400 and code 3, and the connection closed")
    func malformed() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let port = try #require(server.url.port)
            for (name, bytes) in Self.malformedRequests {
                // What follows on the connection must not be interpreted as a request.
                let answer = try await RawConnection.exchange(
                    bytes + "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", port: port)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(name): \(answer)")
                #expect(answer.contains(#""code":3"#), "\(name)")
                #expect(answer.lowercased().contains("connection: close"), "\(name)")
                #expect(!answer.contains(#"{"status":"live"}"#), "\(name)")
            }
        }
    }

    @Test(
        "NET-4: a request that offers another protocol is answered, and its connection closed: nothing behind it is read"
    )
    func upgrade() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let port = try #require(server.url.port)
            let answer = try await RawConnection.exchange(
                "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                    + "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n\r\n", port: port)
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
            #expect(answer.contains(#"{"status":"live"}"#))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test(
        "NET-2: a request from this machine that names another host was passed on by a proxy, whatever headers it lacks"
    )
    func passedOn() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let port = try #require(server.url.port)
            for (host, isServed) in [
                ("localhost", true), ("LOCALHOST:8080", true), ("game.localhost", true), ("127.0.0.1:1", true),
                ("[::1]:8080", true), ("[::1]", true), ("login.example.com", false), ("localhost.example.com", false),
                ("10.0.0.1", false), ("x", false), ("127.0.0.1.example.com", false), ("[2001:db8::1]", false),
            ] {
                let answer = try await RawConnection.exchange(
                    "GET /metrics HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n", port: port)
                #expect(answer.hasPrefix("HTTP/1.1 \(isServed ? 200 : 404) "), "\(host): \(answer.prefix(200))")
            }
        }
    }

    private static let ofOthers = ["--public-url", "https://login.example.com"]

    @Test(
        "NET-2: where a proxy that nobody has named may pass requests on, no name of the host makes one this machine's own",
        .timeLimit(.minutes(5)),
        arguments: [
            (ofOthers, "127.0.0.1:8080", "", 404, 404), (ofOthers, "localhost", "", 404, 404),
            (ofOthers + ["--console-networks", "127.0.0.1"], "localhost", "", 200, 404),
            (ofOthers + ["--metrics-readers", "127.0.0.1"], "localhost", "", 404, 200),
            (ofOthers + ["--console-networks", "127.0.0.1"], "login.example.com", "", 404, 404),
            (["--public-url", "http://localhost:8080"], "localhost", "", 200, 200),
            // A named proxy says whose request it is; what it has not passed on is this machine's.
            (ofOthers + ["--trusted-proxies", "127.0.0.1"], "localhost", "", 200, 200),
            (ofOthers + ["--trusted-proxies", "127.0.0.1"], "login.example.com", "", 404, 404),
            (ofOthers + ["--trusted-proxies", "127.0.0.1"], "localhost", "X-Real-IP: 127.0.0.1\r\n", 404, 404),
            (ofOthers + ["--trusted-proxies", "127.0.0.1"], "localhost", "X-Forwarded-For: 8.8.8.8\r\n", 404, 404),
        ])
    func hiddenProxy(arguments: [String], host: String, header: String, console: Int, metrics: Int) async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["serve"] + arguments, in: folder)
            for (path, status) in [("/console/sign-in", console), ("/metrics", metrics)] {
                let answer = try await RawConnection.exchange(
                    "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(header)Connection: close\r\n\r\n", port: server.port)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path): \(answer.prefix(200))")
            }
            let start = try await RawConnection.exchange(
                "GET / HTTP/1.1\r\nHost: \(host)\r\n\(header)Connection: close\r\n\r\n", port: server.port)
            #expect(start.contains("\"/console\"") == (console == 200))
            #expect(start.contains("\"/metrics\"") == (metrics == 200))
            // A start that closes them says how they are opened.
            let isClosed = arguments.count == 2 && arguments == Self.ofOthers
            let warning = server.greeting.first { $0.contains("console-networks, metrics-readers") }
            #expect((warning != nil) == isClosed)
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }

    @Test("INP-1: the host of a request has no text that no client sends", .timeLimit(.minutes(5)))
    func hostileHost() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let port = try #require(server.url.port)
            for host in ["\u{e9}", "e" + String(repeating: "\u{301}\u{316}", count: 1_000)] {
                for path in ["/health/live", "/console/sign-in", "/metrics"] {
                    let answer = try await RawConnection.exchange(
                        "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n", port: port)
                    #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(path): \(answer.prefix(200))")
                }
            }
        }
    }

    static let brokenBodies: [(String, String)] = [
        ("a chunk whose length is none", "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"),
        ("a chunk that is longer than it says", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}garbage\r\n0\r\n\r\n"),
        ("a chunk whose length overflows", "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n"),
        ("a transfer coding that is not chunked", "Transfer-Encoding: gzip\r\n\r\n{}"),
        ("a transfer coding that looks like chunked", "Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        ("two transfer codings", "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        ("a length as a trailer", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n"),
        ("a trailer that is none", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nno trailer\r\n\r\n"),
        ("a length that is not reached", "Content-Length: 20000\r\n\r\n{"),
        ("chunks that do not end", "Transfer-Encoding: chunked\r\n\r\n2000\r\n{"),
    ]

    @Test(
        "NET-4: a broken body is answered with 400 and code 3, lets no second request through, and is no error of the server's",
        .timeLimit(.minutes(5)))
    func brokenBodies() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["serve"], in: folder)
            let head = "POST /v1/apps/game/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            for (name, body) in Self.brokenBodies {
                let connection = try RawConnection(port: server.port)
                try connection.send(head + body + "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
                try connection.endSending()
                let answer = try await connection.read()
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(name): \(answer)")
                #expect(answer.contains(#""code":3"#), "\(name)")
                #expect(answer.lowercased().contains("connection: close"), "\(name)")
                #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(name)")
            }
            server.command.signal(SIGTERM)
            for await line in server.command.lines { #expect(!line.contains(#""level":"error""#), "\(line)") }
            #expect(await server.command.status() == 0)
        }
    }

    @Test("HTTP/1.0 asks for health without a host, and a client that sends no more still gets its answer")
    func modestClients() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let port = try #require(server.url.port)
            for request in ["GET /health/live HTTP/1.0\r\n\r\n", "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"] {
                let connection = try RawConnection(port: port)
                try connection.send(request)
                try connection.endSending()
                #expect(try await connection.read().hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test("NET-4: a body that breaks off is answered and counted as the client's failure, with 400 and not 500")
    func brokenBody() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let port = try #require(server.url.port)
            let head = "POST /v1/apps/game/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            let chunks = try await RawConnection.exchange(
                "\(head)Transfer-Encoding: chunked\r\n\r\nxyz\r\n", port: port)
            #expect(chunks.hasPrefix("HTTP/1.1 400 "), "\(chunks)")
            do {
                // The connection is closed with its last use.
                let connection = try RawConnection(port: port)
                try connection.send("\(head)Content-Length: 20\r\n\r\n{")
            }
            let counter = #"gatehouse_http_requests_total{route="/v1/apps/{appId}/login",method="POST",status="#
            var metrics = ""
            try await eventually("second broken body in the metrics") {
                metrics = try await RawConnection.exchange(
                    "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", port: port)
                return metrics.contains(#"\#(counter)"400",code="3"} 2"#)
            }
            #expect(!metrics.contains(#"status="500""#))
        }
    }

    @Test("INP-1: headers and bodies beyond their bounds get 431 and 413 before they have arrived")
    func bounds() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let port = try #require(server.url.port)
            let long = String(repeating: "x", count: 20_000)
            let headers = try await RawConnection.exchange(
                "GET /health/live HTTP/1.1\r\nHost: x\r\nX-Long: \(long)\r\n\r\n", port: port)
            #expect(headers.hasPrefix("HTTP/1.1 431 "), "\(headers)")
            #expect(headers.contains(#""code":3"#))

            let connection = try RawConnection(port: port)
            try connection.send(
                "POST /v1/apps/game/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 68719476736\r\n\r\n{")
            let body = try await connection.read(until: #""code":3"#)
            #expect(body.hasPrefix("HTTP/1.1 413 "), "\(body)")
        }
    }

    @Test("Requests in one packet are answered one after another")
    func pipelining() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let port = try #require(server.url.port)
            let request = "GET /health/live HTTP/1.1\r\nHost: x\r\n"
            let answers = try await RawConnection.exchange(
                "\(request)\r\n\(request)\r\n\(request)Connection: close\r\n\r\n", port: port)
            #expect(answers.components(separatedBy: "HTTP/1.1 200 ").count == 4)
        }
    }

    @Test("A connection ends with the answer where its client wants that, and stays where it does not")
    func endOfConnection() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let port = try #require(server.url.port)
            for end in [
                "HTTP/1.0\r\n", "HTTP/1.0\r\nConnection: close\r\n", "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n",
                "HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n", "HTTP/1.1\r\nHost: x\r\nConnection: close, TE\r\n",
                "HTTP/1.1\r\nHost: x\r\nConnection: TE\r\nConnection: CLOSE\r\n",
            ] {
                let answer = try await RawConnection.exchange("GET /health/live \(end)\r\n", port: port)
                #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains(#"{"status":"live"}"#), "\(end)")
                #expect(answer.lowercased().contains("connection: close"), "\(end)")
            }
            for end in ["HTTP/1.0\r\nConnection: Keep-Alive\r\n", "HTTP/1.1\r\nHost: x\r\nConnection: TE\r\n"] {
                let connection = try RawConnection(port: port)
                for _ in 0..<2 {
                    try connection.send("GET /health/live \(end)\r\n")
                    let answer = try await connection.read(until: #"{"status":"live"}"#)
                    #expect(!answer.lowercased().contains("connection: close"), "\(end)")
                }
            }
        }
    }

    @Test("A client that waits to be asked for a body is asked, and what its head refuses is refused without one")
    func expectation() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let port = try #require(server.url.port)
            let path = Endpoints.checkToken.template.replacing("{appId}", with: LiveServer.app.rawValue)
            let body = #"{"accessToken":"none"}"#
            func head(_ path: String, _ more: String, version: String = "1.1") -> String {
                "POST \(path) HTTP/\(version)\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\(more)\r\n"
            }
            let known = "Content-Type: application/json\r\n\(HeaderNames.secretKey): \(server.secret.secretValue)\r\n"
            let connection = try RawConnection(port: port)
            try connection.send(head(path, known + "Expect: 100-Continue\r\n"))
            #expect(try await connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try connection.send(body)
            let answer = try await connection.read(until: "3011")
            #expect(answer.hasPrefix("HTTP/1.1 401 "))
            // The connection goes on.
            try connection.send("GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try await connection.read().contains(#"{"status":"live"}"#))

            let refusals: [(path: String, more: String, status: Int)] = [
                (path, "Content-Type: application/json\r\nX-Secret-Key: gsk_wrong\r\n", 401),
                (path, known.replacing("application/json", with: "text/plain"), 415),
                (path, known + "Content-Encoding: gzip\r\n", 415), ("/nowhere", known, 404),
                ("/health/live", known, 405), (path, known + "Expect: tea\r\n", 417),
            ]
            for (path, more, status) in refusals {
                let refused = try await RawConnection.exchange(
                    head(path, more + "Expect: 100-continue\r\n"), port: port)
                #expect(refused.hasPrefix("HTTP/1.1 \(status) "), "\(refused)")
                #expect(refused.lowercased().contains("connection: close"))
            }
            // HTTP/1.0 has no expectations.
            let old = try await RawConnection.exchange(
                head(path, known + "Expect: 100-continue\r\n", version: "1.0") + body, port: port)
            #expect(old.hasPrefix("HTTP/1.1 401 ") && old.contains("3011"), "\(old)")
        }
    }

    @Test("NET-4: a body that turns out to be broken after its request was refused gets no second answer")
    func refusedAndBroken() async throws {
        try await LiveServer.run(on: .sqlite) { server in
            let connection = try RawConnection(port: try #require(server.url.port))
            try connection.send("POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            let refused = try await connection.read(until: #""code":10"#)
            #expect(refused.hasPrefix("HTTP/1.1 404 "))
            try connection.send("xyz\r\n")
            #expect(try await !connection.read().contains("HTTP/1.1 "))
        }
    }

    @Test("INP-2: a request that arrives too slowly is closed, wherever it stops")
    func slow() async throws {
        try await withFolder { folder in
            _ = try await Command.createApp("game", in: folder)
            let server = try await ServingCommand.start(["serve", "--request-seconds", "1"], in: folder)
            for part in [
                "GET /hea", "GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ",
                "POST /v1/apps/game/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{",
            ] {
                // The server closes the connection: a client that keeps sending bytes would otherwise hold it for ever.
                let connection = try RawConnection(port: server.port)
                let sender = Task {
                    for letter in part { try connection.send(String(letter)) }
                    while !Task.isCancelled {
                        try await Task.sleep(for: .milliseconds(200))
                        try connection.send("1")
                    }
                }
                let answer = try await connection.read()
                sender.cancel()
                #expect(!answer.contains("200 OK"))
            }
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }

    @Test(
        "REL-8: a stop turns readiness false, finishes the request in flight, and ends with 0")
    func gracefulStop() async throws {
        try await withFolder { folder in
            _ = try await Command.createApp("game", in: folder)
            // Two exchanges have to fit into the drain, and the request in flight has to outlast it.
            let server = try await ServingCommand.start(
                ["serve", "--drain-seconds", "20", "--request-seconds", "300"], in: folder)
            let head = "GET /health/ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            #expect(try await RawConnection.exchange(head, port: server.port).hasPrefix("HTTP/1.1 200 "))
            let inFlight = try RawConnection(port: server.port)
            try inFlight.send(
                "POST /v1/apps/game/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{"
            )
            server.command.signal(SIGTERM)
            for await line in server.command.lines where line.contains("\"stopping\"") { break }
            #expect(try await RawConnection.exchange(head, port: server.port).hasPrefix("HTTP/1.1 503 "))
            let live = head.replacing("ready", with: "live")
            #expect(try await RawConnection.exchange(live, port: server.port).hasPrefix("HTTP/1.1 200 "))
            // Listening has ended, but the server waits for the request that has begun.
            while (try? RawConnection(port: server.port)) != nil { try await Task.sleep(for: .milliseconds(50)) }
            try inFlight.send("}")
            // The request is refused, because it has no proof, but it gets a response.
            let answer = try await inFlight.read(until: "error")
            #expect(answer.hasPrefix("HTTP/1.1 4"))
            #expect(await server.command.status() == 0)
        }
    }

    @Test(
        "NET-3: with a certificate, HTTP/1.1 and HTTP/2 over TLS 1.2 and newer, and nothing in the clear")
    func tls() async throws {
        try await withFolder { folder in
            let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("TLS")
            let server = try await ServingCommand.start(
                [
                    "serve", "--tls-certificate", fixtures.appendingPathComponent("certificate.pem").path, "--tls-key",
                    fixtures.appendingPathComponent("key.pem").path,
                ], in: folder)
            func curl(_ options: String...) async throws -> Command.Result {
                try await Command.run(
                    options + [
                        "-s", "-m", "120", "--cacert", fixtures.appendingPathComponent("certificate.pem").path, "-w",
                        " %{http_version} %{http_code}", "https://localhost:\(server.port)/health/live",
                    ], in: folder, executable: "curl")
            }
            let live = #"{"status":"live"}"#
            #expect(try await curl("--http1.1").text == "\(live) 1.1 200")
            #expect(try await curl("--http2").text == "\(live) 2 200")
            #expect(try await curl("--tlsv1.2", "--tls-max", "1.2").text == "\(live) 2 200")
            #expect(try await curl("--tlsv1.0", "--tls-max", "1.1").status != 0)
            let clear = try await RawConnection.exchange(
                "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", port: server.port)
            #expect(!clear.contains("live"))
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }
}
