import Foundation
import GatehouseProviders
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseServer

/// What is decided by the head of a request, whatever its door.
@Suite struct RequestHeadTests {
    /// Their answers have the same length each time.
    private static let pages = [
        "/health/live", "/health/ready", "/", "/openapi", "/openapi.json", "/openapi.yaml", Endpoints.loginPage,
        TestCall.path(Endpoints.launching.template), TestCall.path(Endpoints.keys.template),
        TestCall.path(IssuerRoute.path), "/tcgb-gateway/v1.3/apps/game/health", "/nowhere", "/v1/nowhere",
        TestCall.path(Endpoints.logIn.template), TestCall.path(Endpoints.member.template),
    ]

    @Test("HEAD is answered as GET is, without the body (RFC 9110 section 9.3.2)")
    func head() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            for path in Self.pages {
                let whole = try await server.send(TestCall(method: .get, path: path))
                let head = try await server.send(TestCall(method: .head, path: path))
                #expect(head.status == whole.status, "\(path)")
                #expect(head.text.isEmpty, "\(path)")
                #expect(head.headers[.contentLength] == String(whole.text.utf8.count), "\(path)")
                for name in [HTTPField.Name.contentType, .cacheControl, .allow, .wwwAuthenticate] {
                    #expect(head.headers[name] == whole.headers[name], "\(name) \(path)")
                }
            }
            for path in ["/metrics", "/console", "/console/sign-in", "/favicon.ico"] {
                let whole = try await server.send(TestCall(method: .get, path: path))
                let head = try await server.send(TestCall(method: .head, path: path))
                #expect(head.status == whole.status && head.text.isEmpty, "\(path)")
                #expect(head.headers[.contentType] == whole.headers[.contentType], "\(path)")
            }
            let login = try await server.send(
                TestCall(method: .head, path: TestCall.path(Endpoints.logIn.template)))
            #expect(login.status == 405)
            #expect(login.headers[.allow] == "POST")
        }
    }

    @Test("SES-10: the proof of a HEAD is one for HEAD")
    func provenHead() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let token = try await server.guest(device).session.accessToken.secretValue
            let head = try await server.send(.head, Endpoints.member.template, by: device, token: token)
            #expect(head.status == 200)
            #expect(head.text.isEmpty)
            let path = TestCall.path(Endpoints.member.template)
            let proof = try device.proof("GET", path, token: token, at: server.clock.now)
            let refused = try await server.send(
                .head, Endpoints.member.template, by: device, token: token, headers: [HeaderNames.proof: proof])
            #expect(refused.status == 401)
        }
    }

    @Test("IDP-8: a HEAD of the address to which a browser comes back uses nothing up")
    func scannedReturn() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let back = try await server.atPage(.google, "alice", by: TestDevice())
            let scan = try await server.send(
                TestCall(method: .head, path: "\(back.path)?\(Form.text(back.parameters))"))
            #expect(scan.status == 200)
            #expect(scan.headers[.location] == nil)
            #expect(try await server.comeBack(back).status == 303)
        }
    }

    @Test("A body in an encoding that is not taken is refused with 415 and the one that is (RFC 9110 section 15.5.16)")
    func encodings() async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let path = TestCall.path(Endpoints.logIn.template)
            for encoding in ["gzip", "br", "identity, gzip", "x"] {
                for path in [path, "/console/sign-in", "/nowhere"] {
                    let answer = try await server.send(
                        TestCall(path: path, headers: ["Content-Encoding": encoding], body: "{}"))
                    #expect(answer.status == 415, "\(encoding) \(path)")
                    #expect(answer.code == 3)
                    #expect(answer.details?.parameter == "Content-Encoding")
                    #expect(answer.headers[.acceptEncoding] == "identity")
                    #expect(answer.text.contains("identity"))
                }
                let gamebase = try await server.tcgb(
                    .post, "member/v1.3/apps/{a}/members", body: "[]", headers: ["Content-Encoding": encoding])
                #expect(gamebase.code == -4_060_001)
            }
            for encoding in ["identity", "Identity", "identity, identity"] {
                let login = try await server.logIn(TestDevice(), headers: ["Content-Encoding": encoding])
                #expect(login.status == 200, "\(encoding)")
            }
            // Without a body it says nothing.
            let launching = try await server.send(
                TestCall(
                    method: .get, path: TestCall.path(Endpoints.launching.template),
                    headers: ["Content-Encoding": "gzip"]))
            #expect(launching.status == 200)
        }
    }

    @Test("A byte order mark before a body is passed over, and UTF-16 is named")
    func marks() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let login = try await server.send(
                .post, Endpoints.logIn.template, by: device, body: "\u{feff}{\"provider\":\"guest\"}")
            #expect(login.status == 200)
            let wide = try await server.send(.post, Endpoints.logIn.template, by: device, body: "{\u{0}}\u{0}")
            #expect(wide.status == 400)
            #expect(wide.code == 4)
            #expect(wide.text.contains("UTF-16"))
        }
    }

    @Test("An expectation other than 100-continue is refused with 417, at every door (RFC 9110 section 10.1.1)")
    func expectations() async throws {
        try await TestServer.open(on: .sqlite) { server in
            for path in [TestCall.path(Endpoints.logIn.template), "/nowhere"] {
                for expectation in ["tea", "100-continue, tea", "100-continue=1"] {
                    let answer = try await server.send(
                        TestCall(path: path, headers: ["Expect": expectation], body: "{}"))
                    #expect(answer.status == 417, "\(expectation)")
                    #expect(answer.code == 3)
                    #expect(answer.details?.parameter == "Expect")
                }
            }
            let login = try await server.logIn(TestDevice(), headers: ["Expect": "100-Continue"])
            #expect(login.status == 200)
        }
    }
}
