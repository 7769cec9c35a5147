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
        try await TestServer.open(on: .sqlite) { server in
            let credential = try server.idps.credential(.apple, for: "alice")
            #expect(try await server.call(Endpoints.logIn, credential, by: TestDevice()).status == 200)
            let refreshToken = server.idps.accessToken(.apple, for: "alice", kind: "refresh").secretValue
            var player = try await server.logIn(.apple, "alice")
            for _ in 0..<2 {
                server.clock.advance(seconds: 1)
                player = try await server.logIn(.apple, "alice")
                let profile = try await server.askProfile(player, .apple).decoded(as: ProviderProfile.self)
                #expect(profile.accessToken == nil)
            }
            _ = try await server.call(Endpoints.withdraw, Empty(), by: player)
            #expect(try await server.runJobs() == 1)
            #expect(server.idps.revoked == [refreshToken])
        }
    }
}
