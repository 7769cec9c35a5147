import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What a policy of transfer accounts allows, and until when; and how guessing is bounded.
@Suite struct TransferDeadlineTests {
    private func redeem(
        _ account: TransferAccount, with password: TransferPassword? = nil, on name: String = "tablet", _ core: TestCore
    ) async throws -> Login {
        let password = try #require(password ?? account.password)
        let redemption = TransferRedemption(id: account.id, password: password)
        return try await core.device(name).caller.run(RedeemTransferAccount(redemption: redemption))
    }

    private func change(
        _ core: TestCore, _ change: @escaping @Sendable (inout TransferPolicy) -> Void
    ) async throws {
        try await core.operator().run(
            SetTransferPolicy { policy in
                var transfer = TransferPolicy()
                change(&transfer)
                policy.transfer = transfer
            })
    }

    // MARK: The block

    @Test("TRF-1, TRF-5: a block lasts as long as the policy says, and after it the count begins again")
    func block() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let account = try await guest.run(IssueTransferAccount())
            func guess(_ number: Int) async -> ErrorCode? {
                await code { try await redeem(account, with: "wrong", on: "d\(number)", core) }
            }
            for number in 1...4 { #expect(await guess(number) == .authTransferAccountInvalidPassword) }
            #expect(core.callLog.lines(.transferBlocked).isEmpty)
            #expect(await guess(5) == .authTransferAccountInvalidPassword)
            #expect(core.callLog.lines(.transferBlocked).count == 1)
            let blocked = await refusal { try await redeem(account, core) }
            #expect(blocked?.code == .authTransferAccountBlock)
            let block = try #require(blocked?.details.transferBlock)
            #expect(block.accountId == account.id && block.failCount == 5)
            #expect(block.blockEndDate == core.clock.in(seconds: 3_600))
            #expect(block.registrationDate == account.registrationDate)
            core.clock.advance(seconds: 3_599)
            #expect(await guess(6) == .authTransferAccountBlock)
            #expect(await code { try await redeem(account, core) } == .authTransferAccountBlock)
            core.clock.advance(seconds: 1)
            for number in 7...10 { #expect(await guess(number) == .authTransferAccountInvalidPassword) }
            #expect(try await redeem(account, core).member.userId == guest.user)
        }
    }

