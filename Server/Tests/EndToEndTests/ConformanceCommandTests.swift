import Foundation
import GatehouseJSON
import GatehouseWire
import TestDatabases
import Testing

@testable import gatehouse

/// `gatehouse conformance` judges clients by what they do.
@Suite(.timeLimit(.minutes(40))) struct ConformanceCommandTests {
    private struct Line: Decodable {
        let scenario: String
        let passed: Bool
        let problem: String?
    }

    private func judge(
        _ client: [String], only: String? = nil, status: Int32, environment: [String: String] = [:]
    ) async throws -> [Line] {
        try await withFolder { folder in
            let only = only.map { ["--only", $0] } ?? []
            let result = try await Command.run(
                ["conformance", "--json"] + only + ["--"] + client, in: folder, environment: environment)
            #expect(result.status == status, "\(result.text)")
            return try result.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        }
    }

    @Test("The SDK passes every scenario")
    func sdk() async throws {
        let lines = try await judge([Command.gatehouse, "play", "--script", "-"], status: 0)
        #expect(lines.map(\.scenario) == Scenario.all.map(\.name))
        for line in lines { #expect(line.passed, "\(line.scenario): \(line.problem ?? "")") }
    }

    @Test("A client that says yes to everything and calls nothing fails wherever something must happen")
    func yes() async throws {
        let yes = #"while read -r step; do echo '{"ok":true,"userId":"ALICE","isPlayable":true}'; done"#
        let lines = try await judge(
            ["sh", "-c", yes], only: "guest-lost,guest-two,ban,token-for,conflict,transfer", status: 1)
        #expect(lines.count > 10)
        for line in lines { #expect(!line.passed, "\(line.scenario)") }
    }

    @Test("A client that ends, or that is not there, fails with its last words")
    func gone() async throws {
        let ended = try await judge(["sh", "-c", "echo 'no such key' >&2; exit 3"], only: "guest-two", status: 1)
        #expect(ended.map(\.passed) == [false])
        #expect(ended[0].problem?.contains("no such key") ?? false)
        let missing = try await judge(["/no/such/client"], only: "guest-two", status: 1)
        #expect(missing.map(\.passed) == [false])
    }

    @Test("A name that no scenario has, a client that is not named, and a list")
    func arguments() async throws {
        try await withFolder { folder in
            #expect(try await Command.run(["conformance", "--only", "nothing", "--", "true"], in: folder).status != 0)
            #expect(try await Command.run(["conformance"], in: folder).status != 0)
            let list = try await Command.run(["conformance", "--list", "--only", "clock"], in: folder)
            #expect(list.status == 0)
            #expect(list.lines.count == 3)
        }
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
        // An app's id is made of the name.
        for scenario in Scenario.all { #expect(scenario.name.utf8.count <= 28) }
    }

    // MARK: What holds for every call

    private static let token = "secret-token-of-a-session"

    private func call(
        _ name: String, proof: String? = "p1", token: String? = token, key: String? = "k1", body: String = "{}",
        target: String = "/v1/apps/a/x", reason: String? = nil
    ) throws -> ConformanceRelay.Call {
        let endpoint = try #require(Endpoints.all.first { $0.template == "/v1/apps/{appId}/\(name)" })
        var headers: [String: String] = [:]
        headers["dpop"] = proof
        headers["authorization"] = token.map { "DPoP \($0)" }
        headers["idempotency-key"] = key
        var call = ConformanceRelay.Call(
            endpoint: endpoint, target: target, headers: headers, body: Array(body.utf8), sentAt: 0)
        call.answer = try reason.map { .object(["error": try JSONValue(encoding: ["details": ["reason": $0]])]) }
        return call
    }

    @Test("Each rule of the wire finds what breaks it, and good calls break none")
    func wire() throws {
        let good = [
            try call("mappings/add"), try call("mappings/add", proof: "p2"), try call("member", proof: "p3", key: nil),
        ]
        #expect(WireRules.broken(good, output: [#"{"ok":true,"accessToken":"\#(Self.token)"}"#]) == nil)
        let bad: [(String, ConformanceRelay.Call)] = [
            ("no proof", try call("member", proof: nil)), ("sent before", try call("member", proof: "p1")),
            ("no token", try call("member", proof: "p4", token: nil)),
            ("no idempotency key", try call("login", proof: "p4", key: nil)),
            ("another body", try call("mappings/add", proof: "p4", body: #"{"a":1}"#)),
            ("in an address", try call("member", proof: "p4", target: "/v1/apps/a/member?t=\(Self.token)")),
            ("another method", try call("member", proof: "p4", reason: "proof_mismatch")),
        ]
        for (words, call) in bad {
            #expect(WireRules.broken(good + [call], output: [])?.contains(words) ?? false, "\(words)")
        }
        #expect(WireRules.broken(good, output: ["debug: \(Self.token)"])?.contains("output") ?? false)
    }
}
