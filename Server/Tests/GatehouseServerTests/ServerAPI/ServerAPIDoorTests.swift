import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The common behaviour of every call of Gamebase's Server API, and calls 17 to 19.
@Suite struct ServerAPIDoorTests {
    /// Every call, with the versions that have it.
    static let calls: [(method: HTTPRequest.Method, path: String, versions: [String])] = [
        (.get, "gateway/{v}/apps/{a}/members/U/tokens/T", old + ["v1.3"]),
        (.get, "gateway/{v}/apps/{a}/members/U/idps/google", ["v1.3"]),
        (.get, "member/{v}/apps/{a}/members/U", old + ["v1.3"]),
        (.post, "member/{v}/apps/{a}/members", old + ["v1.3"]),
        (.post, "member/{v}/apps/{a}/auth/authKeys", old + ["v1.3"]),
        (.post, "member/{v}/apps/{a}/members/userIds/authKeys", old + ["v1.3"]),
        (.post, "gateway/{v}/apps/{a}/idps/google/members", ["v1.3"]),
        (.post, "gateway/{v}/apps/{a}/members/ban", ["v1.3"]),
        (.get, "member/{v}/apps/{a}/members/bans", old + ["v1.3"]),
        (.get, "member/{v}/apps/{a}/members/bans/current", ["v1.3"]),
        (.delete, "gateway/{v}/apps/{a}/members/ban", ["v1.3"]),
        (.get, "member/{v}/apps/{a}/members/bans/release", old + ["v1.3"]),
        (.post, "gateway/{v}/apps/{a}/members/transfer-account", ["v1.1.2", "v1.3"]),
        (.delete, "gateway/{v}/apps/{a}/members/U", ["v1.3"]),
        (.get, "member/{v}/apps/{a}/logs/withdrawal", ["v1.3"]),
        (.get, "launching/{v}/apps/{a}/launching/simple", old + ["v1.3"]),
        (.get, "launching/{v}/apps/{a}/maintenances/under-maintenance", old + ["v1.3"]),
    ]
    private static let old = ["v1.0", "v1.1", "v1.2"]

