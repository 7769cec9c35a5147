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
    struct Scenario: Sendable, CustomTestStringConvertible {
        let name: String
        var method: HTTPRequest.Method = .post
        var path = TestCall.path(Endpoints.logIn.template)
        var body: String?
        var headers: [String: String] = [:]
        let status: Int
        let code: Int
        var mustContain = "error"
        var testDescription: String { name }
    }

    static let bodies: [Scenario] = [
        ("empty", ""), ("not JSON", "provider=guest"), ("cut off", #"{"provider":"gue"#), ("an array", "[]"),
        ("a string", #""guest""#), ("a trailing comma", #"{"provider":"guest",}"#), ("two documents", "{}{}"),
        ("single quotes", "{'provider':'guest'}"), ("a comment", #"{"provider":"guest"/**/}"#),
        ("NUL in a string", #"{"provider":"gu\u0000est"}"#), ("a raw NUL", "{\"provider\":\"gu\u{0}est\"}"),
        ("a lone high surrogate", #"{"provider":"\ud800"}"#), ("a lone low surrogate", #"{"provider":"\udc00x"}"#),
        ("a byte order mark", "\u{feff}{\"provider\":\"guest\"}"),
        ("a name twice", #"{"provider":"guest","provider":"guest"}"#),
        ("nesting of 100,000? no: of 10,000", String(repeating: "[", count: 10_000)),
        ("nesting of 17 objects", String(repeating: #"{"a":"#, count: 17) + "1" + String(repeating: "}", count: 17)),
        ("a number too large", #"{"provider":1e400}"#),
        ("a number of 10,000 digits", #"{"provider":"# + String(repeating: "9", count: 10_000) + "}"),
        ("a million? no: 10,000 values", #"{"provider":["# + String(repeating: "1,", count: 10_000) + "1]}"),
        ("a leading zero", #"{"provider":01}"#), ("NaN", #"{"provider":NaN}"#),
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

    @Test("INP-1, INP-4, INP-5, INP-6: bad input gets a code of the table, and writes nothing", arguments: scenarios)
    func badInput(scenario: Scenario) async throws {
        try await World.open(on: .sqlite) { world in
            // A body is read only if everything before it is valid.
            var headers = scenario.headers
            headers[HeaderNames.proof] = try TestDevice().proof(
                scenario.method.rawValue, scenario.path, at: world.clock.now)
            let answer = try await world.send(
                TestCall(method: scenario.method, path: scenario.path, headers: headers, body: scenario.body))
            #expect(answer.status == scenario.status)
            let error = try #require(answer.error)
            #expect(error.code.rawValue == scenario.code)
            #expect(error.name == ErrorCode(rawValue: scenario.code).row?.name)
            #expect(answer.text.contains(scenario.mustContain))
            #expect(
                answer.headers.first { $0.name.rawName == "X-TCGB-Transaction-Id" }?.value
                    == error.transactionId.rawValue)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.xContentTypeOptions] == "nosniff")
            for leak in ["SELECT", "sqlite", "Swift", "/work", "DecodingError", "gsk_", "SECRET"] {
                #expect(!answer.text.contains(leak))
            }
            #expect(try await world.rowCounts() == [0, 0, 0, 0])
        }
    }

    @Test(
        "A wrong access token is refused with 3011 and its reason",
        arguments: [
            ("", "token_malformed"), ("a.b.c", "token_malformed"),
            (String(repeating: "a", count: 5_000), "token_malformed"),
            ("eyJhbGciOiJub25lIn0.e30.", "token_malformed"),
        ])
    func wrongAccessToken(token: String, reason: String) async throws {
        try await World.open(on: .sqlite) { world in
            let check = try await world.checkToken(AccessToken(token))
            #expect(check.status == 401)
            #expect(check.code == 3011)
            #expect(check.reason == reason)
            #expect(world.audit.events == ["token.refused"])
        }
    }

    @Test("IDP-9: a proof and a refresh token are no access tokens, and an access token is no refresh token")
    func tokensInWrongPlaces() async throws {
        try await World.open(on: .sqlite) { world in
            let device = TestDevice()
            let login = try await world.guest(device)
            let refresh = try #require(login.session.refreshToken)
            let proof = try device.proof("GET", TestCall.path(Endpoints.member.template), at: world.clock.now)
            #expect(try await world.member(device, AccessToken(refresh.secretValue)).code == 3011)
            #expect(try await world.member(device, AccessToken(proof)).code == 3011)
            #expect(try await world.refresh(device, RefreshToken(login.session.accessToken.secretValue)).code == 3011)
        }
    }

    @Test("An access token that its holder has changed is refused", arguments: [0, 1, 2])
    func changedAccessToken(part: Int) async throws {
        try await World.open(on: .sqlite) { world in
            let device = TestDevice()
            var parts = try await world.guest(device).session.accessToken.secretValue.split(separator: ".").map(
                String.init)
            if part == 1 {
                let claims = String(decoding: try #require(Base64URL.decode(parts[1])), as: UTF8.self)
                parts[1] = Base64URL.encode(Array(claims.replacing(#""exp":1"#, with: #""exp":9"#).utf8))
            } else {
                parts[part] = String(parts[part].reversed())
            }
            let answer = try await world.member(device, AccessToken(parts.joined(separator: ".")))
            #expect(answer.status == 401)
            #expect(answer.code == 3011)
        }
    }

    @Test("A client's own transaction id is taken when it is plain, and only then")
    func transactionID() async throws {
        try await World.open(on: .sqlite) { world in
            let path = TestCall.path(Endpoints.launching.template)
            for (own, isTaken) in [
                ("abc-123", true), ("a b", false), ("<script>", false), (String(repeating: "a", count: 65), false),
            ] {
                let answer = try await world.send(
                    TestCall(method: .get, path: path, headers: ["X-TCGB-Transaction-Id": own]))
                let id = answer.headers.first { $0.name.rawName == "X-TCGB-Transaction-Id" }?.value
                #expect((id == own) == isTaken)
            }
        }
    }
}
