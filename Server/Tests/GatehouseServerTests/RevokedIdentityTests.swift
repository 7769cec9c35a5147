import FakeProviders
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

/// A player whose only provider has reported that the consent was revoked.
@Suite struct RevokedIdentityTests {
    @Test("An expired token of the session that has ended is accepted for the withdrawal, and for nothing else")
    func withdrawal() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let player = try await server.logIn(.apple, "alice")
            let other = try await server.logIn(.google, "other")
            let (headers, body) = try server.idps.signal(.apple, "consent-revoked", of: "alice")
            let report = try await server.send(
                TestCall(
                    path: Endpoints.path(Endpoints.signal, of: .apple, app: TestServer.app), headers: headers,
                    body: String(decoding: body, as: UTF8.self)))
            #expect(report.status == 200)
            let ended = try await server.heartbeat(player.device, player.access)
            #expect(ended.code == 3011 && ended.reason == "consent_revoked")
            server.clock.advance(seconds: 12 * 3_600)
            #expect(try await server.call(Endpoints.withdraw, Empty(), by: other).reason == "token_expired")
            #expect(try await server.call(Endpoints.requestWithdrawal, Empty(), by: player).reason == "token_expired")
            #expect(try await server.call(Endpoints.withdraw, Empty(), by: player).status == 200)
        }
    }
}