    @Test(
        "Every call wants the app's own secret key, exists in its versions and in no others, and says so as documented",
        arguments: Engine.ofDoors)
    func door(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let otherSecret = try await server.otherSecret()
            for (method, path, versions) in Self.calls {
                for version in ["v1.0", "v1.1", "v1.1.2", "v1.2", "v1.3", "v2.0", "x"] {
                    let path = path.replacing("{v}", with: version)
                    let code = try await server.tcgb(method, path, secret: "").code
                    #expect(code == (versions.contains(version) ? -4_010_004 : -4_060_003), "\(method) \(path)")
                    guard versions.contains(version) else { continue }
                    #expect(try await server.tcgb(method, path, secret: "wrong").code == -4_010_004, "\(path)")
                    #expect(try await server.tcgb(method, path, secret: otherSecret).code == -4_010_004, "\(path)")
                    let unknown = try await server.tcgb(method, path, app: AppID("C3JmSctU"))
                    #expect(unknown.code == -4_010_002)
                    #expect(
                        unknown.header["resultMessage"]?.stringValue
                            == "Gamebase product appKey is invalid, appId:C3JmSctU")
                }
            }
            for path in [
                "gateway/v1.3/apps/{a}/nothing", "member/v1.3/apps/{a}", "other/v1.3/apps/{a}/members/U", "member",
            ] {
                #expect(try await server.tcgb(.get, path).code == -4_060_003)
            }
            #expect(try await server.tcgb(.put, "member/v1.3/apps/{a}/members").code == -4_060_003)
        }
    }

    @Test(
        "A failure tells when, where and for which call, and the transaction is the caller's own",
        arguments: Engine.ofDoors)
    func trace(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let answer = try await server.tcgb(
                .get, "launching/v1.3/apps/{a}/maintenances/under-maintenance", secret: "wrong",
                headers: [HeaderNames.transactionID: "88a1ae42-6b1d-48c8-894e-54e97aca07fq"])
            #expect(answer.header["transactionId"] == "88a1ae42-6b1d-48c8-894e-54e97aca07fq")
            #expect(
                answer.header["traceError"] == [
                    "trackingTime": .integer(server.clock.now.milliseconds), "throwPoint": "gateway",
                    "uri": .string("/tcgb-launching/v1.3/apps/\(TestServer.app)/maintenances/under-maintenance"),
                ])
            let member = try await server.tcgb(.get, "member/v1.3/apps/{a}/members/NOBODY?includeMemberInfo=true")
            #expect(member.header["traceError"]?["throwPoint"] == "member")
            #expect(
                member.header["traceError"]?["uri"]?.stringValue
                    == "/tcgb-member/v1.3/apps/\(TestServer.app)/members/NOBODY"
            )
            // The token in the path must not appear in logs and errors.
            let token = try await server.tcgb(.get, "gateway/v1.3/apps/{a}/members/U/tokens/sec.ret.token")
            #expect(
                token.header["traceError"]?["uri"]?.stringValue
                    == "/tcgb-gateway/v1.3/apps/\(TestServer.app)/members/U/tokens/-")
            #expect(!token.text.contains("sec.ret"))
        }
    }

    @Test("Broken input gets a code of the documents, and the server lives", arguments: Engine.ofDoors)
    func broken(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let odd = [
                "", "null", "{", "[[[[", "\u{0}", #"{"a":"#, #"["\ud800"]"#, "[1e999]",
                String(repeating: "[", count: 4_000),
                #"{"userIdList": 1}"#, #"{"account": []}"#, #"["\u0000"]"#, "[null]",
                #"{"userIdList":["a"],"userIdList":["b"]}"#,
            ]
            for (method, path, versions) in Self.calls {
                for body in odd {
                    let path = path.replacing("{v}", with: versions.last ?? "v1.3")
                    let answer = try await server.tcgb(method, path, body: body)
                    #expect(answer.code != -5_000_001, "\(method) \(path) \(body.prefix(20)) \(answer.text)")
                }
            }
            for path in [
                "member/v1.3/apps/{a}/members/%00", "member/v1.3/apps/{a}/members/%ff%fe",
                "member/v1.3/apps/%2e%2e/members/U",
                "gateway/v1.3/apps/{a}/members/%2F/tokens/%2F", "gateway/v1.3/apps/{a}/members/U/idps/%F0%9F%98%80",
                "member/v1.3/apps/{a}/members/" + String(repeating: "U", count: 4_000),
            ] {
                let answer = try await server.tcgb(.get, path)
                #expect(answer.code != 0)
                #expect(answer.code != -5_000_001, "\(path.prefix(80)) \(answer.text)")
            }
            let big = "[\"" + String(repeating: "x", count: 70_000) + "\"]"
            #expect(try await server.tcgb(.post, "member/v1.3/apps/{a}/members", body: big).code == -4_000_008)
        }
    }

    @Test("START-2: 17 and 18, launching and maintenance in the form of each version", arguments: Engine.ofDoors)
    func launching(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let simple = "launching/v1.3/apps/{a}/launching/simple"
            #expect(try await server.tcgb(.get, simple).code == -4_000_002)
            #expect(try await server.tcgb(.get, simple + "?osCode=IOS&storeCode=AS").code == -4_000_002)
            #expect(try await server.tcgb(.get, simple + "?osCode=IOS&clientVersion=1").code == -4_000_002)
            #expect(
                try await server.tcgb(.get, simple + "?osCode=PALM&storeCode=AS&clientVersion=1").code == -4_000_001)
            let query = "?osCode=IOS&storeCode=AS&clientVersion=1.0"
            let good = try await server.tcgb(.get, simple + query)
            #expect(good["launchingData"]?["status"]?["code"] == 200)
            #expect(good["launchingData"]?["app"]?["storeCode"] == "AS")
            #expect(good["launchingData"]?["maintenance"] == nil)
            // What is not configured is null and not absent.
            let app: JSONValue = [
                "storeCode": "AS", "accessInfo": ["serverAddress": .null, "csInfo": .null],
                "relatedUrls": [
                    "termsUrl": .null, "csUrl": .null, "punishRuleUrl": .null, "personalInfoCollectionUrl": .null,
                ],
                "install": ["url": .null],
            ]
            #expect(good["launchingData"]?["app"] == app)
            let old = try await server.tcgb(.get, "launching/v1.0/apps/{a}/launching/simple?osCode=IOS&clientVersion=1")
            #expect(old.code == 0)
            #expect(old["launchingData"]?["app"]?["storeCode"] == .null)
            let under = "maintenances/under-maintenance"
            let none = try await server.tcgb(.get, "launching/v1.3/apps/{a}/\(under)")
            #expect(none["underMaintenance"] == false)
            #expect(none["appId"]?.stringValue == TestServer.app.rawValue)
            #expect(none["maintenance"] == nil)
            #expect(try await server.tcgb(.get, "launching/v1.2/apps/{a}/\(under)")["maintenances"] == .array([]))

            try await server.run(
                PlanMaintenance(
                    begin: server.clock.now, end: server.clock.now.adding(seconds: 3_600), message: ["en": "Back soon"],
                    url: "https://example.com/status"))
            server.clock.advance(seconds: 1)
            let closed = try await server.tcgb(.get, simple + query)
            #expect(closed["launchingData"]?["status"]?["code"] == 303)
            let entry: JSONValue = [
                "typeCode": "APP", "beginDate": "2026-11-21T00:00:00+00:00", "endDate": "2026-11-21T01:00:00+00:00",
                "url": "https://example.com/status", "reason": "Back soon", "message": "Back soon",
            ]
            #expect(closed["launchingData"]?["maintenance"] == entry)
            let now = try await server.tcgb(.get, "launching/v1.3/apps/{a}/\(under)")
            #expect(now["underMaintenance"] == true)
            #expect(now["maintenance"] == entry)
            for version in Self.old {
                let old = try await server.tcgb(.get, "launching/\(version)/apps/{a}/\(under)")
                #expect(old["maintenances"]?.arrayValue?.count == 1)
                #expect(old["maintenances"]?[0]?["reason"] == nil)
                #expect(old["maintenances"]?[0]?["beginDate"] == "2026-11-21T00:00:00+00:00")
            }
            // Without an end, a page or a message it is still complete; the reason is the operator's own.
            try await server.run(EndMaintenance())
            try await server.run(SetStatus(status: .maintenance, message: [:]))
            server.clock.advance(seconds: 1)
            #expect(
                try await server.tcgb(.get, "launching/v1.3/apps/{a}/\(under)")["maintenance"] == [
                    "typeCode": "APP", "beginDate": .null, "endDate": .null, "url": .null, "reason": .null,
                    "message": .null,
                ])
            #expect(
                try await server.tcgb(.get, "launching/v1.2/apps/{a}/\(under)")["maintenances"]?[0] == [
                    "typeCode": "APP", "beginDate": .null, "endDate": .null, "url": .null, "message": .null,
                ])
        }
    }

    @Test("START-3: maintenance has a reason of its own beside its message", arguments: Engine.ofDoors)
    func reason(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            try await server.run(
                PlanMaintenance(
                    begin: nil, end: server.clock.now.adding(seconds: 3_600),
                    message: ["en": "Back soon", "ko": "점검 중"], url: nil, reason: "database upgrade"))
            let under = try await server.tcgb(.get, "launching/v1.3/apps/{a}/maintenances/under-maintenance")
            let simple = try await server.tcgb(
                .get, "launching/v1.0/apps/{a}/launching/simple?osCode=IOS&clientVersion=1")
            for entry in [under["maintenance"], simple["launchingData"]?["maintenance"]] {
                #expect(entry?["reason"] == "database upgrade")
                #expect(entry?["message"] == "Back soon")
                #expect(entry?["url"] == .null)
            }
            let information = try await server.send(.get, Endpoints.launching.template, by: TestDevice())
                .decoded(as: LaunchingInformation.self)
            #expect(information.maintenance?.reason == "database upgrade")
            #expect(information.maintenance?.message == "Back soon")
        }
    }

    @Test("19: the ping needs no key, takes every client's version, and is answered to a browser's page")
    func health() async throws {
        try await TestServer.open(on: .sqlite) { server in
            try await server.run(SetStatus(status: .maintenance, message: [:]))
            for version in ["v1.0", "v1.1", "v1.2", "v1.3", "v1.3.2", "v2", "v10.20.30"] {
                let health = try await server.tcgb(.get, "gateway/\(version)/apps/{a}/health", secret: "")
                #expect(health.code == 0)
                #expect(health.names(health.body) == ["header"])
                #expect(health.answer.headers[.accessControlAllowOrigin] == "*")
            }
            for version in ["x", "v", "1.3", "v1.", "v1.3.2.1", "v1.a", "v99999999999999999999", "v1..2"] {
                let health = try await server.tcgb(.get, "gateway/\(version)/apps/{a}/health", secret: "")
                #expect(health.code == -4_060_003, "\(version)")
            }
            let unknown = try await server.tcgb(
                .get, "gateway/v1.3/apps/{a}/health", app: AppID("C3JmSctU"), secret: "")
            #expect(unknown.code == -4_010_002)
            #expect(unknown.answer.headers[.accessControlAllowOrigin] == "*")
            let asked = try await server.send(
                TestCall(
                    method: .options, path: "/tcgb-gateway/v1.3.2/apps/\(TestServer.app)/health",
                    headers: [
                        "Origin": "https://game.example.com", "Access-Control-Request-Method": "GET",
                        "Access-Control-Request-Headers": "x-tcgb-transaction-id",
                    ]))
            #expect(asked.status == 204)
            #expect(asked.headers[.accessControlAllowOrigin] == "*")
            #expect(asked.headers[.accessControlAllowMethods] == "GET")
            #expect(asked.headers[.accessControlAllowHeaders] == "*")
            // No other call is allowed for browsers.
            let member = try await server.tcgb(.get, "member/v1.3/apps/{a}/members/U")
            #expect(member.answer.headers[.accessControlAllowOrigin] == nil)
            let simple = try await server.tcgb(.get, "launching/v1.3/apps/{a}/launching/simple")
            #expect(simple.answer.headers[.accessControlAllowOrigin] == nil)
        }
    }
}
