import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The limits for a device that guesses, which don't affect a player who only mistypes.
@Suite struct TransferAttemptTests {
    @Test(
        "TRANSFER-6: wrong ids and wrong passwords of one device count together, over all nodes, towards its block",
        arguments: Engine.available)
    func block(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let account = try await world.issue(for: world.guestPlayer())
            let device = TestDevice()
            let begin = world.clock.now
            #expect(try await world.redeem("000000000001", "Abcdefgh12", on: device).code == 3043)
            world.clock.advance(seconds: 60)
            #expect(try await world.redeem(account.id, "Wrong12345", on: device).code == 3044)
            try await world.onSecondNode { node in
                for (id, code) in [("000000000002", 3043), (account.id, 3044), ("000000000003", 3043)] {
                    let refused = try await node.redeem(id, "Wrong12345", on: device)
                    #expect(refused.code == code)
                }
            }
            // From now on every attempt is refused, even the right pair, and the response does not reveal which ids exist.
            for id in [account.id, "000000000004"] {
                let blocked = try await world.redeem(id, account.password?.secretValue ?? "", on: device)
                #expect(blocked.code == 3042)
                let block = try #require(blocked.details?.transferBlock)
                #expect(block.accountId == id)
                #expect(block.failCount == 5)
                #expect(block.blockEndDate == world.clock.now.milliseconds + 3_600_000)
                #expect(block.registrationDate == begin.milliseconds)
            }
            world.clock.advance(seconds: 3_599)
            #expect(try await world.redeem(account, on: device).code == 3042)
            // The device has all attempts again, the last of which may be right.
            world.clock.advance(seconds: 1)
            for _ in 0..<4 { #expect(try await world.redeem("000000000005", "Abcdefgh12", on: device).code == 3043) }
            #expect(try await world.redeem(account, on: device).status == 200)
        }
    }

    @Test(
        "TRANSFER-6, TRF-5: the block is this device's in this app, and a right pair ends its count",
        arguments: Engine.available)
    func inARow(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            for _ in 0..<2 {
                for _ in 0..<4 {
                    #expect(try await world.redeem("000000000001", "Abcdefgh12", on: device).code == 3043)
                }
                let account = try await world.issue(for: world.guestPlayer())
                #expect(try await world.redeem(account, on: device).status == 200)
                world.clock.advance(seconds: 60)
            }
            for _ in 0..<5 { #expect(try await world.redeem("000000000001", "Abcdefgh12", on: device).code == 3043) }
            #expect(try await world.redeem("000000000001", "Abcdefgh12", on: device).code == 3042)
            let elsewhere = try await world.call(
                Endpoints.redeemTransferAccount, TransferRedemption(id: "000000000001", password: "Abcdefgh12"),
                by: device, app: World.otherApp)
            #expect(elsewhere.code == 3043)
            let account = try await world.issue(for: world.guestPlayer())
            #expect(try await world.redeem(account, on: TestDevice()).status == 200)
        }
    }