    @Test("TRF-5, TRANSFER-4: the owner of a blocked account renews it, and the new pair is not blocked")
    func renewal() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let account = try await guest.run(IssueTransferAccount())
            for number in 1...5 { _ = await code { try await redeem(account, with: "wrong", on: "d\(number)", core) } }
            #expect(await code { try await redeem(account, core) } == .authTransferAccountBlock)
            let renewed = try await guest.run(RenewTransferAccount(renewal: .automatic(.password)))
            #expect(renewed.id == account.id)
            #expect(await code { try await redeem(account, core) } == .authTransferAccountInvalidPassword)
            #expect(try await redeem(renewed, core).member.userId == guest.user)
        }
    }

    @Test("TRF-2, TRANSFER-6: a device's wrong ids block that device alone, for as long as the policy says")
    func device() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let account = try await guest.run(IssueTransferAccount())
            for number in 1...5 {
                let redemption = TransferRedemption(id: "00000000000\(number)", password: "Abcdefgh12")
                let guess = RedeemTransferAccount(redemption: redemption)
                #expect(
                    await code { try await core.device("tablet").caller.run(guess) } == .authTransferAccountInvalidID)
            }
            #expect(await code { try await redeem(account, core) } == .authTransferAccountBlock)
            let report = try await core.operator().run(.transferReport(of: guest.user))
            #expect(report?.failedAttempts == 0)
            core.clock.advance(seconds: 3_599)
            #expect(await code { try await redeem(account, core) } == .authTransferAccountBlock)
            core.clock.advance(seconds: 1)
            #expect(try await redeem(account, core).member.userId == guest.user)
        }
    }

    @Test("TRF-2: wrong passwords count for their own account, and a right one forgets them")
    func ownCounters() async throws {
        try await TestCore.open { core in
            let (one, two) = (try await core.guest("one"), try await core.guest("two"))
            let account = try await one.run(IssueTransferAccount())
            let other = try await two.run(IssueTransferAccount())
            @Sendable func failures(of guest: Player) async throws -> Int? {
                try await core.operator().run(.transferReport(of: guest.user))?.failedAttempts
            }
            for number in 1...4 { _ = await code { try await redeem(account, with: "wrong", on: "d\(number)", core) } }
            #expect(try await failures(of: one) == 4)
            #expect(try await failures(of: two) == 0)
            #expect(try await redeem(other, on: "d1", core).member.userId == two.user)
            #expect(try await failures(of: one) == 4)
            #expect(try await redeem(account, core).member.userId == one.user)
            #expect(try await failures(of: one) == 0)
        }
    }

    @Test("TRF-2, TRF-6: an app's wrong passwords of an hour are bounded over all devices, and its keys by themselves")
    func wrongTransfers() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let account = try await guest.run(IssueTransferAccount())
            try await core.changeLimits { $0.wrongTransfersPerHour = 2 }
            for number in 1...2 {
                let wrong = await code { try await redeem(account, with: "wrong", on: "d\(number)", core) }
                #expect(wrong == .authTransferAccountInvalidPassword)
            }
            #expect(await refusal { try await redeem(account, core) }?.status == 429)
            let key = RedeemTransferKey(redemption: TransferKeyRedemption(transferKey: "1i9eiAi7"))
            #expect(await code { try await core.device("d3").caller.run(key) } == .authTransferKeyNotExist)
            // The clock began at a full hour.
            core.clock.advance(seconds: 3_599)
            let late = await refusal { try await redeem(account, core) }
            #expect(late?.status == 429)
            #expect(late?.retryAfterSeconds == 1)
            core.clock.advance(seconds: 1)
            #expect(try await redeem(account, core).member.userId == guest.user)
        }
    }

    @Test("TRF-3: neither a password nor a transfer key is in the database or in a line")
    func atRest() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let password = try #require(try await guest.run(IssueTransferAccount()).password).secretValue
            let key = try await guest.run(IssueTransferKey(request: TransferKeyRequest(validSeconds: 600)))
            let hashes = try await core.database.rows(
                "SELECT password_hash FROM transfer_accounts UNION ALL SELECT key_hash FROM transfer_keys"
            ) { row in try row[0] as [UInt8] }
            #expect(hashes.count == 2)
            #expect(hashes.contains { PasswordHash(bytes: $0) != nil })
            for secret in [password, key.transferKey.secretValue] {
                for hash in hashes { #expect(!String(decoding: hash, as: UTF8.self).contains(secret)) }
                for line in core.callLog.lines { #expect(!line.subject.values.contains { $0.contains(secret) }) }
            }
            // Two guests with the same password have different hashes.
            try await guest.run(
                RenewTransferAccount(renewal: .manual(id: "123456789012", password: "Abcdefgh12")))
            try await core.guest("other").run(IssueTransferAccount())
            try await core.guest("other").run(
                RenewTransferAccount(renewal: .manual(id: "123456789013", password: "Abcdefgh12")))
            let equal = try await core.database.rows("SELECT password_hash FROM transfer_accounts") { row in
                try row[0] as [UInt8]
            }
            #expect(equal.count == 2 && equal[0] != equal[1])
        }
    }

    @Test("TRF-3: an unknown id costs a slow hash as a known one does: without the hasher, neither gets an answer")
    func unknownID() async throws {
        try await TestCore.open { core in
            let account = try await core.guest().run(IssueTransferAccount())
            await core.services.hasher.close()
            for id in [account.id, "unknown"] {
                let redemption = TransferRedemption(id: id, password: "Abcdefgh12")
                let redeem = RedeemTransferAccount(redemption: redemption)
                #expect(await refusal { try await core.device("tablet").caller.run(redeem) }?.reason == .overloaded)
                let validate = ValidateTransferAccount(redemption: redemption)
                #expect(await refusal { try await core.gameServer().run(validate) }?.reason == .overloaded)
            }
        }
    }

    // MARK: The policy

    @Test("TRANSFER-4: a pair is renewed in four ways, and the old one is void at once")
    func fourWays() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let renewals: [TransferRenewal] = [
                .automatic(.password), .automatic(.idAndPassword), .manual(password: "Password12"),
                .manual(id: "123456789012", password: "Abcdefgh12"),
            ]
            #expect(
                await code { try await guest.run(RenewTransferAccount(renewal: renewals[0])) }
                    == .authTransferAccountNotExist)
            var old = try await guest.run(IssueTransferAccount())
            for (number, renewal) in renewals.enumerated() {
                let new = try await guest.run(RenewTransferAccount(renewal: renewal))
                #expect((new.id == old.id) == (renewal.target == .password))
                #expect(renewal.id == nil || new.id == renewal.id)
                #expect(new.password != old.password)
                #expect(renewal.password == nil || new.password == renewal.password)
                let void = await code { try await redeem(old, on: "d\(number)", core) }
                #expect(
                    void
                        == (new.id == old.id ? .authTransferAccountInvalidPassword : .authTransferAccountInvalidID))
                old = new
            }
            // Another guest does not get an id that is taken.
            let other = try await core.guest("other")
            try await other.run(IssueTransferAccount())
            let taken = await code { try await other.run(RenewTransferAccount(renewal: renewals[3])) }
            #expect(taken == .authTransferAccountAlreadyExistID)
            #expect(try await redeem(old, core).member.userId == guest.user)
        }
    }

    @Test("TRANSFER-5: an account counts until the last second of its life, and as often as the policy says")
    func lifetime() async throws {
        try await TestCore.open { core in
            try await change(core) { policy in
                policy.lifetimeSeconds = 60
                policy.isSingleUse = false
            }
            let guest = try await core.guest()
            let account = try await guest.run(IssueTransferAccount())
            #expect(account.expiryDate == core.clock.in(seconds: 60))
            #expect(try await redeem(account, on: "tablet", core).member.userId == guest.user)
            core.clock.advance(seconds: 59)
            #expect(try await redeem(account, on: "console", core).member.userId == guest.user)
            core.clock.advance(seconds: 1)
            #expect(await code { try await redeem(account, on: "tablet", core) } == .authTransferAccountExpired)
            try await change(core) { $0.lifetimeSeconds = nil }
            let moved = try await core.guest("console")
            #expect(moved.user == guest.user)
            let once = try await moved.run(IssueTransferAccount())
            #expect(once.expiryDate == nil)
            core.clock.advance(days: 1_000)
            #expect(try await redeem(once, on: "tablet", core).member.userId == guest.user)
            #expect(await code { try await redeem(once, on: "phone", core) } == .authTransferAccountAlreadyUsed)
        }
    }

    @Test("TRANSFER-5: a policy says how many attempts there are, and how long a block lasts; its pair may count often")
    func attempts() async throws {
        try await TestCore.open { core in
            try await change(core) { policy in
                policy.attempts = 2
                policy.blockSeconds = 600
                policy.isSingleUse = false
            }
            let guest = try await core.guest()
            let account = try await guest.run(IssueTransferAccount())
            #expect(account.transferAccountType == .unlimited)
            for number in 1...3 {
                #expect(try await redeem(account, on: "device\(number)", core).member.userId == guest.user)
            }
            for number in 1...2 {
                let wrong = await code { try await redeem(account, with: "wrong", on: "d\(number)", core) }
                #expect(wrong == .authTransferAccountInvalidPassword)
            }
            core.clock.advance(seconds: 599)
            #expect(await code { try await redeem(account, core) } == .authTransferAccountBlock)
            core.clock.advance(seconds: 1)
            #expect(try await redeem(account, core).member.userId == guest.user)
        }
    }

    @Test("TRANSFER-5: a policy is taken within its bounds, and its letters make the pairs")
    func bounds() async throws {
        try await TestCore.open { core in
            let bad: [@Sendable (inout TransferPolicy) -> Void] = [
                { $0.attempts = 0 }, { $0.attempts = 100 }, { $0.blockSeconds = 0 }, { $0.blockSeconds = 31_536_001 },
                { $0.lifetimeSeconds = 59 }, { $0.lifetimeSeconds = 315_360_001 },
                { $0.id = .init(.digits, length: 11) }, { $0.password = .init(.digitsAndLower, length: 9) },
                { $0.password = .init(.lowerAndUpper, length: 8) }, { $0.id = .init(.digits, length: 65) },
            ]
            for bad in bad { #expect(await code { try await change(core, bad) } == .invalidParameter) }
            try await change(core) { policy in
                policy.attempts = 99
                policy.blockSeconds = 31_536_000
                policy.lifetimeSeconds = 315_360_000
                policy.id = .init(.lowerAndUpper, length: 9)
                policy.password = .init(.digits, length: 12)
            }
            let account = try await core.guest().run(IssueTransferAccount())
            let password = try #require(account.password).secretValue
            #expect(account.id.utf8.count == 9)
            #expect(account.id.contains(where: \.isLowercase) && account.id.contains(where: \.isUppercase))
            #expect(password.utf8.count == 12 && password.allSatisfy(\.isNumber))
            for id in ["abcdefgHI", "abcdefghijkl", "abcdefgH", "abcdefg1H", "abcdéfgHI"] {
                #expect(
                    TransferCodeGenerator.satisfies(id, .init(.lowerAndUpper, length: 9)) == (id == "abcdefgHI"),
                    "\(id)")
            }
        }
    }

    @Test("TRANSFER-8: a transfer key counts until its last second, and lives for 1 second to 30 days")
    func keys() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            @Sendable func issue(_ seconds: Int64) async throws -> TransferKey {
                try await guest.run(IssueTransferKey(request: TransferKeyRequest(validSeconds: seconds)))
            }
            for seconds in [Int64(0), -1, 30 * 86_400 + 1, .max] {
                #expect(await code { try await issue(seconds) } == .invalidParameter)
            }
            #expect(try await issue(30 * 86_400).expiryDate == core.clock.in(seconds: 30 * 86_400))
            let key = try await issue(600).transferKey
            #expect(key.secretValue.utf8.count == 8)
            core.clock.advance(seconds: 599)
            let use = RedeemTransferKey(redemption: TransferKeyRedemption(transferKey: key))
            #expect(try await core.device("tablet").caller.run(use).member.userId == guest.user)
        }
    }
}
