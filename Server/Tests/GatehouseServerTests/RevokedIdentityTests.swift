import FakeProviders
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

/// A player whose only provider has reported that the consent was revoked.
@Suite struct RevokedIdentityTests {
    @Test("An expired token of the session that has ended is accepted for the withdrawal, and for nothing else")
    func withdrawal() async throws {
        try await World.open(on: .sqlite) { world in
            let player = try await world.logIn(.apple, "alice")
            let other = try await world.logIn(.google, "other")
            let (headers, body) = try world.idps.signal(.apple, "consent-revoked", of: "alice")
            let report = try await world.send(
                TestCall(
                    path: Endpoints.path(Endpoints.signal, of: .apple, app: World.app), headers: headers,
                    body: String(decoding: body, as: UTF8.self)))
            #expect(report.status == 200)
            let ended = try await world.heartbeat(player.device, player.access)
            #expect(ended.code == 3011 && ended.reason == "consent_revoked")
            world.clock.advance(seconds: 12 * 3_600)
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: other).reason == "token_expired")
            #expect(try await world.call(Endpoints.requestWithdrawal, Empty(), by: player).reason == "token_expired")
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: player).status == 200)
        }
    }
}
