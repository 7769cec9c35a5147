import FakeProviders
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

/// The calls of withdrawals. Their rules are proven in `WithdrawalActionTests`.
@Suite struct WithdrawalTests {
    @Test(
        "WITHDRAW-1, WDR-3: at once, nothing leads to the member any more and nothing personal is left",
        arguments: Engine.available)
    func now(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let player = try await server.logIn(.google, "alice-at-google", accessToken: true)
            let facebook = try server.credential(.facebook, "alice-at-facebook", accessToken: true)
            #expect(try await server.call(Endpoints.addMapping, facebook, by: player).status == 200)
            var named = try server.credential(.apple, "alice-at-apple")
            named.personName = "Name On Device"
            #expect(try await server.call(Endpoints.addMapping, named, by: player).status == 200)
            #expect(try await server.begin(.google, by: player.device).status == 200)
            let account = try await server.issue(for: server.guestPlayer())
            #expect(try await server.redeem(account.id, "Abcdefgh12", on: player.device).code == 3044)
            #expect(try await server.call(Endpoints.withdraw, Empty(), by: player).status == 200)
            let refused = try await server.heartbeat(player.device, player.access)
            #expect(refused.code == 3011)
            #expect(refused.reason == "withdrawn")
            // Tokens are revoked by jobs, whose payload is encrypted until then, and empty afterwards.
            _ = try await server.runJobs()
            #expect(server.idps.revoked.count == 2)
            #expect(try await server.count("SELECT COUNT(*) FROM jobs WHERE sealed_payload IS NOT NULL") == 0)
            let dump = try await server.database.dump()
            for personal in [
                "alice-at-google", "alice-at-facebook", "alice-at-apple", "Name On Device", "Player alice",
                player.device.thumbprint.rawValue, player.device.jwk.x,
            ] {
                #expect(!dump.contains(personal), "\(personal)")
                #expect(!dump.contains(Base64URL.encode(personal.utf8)), "\(personal)")
            }
            #expect(!server.audit.text.contains("alice-at"))
        }
    }

    @Test(
        "WITHDRAW-2: a player requests a withdrawal, reads its end everywhere, and cancels it",
        arguments: Engine.ofDoors)
    func temporary(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let device = TestDevice()
            let player = try await server.guestPlayer(device)
            let pending = try await server.call(Endpoints.requestWithdrawal, Empty(), by: player)
                .decoded(as: MemberChange.self).member
            let end = server.clock.now.milliseconds + 7 * 86_400_000
            #expect(pending.status == .pendingWithdrawal)
            #expect(pending.temporaryWithdrawal?.gracePeriodDate == end)
            let last = try await server.logInWithLastProvider(device, player.login.session.refreshToken)
            #expect(try last.decoded(as: Login.self).member.temporaryWithdrawal?.gracePeriodDate == end)
            let heartbeat = try await server.heartbeat(device, player.access).decoded(as: Heartbeat.self)
            #expect(heartbeat.standing.memberStatus == .pendingWithdrawal)
            let back = try await server.call(Endpoints.cancelWithdrawal, Empty(), by: player)
                .decoded(as: MemberChange.self).member
            #expect(back.status == .normal)
            #expect(back.temporaryWithdrawal == nil)
            #expect(try await server.call(Endpoints.cancelWithdrawal, Empty(), by: player).code == 3603)
        }
    }
}
