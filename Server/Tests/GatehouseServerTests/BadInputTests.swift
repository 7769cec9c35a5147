import Foundation
import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct BadInputTests {
    /// One scenario: a call, and the expected response.
    struct Scenario: Sendable {
        let name: String
        var method: HTTPRequest.Method = .post
        var path = TestCall.path(Endpoints.logIn.template)
        var body: String?
        var headers: [String: String] = [:]
        let status: Int
        let code: Int
        var mustContain = "error"
    }

    private static let bodies: [Scenario] = [
        ("empty", ""), ("not JSON", "provider=guest"), ("an array", "[]"), ("a string", #""guest""#),
    ].map { Scenario(name: "body: \($0)", body: $1, status: 400, code: 4) }

    static let scenarios: [Scenario] =
        bodies + [
            Scenario(
                name: "a missing parameter", body: "{}", status: 400, code: 3, mustContain: #""parameter":"provider""#),
            Scenario(name: "a null", body: #"{"provider":null}"#, status: 400, code: 3, mustContain: "provider"),
            Scenario(
                name: "a number for a string", body: #"{"provider":1}"#, status: 400, code: 3, mustContain: "provider"),
            Scenario(
                name: "an object for a string", body: #"{"provider":{"a":1}}"#, status: 400, code: 3,
                mustContain: "provider"),
            Scenario(
                name: "a body of 65,537 bytes",
                body: #"{"provider":""# + String(repeating: "x", count: 65_537) + #""}"#, status: 413, code: 3),
            Scenario(
                name: "a form", body: "provider=guest", headers: ["Content-Type": "application/x-www-form-urlencoded"],
                status: 415, code: 3),
            Scenario(
                name: "JSON as plain text", body: #"{"provider":"guest"}"#, headers: ["Content-Type": "text/plain"],
                status: 415, code: 3),
            Scenario(
                name: "an unknown app", path: "/v1/apps/nogame/login", body: #"{"provider":"guest"}"#, status: 404,
                code: 2003),
            Scenario(
                name: "an app id too long", path: "/v1/apps/\(String(repeating: "a", count: 33))/login",
                body: #"{"provider":"guest"}"#, status: 404, code: 2003),
            Scenario(
                name: "an app id with a traversal", path: "/v1/apps/%2e%2e%2fgame/login",
                body: #"{"provider":"guest"}"#, status: 404, code: 2003),
            Scenario(
                name: "an app id with NUL", path: "/v1/apps/game%00/login", body: #"{"provider":"guest"}"#, status: 404,
                code: 2003),
            Scenario(
                name: "an app id with SQL", path: "/v1/apps/game'--/login", body: #"{"provider":"guest"}"#, status: 404,
                code: 2003),
            Scenario(name: "an unknown path", path: "/v1/apps/game/logins", body: "{}", status: 404, code: 10),
            Scenario(name: "the root", path: "/", body: "{}", status: 405, code: 10),
            Scenario(name: "a traversal", method: .get, path: "/v1/../../etc/passwd", status: 404, code: 10),
            Scenario(name: "a wrong method", method: .get, status: 405, code: 10, mustContain: "POST"),
            Scenario(name: "another wrong method", method: .delete, status: 405, code: 10),
            Scenario(
                name: "no token", path: TestCall.path(Endpoints.heartbeat.template), status: 401, code: 2,
                mustContain: "token_missing"),
            Scenario(
                name: "no refresh token", path: TestCall.path(Endpoints.logInWithLastProvider.template), status: 401,
                code: 2),
            Scenario(
                name: "no secret key", path: TestCall.path(Endpoints.checkToken.template),
                body: #"{"accessToken":"a"}"#, status: 401, code: 5),
            Scenario(
                name: "a wrong secret key", path: TestCall.path(Endpoints.checkToken.template),
                body: #"{"accessToken":"a"}"#, headers: ["X-Secret-Key": "gsk_wrong"], status: 401, code: 5),
            Scenario(
                name: "KEY-1: a secret key in the URL",
                path: TestCall.path(Endpoints.checkToken.template) + "?secretKey=SECRET", body: #"{"accessToken":"a"}"#,
                status: 401, code: 5),
            Scenario(
                name: "KEY-2: the app's id as a key", path: TestCall.path(Endpoints.checkToken.template),
                body: #"{"accessToken":"a"}"#, headers: ["X-Secret-Key": "game"], status: 401, code: 5),
        ]

    @Test("INP-1, INP-4, INP-5, INP-6: bad input gets a code of the table, and writes nothing")
    func badInput() async throws {
        try await TestServer.open(on: .sqlite) { server in
            _ = try await server.run(SetLimits { $0.refusedProofsPerMinute = 0 })
            server.clock.advance(seconds: 2)
            for scenario in Self.scenarios { try await expect(scenario, in: server) }
            #expect(try await server.rowCounts() == [0, 0, 0, 0])
        }
    }

    private func expect(_ scenario: Scenario, in server: TestServer) async throws {
        // A body is read only if everything before it is valid.
        var headers = scenario.headers
        headers[HeaderNames.proof] = try TestDevice().proof(
            scenario.method.rawValue, scenario.path, at: server.clock.now)
        let answer = try await server.send(
            TestCall(method: scenario.method, path: scenario.path, headers: headers, body: scenario.body))
        #expect(answer.status == scenario.status, "\(scenario.name)")
        let error = try #require(answer.error, "\(scenario.name)")
        #expect(error.code.rawValue == scenario.code, "\(scenario.name)")
        #expect(error.name == ErrorCode(rawValue: scenario.code).row?.name)
        #expect(answer.text.contains(scenario.mustContain), "\(scenario.name)")
        #expect(
            answer.headers.first { $0.name.rawName == "X-TCGB-Transaction-Id" }?.value == error.transactionId.rawValue)
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(answer.headers[.xContentTypeOptions] == "nosniff")
        for leak in ["SELECT", "sqlite", "Swift", "/work", "DecodingError", "gsk_", "SECRET"] {
            #expect(!answer.text.contains(leak), "\(scenario.name)")
        }
    }

    @Test("A wrong access token is refused with 3011 and its reason, and audited")
    func wrongAccessToken() async throws {
        try await TestServer.open(on: .sqlite) { server in
            for token in ["", "a.b.c", String(repeating: "a", count: 5_000), "eyJhbGciOiJub25lIn0.e30."] {
                let check = try await server.checkToken(AccessToken(token))
                #expect(check.status == 401)
                #expect(check.code == 3011)
                #expect(check.reason == "token_malformed")
            }
            #expect(server.audit.events == Array(repeating: "token.refused", count: 4))
        }
    }

    @Test("IDP-9: a proof is no access token, and neither is one that its holder has changed")
    func changedAccessToken() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let proof = try device.proof("GET", TestCall.path(Endpoints.member.template), at: server.clock.now)
            #expect(try await server.member(device, AccessToken(proof)).code == 3011)
            let token = try await server.guest(device).session.accessToken.secretValue
            for part in 0...2 {
                var parts = token.split(separator: ".").map(String.init)
                if part == 1 {
                    let claims = String(decoding: try #require(Base64URL.decode(parts[1])), as: UTF8.self)
                    parts[1] = Base64URL.encode(Array(claims.replacing(#""exp":1"#, with: #""exp":9"#).utf8))
                } else {
                    parts[part] = String(parts[part].reversed())
                }
                let answer = try await server.member(device, AccessToken(parts.joined(separator: ".")))
                #expect(answer.status == 401 && answer.code == 3011, "\(part)")
            }
        }
    }

    @Test("A client's own transaction id is taken when it is plain, and only then")
    func transactionID() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let path = TestCall.path(Endpoints.launching.template)
            for (own, isTaken) in [
                ("abc-123", true), ("a b", false), ("<script>", false), (String(repeating: "a", count: 65), false),
            ] {
                let answer = try await server.send(
                    TestCall(method: .get, path: path, headers: ["X-TCGB-Transaction-Id": own]))
                let id = answer.headers.first { $0.name.rawName == "X-TCGB-Transaction-Id" }?.value
                #expect((id == own) == isTaken)
            }
        }
    }
}