    @Test("TRANSFER-6: of many attempts at once the policy's number is looked at", arguments: Engine.available)
    func together(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let codes = try await GatehouseServerTests.together(12) { number in
                try await world.redeem("0000000000\(10 + number)", "Abcdefgh12", on: device).code
            }
            #expect(codes.count { $0 == 3043 } == 5, "\(codes)")
            #expect(codes.count { $0 == 3042 } == 7, "\(codes)")
        }
    }

    @Test(
        "A device that has failed is forgotten after a day, and not before its block ends", arguments: Engine.available)
    func forgotten(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.run(
                ChangeAccountPolicy { policy in
                    policy.transfer?.attempts = 2
                    policy.transfer?.blockSeconds = 2 * 86_400
                })
            world.clock.advance(seconds: 1)
            let (typist, guesser) = (TestDevice(), TestDevice())
            #expect(try await world.redeem("000000000001", "Abcdefgh12", on: typist).code == 3043)
            for _ in 0..<2 { #expect(try await world.redeem("000000000001", "Abcdefgh12", on: guesser).code == 3043) }
            let rows: SQL = "SELECT COUNT(*) FROM transfer_attempts"
            try await world.sweep()
            #expect(try await world.count(rows) == 2)
            world.clock.advance(seconds: 86_401)
            // Even if the sweeper has not run, the count starts again a day later.
            #expect(try await world.redeem("000000000001", "Abcdefgh12", on: typist).code == 3043)
            #expect(try await world.redeem("000000000001", "Abcdefgh12", on: guesser).code == 3042)
            world.clock.advance(seconds: 86_400)
            try await world.sweep()
            #expect(try await world.count(rows) == 1)
            world.clock.advance(seconds: 86_400)
            try await world.sweep()
            #expect(try await world.count(rows) == 0)
        }
    }

    @Test(
        "TRANSFER-6: who knows the password of an account that is over is told so each time, and never blocked",
        arguments: Engine.available)
    func over(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let used = try await world.issue(for: world.guestPlayer())
            #expect(try await world.redeem(used, on: TestDevice()).status == 200)
            for _ in 0..<7 { #expect(try await world.redeem(used, on: device).code == 3048) }
            let expired = try await world.issue(for: world.guestPlayer())
            world.clock.advance(seconds: 30 * 86_400)
            for _ in 0..<7 { #expect(try await world.redeem(expired, on: device).code == 3041) }
        }
    }

    @Test(
        "TRANSFER-8, TRANSFER-1: transfer keys need no policy of accounts, and have a switch of their own",
        arguments: Engine.available)
    func keysAlone(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            @Sendable func issue() async throws -> TestAnswer {
                try await world.call(Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: 60), by: guest)
            }
            @Sendable func redeem(_ key: TransferKeySecret) async throws -> TestAnswer {
                try await world.call(
                    Endpoints.redeemTransferKey, TransferKeyRedemption(transferKey: key), by: TestDevice())
            }
            _ = try await world.run(ChangeAccountPolicy { $0.transfer = nil })
            world.clock.advance(seconds: 1)
            let key = try await issue().decoded(as: TransferKey.self).transferKey
            // Existing keys are disabled too; accounts are not affected.
            _ = try await world.run(
                ChangeAccountPolicy { policy in
                    policy.transferKeys = false
                    policy.transfer = TransferPolicy()
                })
            world.clock.advance(seconds: 1)
            #expect(try await issue().code == 3045)
            #expect(try await redeem(key).code == 3045)
            _ = try await world.issue(for: guest)
            _ = try await world.run(ChangeAccountPolicy { $0.transferKeys = true })
            world.clock.advance(seconds: 1)
            #expect(try await redeem(key).decoded(as: Login.self).member.userId == guest.user)
        }
    }

    @Test(
        "An operator sees, unblocks and reissues a guest's transfer account, and the audit log tells of it",
        arguments: Engine.available)
    func operators(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let user = guest.user
            #expect(try await world.run(ReadTransferReport(user: user)) == nil)
            await #expect(throws: Refusal.self) {
                _ = try await world.run(UnblockTransferAccount(user: user), reason: "r")
            }
            await #expect(throws: Refusal.self) {
                _ = try await world.run(ReissueTransferAccount(target: .password, user: user), reason: "r")
            }
            // The player has lost the device before a pair was issued.
            let first = try await world.run(ReissueTransferAccount(target: .idAndPassword, user: user), reason: "r")
            #expect(try await !world.run(UnblockTransferAccount(user: user), reason: "r"))
            for _ in 0..<5 { #expect(try await world.redeem(first.id, "Wrong12345", on: TestDevice()).code == 3044) }
            let report = try #require(try await world.run(ReadTransferReport(user: user)))
            #expect(report.account.id == first.id)
            #expect(report.account.password == nil)
            #expect(report.failedAttempts == 5)
            #expect(report.blockedUntil == world.clock.now.adding(seconds: 3_600))
            #expect(try await world.redeem(first, on: TestDevice()).code == 3042)
            #expect(try await world.run(UnblockTransferAccount(user: user), reason: "4711"))

            let second = try await world.run(ReissueTransferAccount(target: .password, user: user), reason: "r")
            #expect(second.id == first.id)
            #expect(try await world.redeem(first, on: TestDevice()).code == 3044)
            #expect(try await world.redeem(second, on: TestDevice()).status == 200)
            #expect(
                try await world.history(user).suffix(4) == [
                    "transfer.blocked", "transfer.unblocked", "transfer.reissued", "transfer.redeemed",
                ])
            let audit = try await world.database.read { tx in
                try tx.rows("SELECT event FROM audit_log WHERE user_id = \(user) ORDER BY audit_id") {
                    try $0[0] as String
                }
            }
            #expect(audit == ["transfer.reissued", "transfer.unblocked", "transfer.reissued"])
            let dump = try await world.dump()
            for password in [first, second].compactMap(\.password?.secretValue) {
                #expect(!dump.contains(password))
                #expect(!world.audit.text.contains(password))
            }
            let mapped = try await world.logIn(.google, "alice")
            await #expect(throws: Refusal.self) {
                _ = try await world.run(ReissueTransferAccount(target: .idAndPassword, user: mapped.user), reason: "r")
            }
        }
    }

    @Test(
        "TRANSFER-6: the right pair never leads to a block, whatever else refuses the transfer",
        arguments: Engine.available)
    func rightPair(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let account = try await world.issue(for: guest)
            let device = TestDevice()
            try await world.run(SetStatus(status: .maintenance, message: ["en": "Closed."]))
            world.clock.advance(seconds: 1)
            for _ in 0..<7 { #expect(try await world.redeem(account, on: device).code == 3701) }
            try await world.run(SetStatus(status: .inService, message: [:]))
            world.clock.advance(seconds: 1)
            _ = try await world.run(BanMembers([guest.user], until: nil), reason: "x")
            for _ in 0..<7 { #expect(try await world.redeem(account, on: device).code == 7) }
            _ = try await world.run(ReleaseBans(users: [guest.user]), reason: "appeal")
            #expect(try await world.redeem(account, on: device).status == 200)
        }
    }

    @Test(
        "TRANSFER-6: a game server that asks about an account which is over blocks nobody",
        arguments: Engine.available)
    func validation(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let account = try await world.issue(for: world.guestPlayer())
            let password = try #require(account.password?.secretValue)
            world.clock.advance(seconds: 31 * 86_400)
            for _ in 0..<7 {
                let answer = try await world.tcgb(
                    .post, "gateway/v1.3/apps/{a}/members/transfer-account",
                    body: #"{"account": {"id": "\#(account.id)", "password": "\#(password)"}}"#)
                #expect(answer.code == -4_100_403)
            }
            #expect(try await world.redeem(account, on: TestDevice()).code == 3041)
        }
    }
}
