import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The permitted uses of a secret key.
@Suite struct SecretScopeTests {
    /// The scope of every call of a game server, as in the documents and the threat model.
    static let scopes: [String: SecretKeyScope] = [
        "POST /v1/server/apps/{appId}/tokens/check": .check,
        "POST /v1/server/apps/{appId}/revocations": .check,
        "POST /v1/server/apps/{appId}/bans": .moderate,
        "POST /v1/server/apps/{appId}/bans/release": .moderate,
        "POST /v1/server/apps/{appId}/grace-bans": .moderate,
        "POST /v1/server/apps/{appId}/grace-bans/release": .moderate,
        "POST /v1/server/apps/{appId}/payments": .moderate,
        "POST /v1/server/apps/{appId}/kick-out": .moderate,
        "POST /v1/server/apps/{appId}/members/profile": .profile,
        "POST /v1/server/apps/{appId}/members/sessions": .profile,
        "POST /v1/server/apps/{appId}/members/sessions/end": .moderate,
        "POST /v1/server/apps/{appId}/migrations/confirm": .migrate,
        "POST /v1/server/apps/{appId}/migrations/lookup": .profile,
    ]

    static let serverAPIScopes: [String: SecretKeyScope] = [
        "GET /tcgb-gateway/{version}/apps/{appId}/members/{userId}/tokens/{accessToken}": .check,
        "GET /tcgb-gateway/{version}/apps/{appId}/members/{userId}/idps/{idPCode}": .profile,
        "GET /tcgb-member/{version}/apps/{appId}/members/{userId}": .profile,
        "POST /tcgb-member/{version}/apps/{appId}/members": .profile,
        "POST /tcgb-member/{version}/apps/{appId}/auth/authKeys": .profile,
        "POST /tcgb-member/{version}/apps/{appId}/members/userIds/authKeys": .profile,
        "POST /tcgb-gateway/{version}/apps/{appId}/idps/{idPCode}/members": .profile,
        "POST /tcgb-gateway/{version}/apps/{appId}/members/ban": .moderate,
        "GET /tcgb-member/{version}/apps/{appId}/members/bans": .moderate,
        "GET /tcgb-member/{version}/apps/{appId}/members/bans/current": .moderate,
        "DELETE /tcgb-gateway/{version}/apps/{appId}/members/ban": .moderate,
        "GET /tcgb-member/{version}/apps/{appId}/members/bans/release": .moderate,
        "POST /tcgb-gateway/{version}/apps/{appId}/members/transfer-account": .check,
        "DELETE /tcgb-gateway/{version}/apps/{appId}/members/{userId}": .erase,
        "GET /tcgb-member/{version}/apps/{appId}/logs/withdrawal": .erase,
        "GET /tcgb-launching/{version}/apps/{appId}/launching/simple": .check,
        "GET /tcgb-launching/{version}/apps/{appId}/maintenances/under-maintenance": .check,
    ]

    /// A key for each scope.
    private func keys(_ server: TestServer) async throws -> [SecretKeyScope: String] {
        var keys: [SecretKeyScope: String] = [:]
        for scope in SecretKeyScope.allCases {
            keys[scope] = try await server.run(CreateSecret(name: "\(scope)", scopes: [scope])).secretValue
        }
        server.clock.advance(seconds: 1)
        return keys
    }

    @Test(
        "KEY-1: every call of a game server names its scope, and a key without it is refused with 5 and the reason",
        arguments: Engine.ofDoors)
    func everyEndpoint(engine: Engine) async throws {
        let endpoints = GameServerEndpoints.all
        let named = endpoints.map { ("\($0.verb.rawValue) \($0.template)", $0.scope) }
        #expect(Dictionary(uniqueKeysWithValues: named) == Self.scopes)
        #expect(AnyEndpoint.all.allSatisfy { ($0.scope != nil) == $0.template.hasPrefix("/v1/server/") })
        try await TestServer.open(on: engine) { server in
            for (scope, key) in try await keys(server) {
                for endpoint in endpoints {
                    let answer = try await server.send(
                        TestCall(
                            path: TestCall.path(endpoint.template), headers: [HeaderNames.secretKey: key], body: "{}"))
                    if endpoint.scope == scope {
                        #expect(![5, nil].contains(answer.code) || answer.status == 200, "\(endpoint.template)")
                    } else {
                        #expect(answer.status == 403 && answer.code == 5, "\(scope) \(endpoint.template)")
                        #expect(answer.reason == "scope")
                        #expect(!answer.text.contains(key))
                    }
                }
            }
            #expect(server.audit.events.contains("secret-key.refused"))
        }
    }

    @Test(
        "KEY-1: so does every call of Gamebase's Server API, in every version, with the code of a wrong secret key",
        arguments: Engine.ofDoors)
    func everyServerAPICall(engine: Engine) async throws {
        var named: [String: SecretKeyScope] = [:]
        for endpoint in ServerAPIEndpoint.all {
            guard case .secretKey(let scope) = endpoint.access else { continue }
            named["\(endpoint.method) \(endpoint.template)"] = scope
        }
        #expect(named == Self.serverAPIScopes)
        try await TestServer.open(on: engine) { server in
            for (scope, key) in try await keys(server) {
                for endpoint in ServerAPIEndpoint.all {
                    guard case .secretKey(let needed) = endpoint.access else { continue }
                    for version in endpoint.versions {
                        let path = String(endpoint.template.dropFirst("/tcgb-".count))
                            .replacing("{version}", with: version.rawValue).replacing("{appId}", with: "{a}")
                            .replacing("{userId}", with: "NOBODY").replacing("{accessToken}", with: "T")
                            .replacing("{idPCode}", with: "google")
                        let answer = try await server.tcgb(endpoint.method, path, secret: key)
                        #expect((answer.code == -4_010_004) == (scope != needed), "\(scope) \(path)")
                        guard scope != needed else { continue }
                        #expect(answer.header["resultMessage"]?.stringValue?.contains("lacks the scope") == true)
                    }
                }
            }
        }
    }
}
