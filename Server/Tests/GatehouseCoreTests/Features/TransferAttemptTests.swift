import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// The limits for a device that guesses, which don't affect a player who only mistypes.
@Suite struct TransferAttemptTests {
    @Test(
        "TRANSFER-6: wrong ids and wrong passwords of one device count together, over all nodes, towards its block",
        arguments: Engine.available)
    func block(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let account = try await core.guest().run(IssueTransferAccount())
            let tablet = core.device("tablet")
            let begin = core.clock.now
            #expect(await code { try await tablet.redeem("000000000001", "A") } == .authTransferAccountInvalidID)
            core.clock.advance(seconds: 60)
            #expect(await code { try await tablet.redeem(account.id, "A") } == .authTransferAccountInvalidPassword)
            let node = tablet.on(try core.restarted())
            for id in ["000000000002", account.id, "000000000003"] {
                #expect(
                    await code { try await node.redeem(id, "A") }
                        == (id == account.id ? .authTransferAccountInvalidPassword : .authTransferAccountInvalidID))
            }
            // From now on every attempt is refused, even the right pair, and no answer reveals which ids exist.
            for id in [account.id, "000000000004"] {
                let blocked = await refusal { try await tablet.redeem(id, account.password ?? "none") }
                #expect(blocked?.code == .authTransferAccountBlock)
                let block = try #require(blocked?.details.transferBlock)
                #expect(block.accountId == id)
                #expect(block.failCount == 5)
                #expect(block.blockEndDate == core.clock.in(seconds: 3_600))
                #expect(block.registrationDate == begin.milliseconds)
            }
            core.clock.advance(seconds: 3_599)
            #expect(await code { try await tablet.redeem(account) } == .authTransferAccountBlock)
            // The device has all attempts again, the last of which may be right.
            core.clock.advance(seconds: 1)
            for _ in 0..<4 {
                #expect(await code { try await tablet.redeem("000000000005", "A") } == .authTransferAccountInvalidID)
            }
            try await tablet.redeem(account)
        }
    }

    @Test("TRANSFER-6, TRF-5: a block is the device's alone, and a right pair ends its count")
    func inARow() async throws {
        try await TestCore.open { core in
            let tablet = core.device("tablet")
            func guess() async -> ErrorCode? { await code { try await tablet.redeem("000000000001", "A") } }
            for round in 0..<2 {
                for _ in 0..<4 { #expect(await guess() == .authTransferAccountInvalidID) }
                let account = try await core.guest("phone\(round)").run(IssueTransferAccount())
                try await tablet.redeem(account)
                core.clock.advance(seconds: 60)
            }
            for _ in 0..<5 { #expect(await guess() == .authTransferAccountInvalidID) }
            #expect(await guess() == .authTransferAccountBlock)
            let account = try await core.guest("phone").run(IssueTransferAccount())
            try await core.device("console").redeem(account)
        }
    }

    @Test(
        "A device that has failed is forgotten after a day, and not before its block ends", arguments: Engine.available)
    func forgotten(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await core.operator().run(
                SetTransferPolicy { policy in
                    policy.transfer?.attempts = 2
                    policy.transfer?.blockSeconds = 2 * 86_400
                })
            let (typist, guesser) = (core.device("typist"), core.device("guesser"))
            func guess(_ device: Device) async -> ErrorCode? {
                await code { try await device.redeem("000000000001", "A") }
            }
            func rows() async throws -> Int { try await core.count("SELECT COUNT(*) FROM transfer_attempts") }
            #expect(await guess(typist) == .authTransferAccountInvalidID)
            for _ in 0..<2 { #expect(await guess(guesser) == .authTransferAccountInvalidID) }
            try await core.sweep()
            #expect(try await rows() == 2)
            core.clock.advance(seconds: 86_401)
            // Even if the sweeper has not run, the count starts again a day later.
            #expect(await guess(typist) == .authTransferAccountInvalidID)
            #expect(await guess(guesser) == .authTransferAccountBlock)
            for left in [1, 0] {
                core.clock.advance(seconds: 86_400)
                try await core.sweep()
                #expect(try await rows() == left)
            }
        }
    }

    @Test("TRANSFER-6: who knows the password of an account that is over is told so each time, and never blocked")
    func over() async throws {
        try await TestCore.open { core in
            let used = try await core.guest("one").run(IssueTransferAccount())
            try await core.device("console").redeem(used)
            let expired = try await core.guest("two").run(IssueTransferAccount())
            let tablet = core.device("tablet")
            for _ in 0..<7 { #expect(await code { try await tablet.redeem(used) } == .authTransferAccountAlreadyUsed) }
            core.clock.advance(days: 30)
            for _ in 0..<7 { #expect(await code { try await tablet.redeem(expired) } == .authTransferAccountExpired) }
            // Nor does a game server that asks.
            let redemption = TransferRedemption(id: expired.id, password: try #require(expired.password))
            for _ in 0..<7 {
                let answer = await code {
                    try await core.gameServer().run(ValidateTransferAccount(redemption: redemption))
                }
                #expect(answer == .authTransferAccountExpired)
            }
            #expect(await code { try await tablet.redeem(expired) } == .authTransferAccountExpired)
        }
    }

    @Test("TRANSFER-6: the right pair never leads to a block, whatever else refuses the transfer")
    func rightPair() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let account = try await guest.run(IssueTransferAccount())
            let tablet = core.device("tablet")
            try await core.operator().run(SetStatus(status: .maintenance, message: [:]))
            for _ in 0..<7 { #expect(await code { try await tablet.redeem(account) } == .authNotPlayable) }
            try await core.operator().run(SetStatus(status: .inService, message: [:]))
            try await core.ban([guest.user])
            for _ in 0..<7 { #expect(await code { try await tablet.redeem(account) } == .bannedMember) }
            try await core.gameServer().run(ReleaseBans(users: [guest.user]))
            #expect(try await tablet.redeem(account).member.userId == guest.user)
        }
    }
}
