import FakeProviders
import Foundation
import GatehouseHTML
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import HummingbirdTesting
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct OpenAPITests {
    @Test("The served OpenAPI document has every endpoint, with its access, and none that isn't there")
    func complete() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let answer = try await server.send(TestCall(method: .get, path: "/openapi.yaml"))
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "application/yaml")
            let operations = Self.operations(answer.text)
            var expected = Set(
                ["/", "/health/live", "/health/ready", "/metrics", "/openapi", "/openapi.json", "/openapi.yaml"].map {
                    "GET \($0)"
                })
            for path in [Endpoints.callback, Endpoints.signal] { expected.formUnion(["GET \(path)", "POST \(path)"]) }
            expected.insert("GET \(Endpoints.loginPage)")
            expected.insert("GET \(IssuerRoute.path)")
            for endpoint in AnyEndpoint.all { expected.insert("\(endpoint.verb.rawValue) \(endpoint.template)") }
            for endpoint in ServerAPIEndpoint.all { expected.insert("\(endpoint.method) \(endpoint.template)") }
            #expect(Set(operations.keys) == expected)
            for endpoint in AnyEndpoint.all {
                let operation = try #require(operations["\(endpoint.verb.rawValue) \(endpoint.template)"])
                for word in ["summary:", "operationId:", "responses:", "\"200\":"] {
                    #expect(operation.contains(word), "\(endpoint.template) has no \(word)")
                }
                #expect(operation.contains("idempotencyKey") == endpoint.changes, "\(endpoint.template)")
                let security =
                    switch endpoint.access {
                    case .device(.open): "\n"
                    case .device(.deviceKey): "security: [{ proof: [] }]"
                    case .device(.refreshToken): "security: [{ refreshToken: [], proof: [] }]"
                    case .device(.accessToken): "security: [{ accessToken: [], proof: [] }]"
                    case .secretKey: "security: [{ secretKey: [] }]"
                    }
                #expect(operation.contains(security), "\(endpoint.template)")
                #expect(Self.scope(operation) == endpoint.scope, "\(endpoint.template)")
            }
        }
    }

    @Test("The document describes every call of Gamebase's Server API, with its versions and its scope")
    func serverAPI() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let document = try await server.send(TestCall(method: .get, path: "/openapi.yaml")).text
            let operations = Self.operations(document)
            for endpoint in ServerAPIEndpoint.all {
                let operation = try #require(operations["\(endpoint.method) \(endpoint.template)"])
                for word in ["summary:", "operationId: gamebase", "tags: [gamebase]", "\"200\":", "GamebaseFailure"] {
                    #expect(operation.contains(word), "\(endpoint.template) has no \(word)")
                }
                let parameter =
                    try #require(
                        operation.firstMatch(of: #/parameters\/(gamebase\w*Version)"/#), "\(endpoint.template)"
                    ).1
                let versions = endpoint.versions.map(\.rawValue).sorted().joined(separator: ", ")
                let isHealth = endpoint.template == ServerAPIEndpoint.health.template
                let schema = isHealth ? #"pattern: "^v[0-9]+(\\.[0-9]+){0,2}$", maxLength: 16"# : "enum: [\(versions)]"
                #expect(
                    document.contains(
                        "\(parameter): { name: version, in: path, required: true, schema: { type: string, \(schema) } }"
                    ))
                switch endpoint.access {
                case .open: #expect(!operation.contains("security:") && Self.scope(operation) == nil)
                case .secretKey(let scope):
                    #expect(operation.contains("security: [{ secretKey: [] }]"), "\(endpoint.template)")
                    #expect(Self.scope(operation) == scope, "\(endpoint.template)")
                }
            }
        }
    }

    @Test("The document has the names of what Gamebase's Server API answers")
    func serverAPISchemas() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let document = try await server.send(TestCall(method: .get, path: "/openapi.yaml")).text
            let player = try await server.logIn(.google, "alice")
            let ban = #"{"userIdList":["\#(player.user)"],"banTypeCode":"PERMANENT","banReason":"r","regUser":"s"}"#
            let member = "member/v1.3/apps/{a}"
            let answers = [
                try await server.tcgb(
                    .get,
                    "gateway/v1.3/apps/{a}/members/\(player.user)/tokens/\(player.access.secretValue)?linkedIdP=true"),
                try await server.tcgb(.get, "\(member)/members/\(player.user)"),
                try await server.tcgb(.post, "\(member)/members", body: #"["\#(player.user)"]"#),
                try await server.tcgb(.post, "gateway/v1.3/apps/{a}/members/ban", body: ban),
                try await server.tcgb(.get, "\(member)/members/bans?\(server.hours)"),
                try await server.tcgb(.get, "member/v1.0/apps/{a}/members/bans?\(server.hours)"),
                try await server.tcgb(.get, "\(member)/logs/withdrawal?\(server.hours)"),
                try await server.tcgb(
                    .get, "launching/v1.3/apps/{a}/launching/simple?osCode=IOS&storeCode=AS&clientVersion=1.0"),
                try await server.tcgb(.get, "launching/v1.3/apps/{a}/maintenances/under-maintenance"),
            ]
            for answer in answers {
                #expect(answer.code == 0, "\(answer.text)")
                let object = try JSONSerialization.jsonObject(with: Data(answer.text.utf8))
                for name in Self.names(object) {
                    #expect(document.contains("\(name):") || document.contains("`\(name)`:"), "\(name)")
                }
            }
            let refused = try await server.tcgb(.get, "\(member)/members/NOBODY")
            for name in Self.names(try JSONSerialization.jsonObject(with: Data(refused.text.utf8))) {
                #expect(document.contains("\(name):"), "\(name)")
            }
        }
    }

    private static func scope(_ operation: String) -> SecretKeyScope? {
        operation.firstMatch(of: #/\n +x-scope: (\w+)\n/#).flatMap { SecretKeyScope(rawValue: String($0.1)) }
    }

    @Test("The document's schemas are what the calls answer")
    func schemas() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let document = try await server.send(TestCall(method: .get, path: "/openapi.yaml")).text
            let device = TestDevice()
            let login = try await server.logIn(device).text
            let check = try await server.checkToken(try await server.guest(device).session.accessToken).text
            let launching = try await server.send(.get, Endpoints.launching.template, by: device).text
            let refusal = try await server.send(TestCall(path: "/nowhere")).text
            var player = try await server.guestPlayer(device)
            let transfer = try await server.call(Endpoints.issueTransferAccount, Empty(), by: player).text
            let key = try await server.call(Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: 9), by: player)
                .text
            let grace = try await server.call(gameServer: Endpoints.registerGraceBan, server.graceBan(player.user)).text
            let payment = try await server.call(
                gameServer: Endpoints.reportPayment,
                PaymentReport(userId: player.user, paymentId: "p", amount: 1, currency: "KRW")
            ).text
            let pending = try await server.call(Endpoints.requestWithdrawal, Empty(), by: player).text
            let devicesOwner = try await server.logIn(.google, "alice")
            let conflict = try await server.map(.google, "alice", to: player).text
            let mapping = try await server.map(.google, "bob", to: player).text
            player = try await server.logIn(.google, "bob", on: device)
            let ban = BanRequest(userIds: [player.user], banType: .permanent, reason: "r", registeredBy: "s")
            let outcome = try await server.call(gameServer: Endpoints.ban, ban).text
            let banned = try await server.heartbeat(device, player.access).text
            let devices = try await server.call(Endpoints.sessions, Empty(), by: devicesOwner).text
            let sessions = try await server.call(
                gameServer: Endpoints.memberSessions, MemberSessionsRequest(userId: devicesOwner.user)
            ).text
            for text in [
                devices, sessions, login, check, launching, refusal, transfer, key, grace, payment, pending, conflict,
                mapping, outcome,
                banned,
            ] {
                let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
                // The providers are a map, whose keys are not names of the contract.
                let providers = (FakeProviders.names + [.guest]).map(\.rawValue) + ["fakeWorld"]
                for name in Self.names(object).subtracting(providers) {
                    #expect(document.contains("\(name):"), "\(name) is not in the document")
                }
            }
        }
    }

    @Test("The JSON has every operation, and the page shows each with its parameters, answers and schemas")
    func page() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let json = try await server.send(TestCall(method: .get, path: "/openapi.json"))
            #expect(json.headers[.contentType] == "application/json")
            let document = try JSONDecoder().decode(JSONValue.self, from: Data(json.text.utf8))
            guard case .object(let members) = document, case .object(let paths) = members["paths"] else {
                Issue.record("the document has no paths")
                return
            }
            let yaml = try await server.send(TestCall(method: .get, path: "/openapi.yaml")).text
            var found: Set<String> = []
            let page = try await server.send(TestCall(method: .get, path: "/openapi")).text
            for (path, operations) in paths {
                guard case .object(let verbs) = operations else { continue }
                for verb in verbs.keys {
                    found.insert("\(verb.uppercased()) \(path)")
                    let summary =
                        #"<span class="method">\#(verb.uppercased())</span><code>\#(HTML.escaped(path))</code>"#
                    #expect(page.contains(summary), "\(verb) \(path)")
                }
            }
            #expect(found == Set(Self.operations(yaml).keys))
            // Every link within the page leads somewhere.
            for link in page.matches(of: ##/href="#([^"]+)"/##) {
                #expect(page.contains(#"id="\#(link.1)""#), "\(link.1)")
            }
            #expect(page.contains("It needs:") && page.contains("Anybody may call it."))
            #expect(page.contains("<code>idPCode</code>") && page.contains("length at most <code>64</code>"))
        }
    }

    @Test("The start page names what the visitor can open, in the visitor's language, and nothing else")
    func start() async throws {
        try await TestServer.open(on: .sqlite, setup: .live) { server in
            let answer = try await server.send(TestCall(method: .get, path: "/"))
            #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
            for address in ["/console", "/openapi", "/health/ready", "/metrics"] {
                #expect(answer.text.contains(#"href="\#(address)""#), "\(address)")
            }
            #expect(answer.text.contains(#"lang="en""#) && !answer.text.contains("<script"))
            let korean = try await server.send(
                TestCall(method: .get, path: "/", headers: ["Accept-Language": "ko-KR,en;q=0.5"]))
            #expect(korean.text.contains(#"lang="ko""#) && korean.text.contains("운영자 콘솔"))
        }
        var configuration = TestServer.configuration()
        configuration.console?.networks = .none
        configuration.metricsReaders = .none
        try await TestServer.open(on: .sqlite, configuration: configuration, setup: .live) { server in
            let page = try await server.send(TestCall(method: .get, path: "/")).text
            #expect(!page.contains("/console") && !page.contains("/metrics") && page.contains("/openapi"))
        }
    }

    @Test("Paths of operation and pages answer other methods with 405 and say which ones they have (INP-4)")
    func otherMethods() async throws {
        try await TestServer.open(on: .sqlite, setup: .live) { server in
            for path in [
                "/health/live", "/health/ready", "/metrics", "/openapi.yaml", "/openapi.json", "/openapi", "/",
                Endpoints.loginPage,
            ] {
                #expect(try await server.send(TestCall(method: .get, path: path)).status == 200, "\(path)")
                #expect(try await server.send(TestCall(method: .head, path: path)).status == 200, "\(path)")
                for method in [HTTPRequest.Method.post, .put, .patch, .delete, .options, .trace] {
                    let answer = try await server.send(TestCall(method: method, path: path))
                    #expect(answer.status == 405, "\(method) \(path)")
                    #expect(answer.headers[.allow] == "GET, HEAD", "\(method) \(path)")
                    #expect(answer.error?.details == nil, "\(method) \(path)")
                }
            }
        }
    }

    /// Each operation's text by "METHOD /path". The document always uses the same indentation.
    private static func operations(_ document: String) -> [String: String] {
        var operations: [String: String] = [:]
        var path = ""
        var operation: String?
        var isInPaths = false
        for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
            if !line.hasPrefix(" ") && !line.isEmpty { isInPaths = line == "paths:" }
            guard isInPaths else { continue }
            if line.hasPrefix("  /") {
                path = String(line.dropFirst(2).dropLast())
                operation = nil
            } else if line.hasPrefix("    "), !line.hasPrefix("     "), line.hasSuffix(":") {
                operation = "\(line.dropFirst(4).dropLast().uppercased()) \(path)"
            }
            if let operation { operations[operation, default: ""] += line + "\n" }
        }
        return operations
    }

    private static func names(_ value: Any) -> Set<String> {
        if let object = value as? [String: Any] {
            return object.reduce(into: []) {
                $0.formUnion([$1.key]); $0.formUnion(names($1.value))
            }
        }
        return (value as? [Any] ?? []).reduce(into: []) { $0.formUnion(names($1)) }
    }
}
