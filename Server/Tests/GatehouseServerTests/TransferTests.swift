import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct TransferTests {
    @Test("TRANSFER-1: for pure guests, where the app has a policy", arguments: Engine.available)
    func whoMay(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            #expect(try await world.call(Endpoints.queryTransferAccount, Empty(), by: guest).code == 3046)
            #expect(try await world.call(Endpoints.renewTransferAccount, .automatic(.password), by: guest).code == 3046)
            let mapped = try await world.logIn(.google, "alice")
            for answer in [
                try await world.call(Endpoints.issueTransferAccount, Empty(), by: mapped),
                try await world.call(Endpoints.queryTransferAccount, Empty(), by: mapped),
                try await world.call(Endpoints.renewTransferAccount, .automatic(.password), by: mapped),
                try await world.call(Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: 60), by: mapped),
            ] {
                #expect(answer.code == 9)
            }
            _ = try await world.run(ChangeAccountPolicy { $0.transfer = nil })
            world.clock.advance(seconds: 1)
            for answer in [
                try await world.call(Endpoints.issueTransferAccount, Empty(), by: guest),
                try await world.call(Endpoints.queryTransferAccount, Empty(), by: guest),
                try await world.call(Endpoints.renewTransferAccount, .automatic(.password), by: guest),
                try await world.call(
                    Endpoints.redeemTransferAccount, TransferRedemption(id: "1", password: "2"), by: TestDevice()),
            ] {
                #expect(answer.code == 3045)
            }
        }
    }

    @Test(
        "TRANSFER-2, TRANSFER-3, TRF-3: issue shows the password once, query never, and issuing again voids the old pair",
        arguments: Engine.available)
    func issueAndQuery(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let first = try await world.issue(for: guest)
            #expect(first.id.count == 12)
            #expect(first.id.allSatisfy { $0.isNumber })
            let password = try #require(first.password).secretValue
            #expect(password.count == 10)
            #expect(password.contains { $0.isLowercase })
            #expect(password.contains { $0.isUppercase })
            #expect(password.contains { $0.isNumber })
            #expect(first.issuedType == .automatic)
            #expect(first.transferAccountType == .once)
            #expect(first.expiryDate == world.clock.now.milliseconds + 30 * 86_400_000)

            let answer = try await world.call(Endpoints.queryTransferAccount, Empty(), by: guest)
            let query = try answer.decoded(as: TransferAccount.self)
            #expect(query.id == first.id)
            #expect(query.password == nil)
            #expect(!answer.text.contains(password))
            #expect(!(try await world.dump()).contains(password))

            let stored = try await world.database.read { tx in
                try tx.first("SELECT password_hash FROM transfer_accounts") { row in try row[0] as [UInt8] }
            }
            // Version, scrypt's cost and parallelism, the salt, the hash.
            #expect(stored?.prefix(3) == [2, 4, 5])
            #expect(stored?.count == 51)
            let second = try await world.issue(for: guest)
            #expect(second.id != first.id)
            #expect(try await world.redeem(first.id, password, on: TestDevice()).code == 3043)
            #expect(try await world.redeem(second, on: TestDevice()).status == 200)
            for secret in [password, first.id, second.password?.secretValue ?? ""] {
                #expect(!world.audit.text.contains(secret))
            }
        }
    }

    @Test("TRANSFER-4, TRF-5: four ways to renew, and the old pair is void at once", arguments: Engine.available)
    func renew(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let first = try await world.issue(for: guest)
            let renew = { (renewal: TransferRenewal) in
                try await world.call(Endpoints.renewTransferAccount, renewal, by: guest)
            }
            let password = try await renew(.automatic(.password)).decoded(as: TransferAccount.self)
            #expect(password.id == first.id)
            #expect(password.password != first.password)
            #expect(try await world.redeem(first, on: TestDevice()).code == 3044)
            let both = try await renew(.automatic(.idAndPassword)).decoded(as: TransferAccount.self)
            #expect(both.id != first.id)
            #expect(try await world.redeem(password, on: TestDevice()).code == 3043)
            let own = try await renew(.manual(password: "Abcdefgh12")).decoded(as: TransferAccount.self)
            #expect(own.id == both.id)
            #expect(own.issuedType == .manual)
            let ownBoth = try await renew(.manual(id: "123456789012", password: "Zbcdefgh12"))
                .decoded(as: TransferAccount.self)
            #expect(ownBoth.id == "123456789012")
            #expect(ownBoth.password == "Zbcdefgh12")

            // The player's own choice must satisfy the policy, and an id must be unique.
            for wrong in [
                "", "short1A", "alllowercase1", "ALLUPPERCASE1", "NoDigitsAtAll", "Abcdefgh12!", "Äbcdefgh12",
            ] {
                #expect(try await renew(.manual(password: TransferPassword(wrong))).code == 3)
            }
            for wrong in ["", "12345678901", "12345678901a", "１２３４５６７８９０１２"] {
                #expect(try await renew(.manual(id: wrong, password: "Abcdefgh12")).code == 3)
            }
            let other = try await world.guestPlayer()
            _ = try await world.issue(for: other)
            let taken = try await world.call(
                Endpoints.renewTransferAccount, .manual(id: "123456789012", password: "Abcdefgh12"), by: other)
            #expect(taken.code == 3047)
            #expect(try await world.redeem("123456789012", "Zbcdefgh12", on: TestDevice()).status == 200)
        }
    }

    @Test(
        "TRANSFER-5: the policy says what ids and passwords are made of, how often, how long",
        arguments: Engine.available)
    func policy(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.run(
                ChangeAccountPolicy { policy in
                    var transfer = TransferPolicy()
                    transfer.id = .init(.digitsAndUpper, length: 16)
                    transfer.password = .init(.lowerAndUpper, length: 20)
                    transfer.isSingleUse = false
                    transfer.lifetimeSeconds = nil
                    transfer.attempts = 2
                    transfer.blockSeconds = 600
                    policy.transfer = transfer
                })
            world.clock.advance(seconds: 1)
            let guest = try await world.guestPlayer()
            let account = try await world.issue(for: guest)
            #expect(account.id.count == 16)
            #expect(account.id.allSatisfy { $0.isNumber || $0.isUppercase })
            #expect(account.password?.secretValue.count == 20)
            #expect(account.transferAccountType == .unlimited)
            #expect(account.expiryDate == nil)
            // The transfer is repeated from device to device.
            for _ in 0..<3 { #expect(try await world.redeem(account, on: TestDevice()).status == 200) }
            for code in [3044, 3044, 3042] {
                #expect(try await world.redeem(account.id, "Wrong12345", on: TestDevice()).code == code)
            }
            world.clock.advance(seconds: 599)
            #expect(try await world.redeem(account, on: TestDevice()).code == 3042)
            world.clock.advance(seconds: 1)
            #expect(try await world.redeem(account, on: TestDevice()).status == 200)
            for (alphabet, length) in [(TransferPolicy.Alphabet.digits, 11), (.lowerAndUpper, 8), (.digits, 65)] {
                await #expect(throws: Refusal.self) {
                    _ = try await world.run(
                        ChangeAccountPolicy { policy in
                            policy.transfer?.password = .init(alphabet, length: length)
                        })
                }
            }
        }
    }

    @Test(
        "TRANSFER-7, TRF-4: the guest moves to the new device; the old one's sessions end, and it begins anew",
        arguments: Engine.available)
    func redeem(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let account = try await world.issue(for: guest)
            let device = TestDevice()
            let lost = try await world.guestPlayer(device)
            #expect(try await world.redeem(account, on: guest.device).code == 8)
            let login = try await world.redeem(account, on: device).decoded(as: Login.self)
            #expect(login.member.userId == guest.user)
            #expect(login.provider == .guest)
            #expect(login.member.mappings.map(\.subject) == [device.thumbprint.rawValue])
            #expect(try await world.member(device, login.session.accessToken).status == 200)
            #expect(try await world.guest(device).member.userId == guest.user)

            let old = try await world.heartbeat(guest.device, guest.access)
            #expect(old.code == 3011)
            #expect(old.reason == "transferred")
            #expect(
                try await world.logInWithLastProvider(guest.device, guest.login.session.refreshToken).reason
                    == "transferred")
            #expect(try await world.refresh(guest.device, guest.login.session.refreshToken).code == 3011)
            let again = try await world.guest(guest.device)
            #expect(again.member.userId != guest.user)

            // The guest that was there is frozen, and its sessions have ended.
            #expect(try await world.report(lost.user).member.status == .missing)
            #expect(try await world.member(device, lost.access).code == 3011)
            #expect(try await world.redeem(account, on: TestDevice()).code == 3048)
            #expect(
                try await world.history(guest.user) == ["member.created", "transfer.issued", "transfer.redeemed"])
            #expect(try await world.history(lost.user) == ["member.created", "member.frozen"])
        }
    }

    @Test(
        "TRANSFER-7: a guest that was lost by a transfer comes back by a transfer account of its own",
        arguments: Engine.available)
    func lostGuestComesBack(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let device = TestDevice()
            let lost = try await world.guestPlayer(device)
            let ownAccount = try await world.issue(for: lost)
            #expect(try await world.redeem(world.issue(for: guest), on: device).status == 200)
            let third = TestDevice()
            let back = try await world.redeem(ownAccount, on: third).decoded(as: Login.self)
            #expect(back.member.userId == lost.user)
            #expect(back.member.status == .normal)
            #expect(try await world.guest(device).member.userId == guest.user)
            #expect(try await world.history(lost.user).suffix(2) == ["member.restored", "transfer.redeemed"])
        }
    }

    @Test(
        "TRANSFER-6: expired, unknown, wrong, and a guest that has an identity provider meanwhile",
        arguments: Engine.available)
    func refusals(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let account = try await world.issue(for: guest)
            #expect(try await world.redeem("000000000000", "Abcdefgh12", on: TestDevice()).code == 3043)
            #expect(try await world.redeem(account.id, "Abcdefgh12", on: TestDevice()).code == 3044)
            let elsewhere = try await world.call(
                Endpoints.redeemTransferAccount,
                TransferRedemption(id: account.id, password: #require(account.password)), by: TestDevice(),
                app: World.otherApp)
            #expect(elsewhere.code == 3043)
            for (id, password) in [("", "a"), ("a", ""), (String(repeating: "1", count: 65), "a"), ("a\u{0}", "a")] {
                #expect([3, 4].contains(try await world.redeem(id, password, on: TestDevice()).code))
            }
            world.clock.advance(seconds: 30 * 86_400)
            #expect(try await world.redeem(account, on: TestDevice()).code == 3041)
            #expect(try await world.guest(guest.device).member.userId == guest.user)

            let other = try await world.guestPlayer()
            let second = try await world.issue(for: other)
            _ = try await world.mapped(.google, "alice", to: other)
            #expect(try await world.redeem(second, on: TestDevice()).code == 9)
        }
    }

    @Test(
        "TRANSFER-6, TRF-1: after too many wrong passwords it is blocked, also for the right one, and only for a while",
        arguments: Engine.available)
    func block(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let account = try await world.issue(for: guest)
            for _ in 0..<5 { #expect(try await world.redeem(account.id, "Wrong12345", on: TestDevice()).code == 3044) }
            let blocked = try await world.redeem(account, on: TestDevice())
            #expect(blocked.code == 3042)
            let block = try #require(blocked.details?.transferBlock)
            #expect(block.accountId == account.id)
            #expect(block.failCount == 5)
            #expect(block.blockEndDate == world.clock.now.milliseconds + 3_600_000)
            #expect(block.registrationDate == account.registrationDate)
            #expect(try await world.history(guest.user).last == "transfer.blocked")
            world.clock.advance(seconds: 3_599)
            #expect(try await world.redeem(account, on: TestDevice()).code == 3042)
            world.clock.advance(seconds: 1)
            for _ in 0..<4 { #expect(try await world.redeem(account.id, "Wrong12345", on: TestDevice()).code == 3044) }
            // The last permitted attempt may be right, and ends the count.
            #expect(try await world.redeem(account, on: TestDevice()).status == 200)
        }
    }

    @Test(
        "TRF-2, TRF-5: counters are each account's own, and the owner renews during a block",
        arguments: Engine.available)
    func ownCounters(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let victim = try await world.guestPlayer()
            let account = try await world.issue(for: victim)
            let attacker = try await world.guestPlayer()
            for _ in 0..<5 {
                #expect(try await world.redeem(account.id, "Wrong12345", on: TestDevice()).code == 3044)
                // The attacker's own successes reset nothing.
                #expect(try await world.redeem(world.issue(for: world.guestPlayer()), on: TestDevice()).status == 200)
            }
            #expect(try await world.redeem(account, on: TestDevice()).code == 3042)
            let renewed = try await world.call(Endpoints.renewTransferAccount, .automatic(.password), by: victim)
                .decoded(as: TransferAccount.self)
            #expect(try await world.redeem(renewed, on: attacker.device).status == 200)
        }
    }

    @Test(
        "LOGIN-13, REL-6: a redemption whose answer was lost is repeated, and moves the guest once",
        arguments: Engine.available)
    func repeated(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let account = try await world.issue(for: guest)
            let device = TestDevice()
            let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
            let headers = [HeaderNames.idempotencyKey: "0190aaaaaaaa-redeem"]
            let first = try await world.call(Endpoints.redeemTransferAccount, redemption, by: device, headers: headers)
            let second = try await world.call(Endpoints.redeemTransferAccount, redemption, by: device, headers: headers)
            #expect(first.status == 200)
            #expect(
                try first.decoded(as: Login.self).session.refreshToken
                    == second.decoded(as: Login.self).session.refreshToken)
            #expect(try await world.history(guest.user).count { $0 == "transfer.redeemed" } == 1)
        }
    }

    @Test("TRANSFER-8: transfer keys of old clients", arguments: Engine.available)
    func keys(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let issue = { (seconds: Int64) in
                try await world.call(Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: seconds), by: guest)
            }
            let redeem = { (key: TransferKeySecret, device: TestDevice) in
                try await world.call(Endpoints.redeemTransferKey, TransferKeyRedemption(transferKey: key), by: device)
            }
            for wrong: Int64 in [0, -1, .min, 30 * 86_400 + 1, .max] { #expect(try await issue(wrong).code == 3) }
            let key = try await issue(3_600).decoded(as: TransferKey.self)
            let letters = key.transferKey.secretValue
            #expect(letters.count == 8)
            #expect(letters.contains { $0.isLowercase })
            #expect(letters.contains { $0.isUppercase })
            #expect(letters.contains { $0.isNumber })
            #expect(key.expiryDate == world.clock.now.milliseconds + 3_600_000)
            #expect(!(try await world.dump()).contains(letters))
            #expect(try await redeem("1i9eiAi7", TestDevice()).code == 3033)
            #expect(try await redeem("", TestDevice()).code == 3033)
            #expect(try await redeem(key.transferKey, guest.device).code == 8)
            world.clock.advance(seconds: 3_600)
            #expect(try await redeem(key.transferKey, TestDevice()).code == 3031)
            let fresh = try await world.call(
                Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: 60),
                by: Player(device: guest.device, login: world.guest(guest.device))
            ).decoded(as: TransferKey.self)
            let device = TestDevice()
            let login = try await redeem(fresh.transferKey, device).decoded(as: Login.self)
            #expect(login.member.userId == guest.user)
            #expect(try await redeem(fresh.transferKey, TestDevice()).code == 3032)
            #expect(try await world.member(guest.device, guest.access).code == 3011)
        }
    }

    @Test(
        "TRANSFER-7, TRANSFER-8: a transfer key ends when its guest has moved, or an operator has restored it",
        arguments: Engine.available)
    func keyEnds(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            func key(_ player: Player) async throws -> TransferKeySecret {
                let request = TransferKeyRequest(validSeconds: 86_400)
                return try await world.call(Endpoints.issueTransferKey, request, by: player)
                    .decoded(as: TransferKey.self).transferKey
            }
            func redeem(_ key: TransferKeySecret, on device: TestDevice = TestDevice()) async throws -> Int? {
                try await world.call(
                    Endpoints.redeemTransferKey, TransferKeyRedemption(transferKey: key), by: device
                ).code
            }
            let guest = try await world.guestPlayer()
            let ofOldDevice = try await key(guest)
            let tablet = TestDevice()
            let displaced = try await world.guestPlayer(tablet)
            let ofDisplaced = try await key(displaced)
            #expect(try await world.redeem(world.issue(for: guest), on: tablet).status == 200)
            #expect(try await redeem(ofOldDevice, on: guest.device) == 3033)
            #expect(try await world.guest(tablet).member.userId == guest.user)

            // The new device's key is good, and so is that of the guest who was displaced, until an operator brings this guest back.
            let moved = Player(device: tablet, login: try await world.guest(tablet))
            let ofNewDevice = try await key(moved)
            _ = try await world.run(RestoreMember(user: displaced.user, provider: nil), reason: "asked")
            #expect(try await redeem(ofDisplaced) == 3033)
            #expect(try await world.guest(tablet).member.userId == displaced.user)
            #expect(try await redeem(ofNewDevice) == nil)
        }
    }
}

extension World {
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
