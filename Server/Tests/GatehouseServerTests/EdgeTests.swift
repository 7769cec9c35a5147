import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import HTTPTypes
import HummingbirdTesting
import TestDatabases
import Testing

/// The security headers of every response, and callers who receive no information.
@Suite struct EdgeTests {
    private static let transport = HTTPField.Name.strictTransportSecurity

    @Test(
        "NET-2: /metrics answers no request that a proxy has passed on which the operator has not named",
        arguments: ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
    func forwardedMetrics(header: String) async throws {
        var configuration = TestServer.configuration()
        for proxies in [Networks.none, try #require(Networks(["10.0.0.1"]))] {
            configuration.trustedProxies = proxies
            try await TestServer.open(on: .sqlite, configuration: configuration, setup: .live) { server in
                #expect(try await server.send(TestCall(method: .get, path: "/metrics")).status == 200)
                let answer = try await server.send(
                    TestCall(method: .get, path: "/metrics", headers: [header: "8.8.8.8"]))
                #expect(answer.status == 404)
                #expect(answer.code == 10)
            }
        }
    }

    @Test("NET-3: a server that is reached by HTTPS alone says so on every answer; one of this machine does not")
    func strictTransport() async throws {
        let paths = ["/health/live", "/nowhere", "/login/finished?outcome=failed"]
        try await TestServer.open(on: .sqlite) { server in
            for path in paths {
                let answer = try await server.send(TestCall(method: .get, path: path))
                #expect(answer.headers[Self.transport] == "max-age=31536000", "\(path)")
            }
        }
        let both = try #require(PublicOrigins(["https://login.example.com", "http://10.0.0.1"]))
        for origins in [PublicOrigins.loopback, both] {
            try await TestServer.open(on: .sqlite, configuration: ServerConfiguration(publicOrigins: origins)) {
                server in
                let answer = try await server.send(TestCall(method: .get, path: "/health/live"))
                #expect(answer.headers[Self.transport] == nil)
            }
        }
    }

    @Test("Answers are not to be opened by a page of another origin")
    func openerPolicy() async throws {
        try await TestServer.open(on: .sqlite) { server in
            for path in ["/health/live", "/nowhere", "/login/finished?outcome=failed"] {
                let answer = try await server.send(TestCall(method: .get, path: path))
                let name = try #require(HTTPField.Name("Cross-Origin-Opener-Policy"))
                #expect(answer.headers[name] == "same-origin", "\(path)")
            }
        }
    }

    @Test(
        "NET-3: plain HTTP is for this machine and private networks",
        arguments: [
            ("http://login.example.com", true), ("http://8.8.8.8:8080", true), ("http://[2606:4700::1]", true),
            ("http://localhost.example.com", true), ("http://gatehouse", true),
            ("HTTP://8.8.8.8:80", true), ("HTTPS://login.example.com", false), ("http://LocalHost", false),
            ("https://login.example.com", false), ("http://localhost:8080", false), ("http://game.localhost", false),
            ("http://127.0.0.1:8080", false), ("http://[::1]:8080", false), ("http://192.168.1.2", false),
            ("http://10.0.2.2:8080", false), ("http://[fd00::1]", false),
        ])
    func exposedOrigins(origin: String, isExposed: Bool) throws {
        let origin = try #require(WebOrigin(origin))
        #expect(PublicOrigins.isExposed(origin) == isExposed)
    }
}
