import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

/// The calls of transfers. Their rules are proven in `TransferActionTests`, `TransferDeadlineTests` and `TransferAttemptTests`.
@Suite struct TransferTests {
    @Test(
        "TRANSFER-2, TRANSFER-3, TRANSFER-4: a guest issues, queries, renews and redeems a transfer account",
        arguments: Engine.ofDoors)
    func account(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let guest = try await server.guestPlayer()
            #expect(try await server.call(Endpoints.queryTransferAccount, Empty(), by: guest).code == 3046)
            let first = try await server.issue(for: guest)
            let query = try await server.call(Endpoints.queryTransferAccount, Empty(), by: guest)
                .decoded(as: TransferAccount.self)
            #expect(query.id == first.id)
            #expect(query.password == nil)
            let renewal = TransferRenewal.manual(id: "123456789012", password: "Zbcdefgh12")
            let renewed = try await server.call(Endpoints.renewTransferAccount, renewal, by: guest)
                .decoded(as: TransferAccount.self)
            #expect(renewed.id == "123456789012")
            #expect(renewed.password == "Zbcdefgh12")

            let device = TestDevice()
            #expect([3, 4].contains(try await server.redeem("a\u{0}", "a", on: device).code))
            #expect(try await server.redeem(renewed.id, "Wrong12345", on: device).code == 3044)
            let login = try await server.redeem(renewed, on: device).decoded(as: Login.self)
            #expect(login.member.userId == guest.user)
            #expect(try await server.member(device, login.session.accessToken).status == 200)
            #expect(try await server.heartbeat(guest.device, guest.access).reason == "transferred")
        }
    }

    @Test("TRANSFER-8: a guest issues a transfer key, and another device redeems it", arguments: Engine.ofDoors)
    func key(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let guest = try await server.guestPlayer()
            let key = try await server.call(Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: 60), by: guest)
                .decoded(as: TransferKey.self)
            #expect(key.expiryDate == server.clock.now.milliseconds + 60_000)
            let redemption = TransferKeyRedemption(transferKey: key.transferKey)
            let redeemed = try await server.call(Endpoints.redeemTransferKey, redemption, by: TestDevice())
            #expect(try redeemed.decoded(as: Login.self).member.userId == guest.user)
            #expect(
                try await server.call(Endpoints.redeemTransferKey, redemption, by: TestDevice()).code == 3032)
        }
    }

    @Test("TRANSFER-6, TRF-1: a block is told with its end", arguments: Engine.ofDoors)
    func block(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let account = try await server.issue(for: server.guestPlayer())
            for _ in 0..<5 { #expect(try await server.redeem(account.id, "Wrong12345", on: TestDevice()).code == 3044) }
            let blocked = try await server.redeem(account, on: TestDevice())
            #expect(blocked.code == 3042)
            let block = try #require(blocked.details?.transferBlock)
            #expect(block.accountId == account.id)
            #expect(block.blockEndDate == server.clock.now.milliseconds + 3_600_000)
        }
    }
}

extension TestServer {
    func issue(for player: Player) async throws -> TransferAccount {
        try await call(Endpoints.issueTransferAccount, Empty(), by: player).decoded(as: TransferAccount.self)
    }

    func redeem(_ id: String, _ password: String, on device: TestDevice) async throws -> TestAnswer {
        try await call(
            Endpoints.redeemTransferAccount, TransferRedemption(id: id, password: TransferPassword(password)),
            by: device)
    }

    func redeem(_ account: TransferAccount, on device: TestDevice) async throws -> TestAnswer {
        try await redeem(account.id, account.password?.secretValue ?? "", on: device)
    }
}
