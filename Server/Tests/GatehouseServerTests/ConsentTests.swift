import FakeProviders
import GatehouseCore
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

/// When a player's consent is revoked at the provider.
@Suite struct ConsentTests {
    @Test(
        "WITHDRAW-1: a later login that brings nothing to revoke by leaves what an earlier one has brought, for that alone"
    )
    func earlierTokens() async throws {
        try await World.open(on: .sqlite) { world in
            let credential = try world.idps.credential(.apple, for: "alice")
            #expect(try await world.call(Endpoints.logIn, credential, by: TestDevice()).status == 200)
            let refreshToken = world.idps.accessToken(.apple, for: "alice", kind: "refresh").secretValue
            var player = try await world.logIn(.apple, "alice")
            for _ in 0..<2 {
                world.clock.advance(seconds: 1)
                player = try await world.logIn(.apple, "alice")
                let profile = try await world.askProfile(player, .apple).decoded(as: ProviderProfile.self)
                #expect(profile.accessToken == nil)
            }
            _ = try await world.call(Endpoints.withdraw, Empty(), by: player)
            #expect(try await world.runJobs() == 1)
            #expect(world.idps.revoked == [refreshToken])
        }
    }
}
