import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Races over one account, on two nodes with separate connections. Races of two mappings are in ``MappingRaceTests``.
@Suite(.serialized) struct AccountRaceTests {
    @Test("MAP-4: a guest that maps two providers at once has both, and no guest identity", arguments: Engine.available)
    func twoUpgrades(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let guest = try await core.guest()
            _ = try await together(2) { number in
                try await guest.on(number == 0 ? core : second)
                    .addMapping(number == 0 ? .naver : .twitter, of: "alice")
            }
            #expect(try await Set(core.member(guest.user).mappings.map(\.provider)) == [.naver, .twitter])
            try await core.expectInvariants()
        }
    }

    @Test(
        "LNK-2: two tickets for one identity, used at once by two members: one of them gets it",
        arguments: Engine.available)
    func twoTickets(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            for round in 0..<10 {
                _ = try await core.player("alice\(round)", .twitter, on: "tablet\(round)")
                let players = [try await core.guest("one\(round)"), try await core.guest("two\(round)").on(second)]
                let tickets = try await together(2) { number in
                    try #require(try await players[number].ticket(for: .twitter, of: "alice\(round)"))
                }
                let codes = try await together(2) { number in
                    await code { try await players[number].run(ForceMapping(ticket: tickets[number])) }
                }
                #expect(Set(codes) == [nil, .authAddMappingForciblyDifferentAuthKey])
            }
            try await core.expectInvariants()
        }
    }

    @Test("LNK-2: one ticket used twenty times at once, in both ways, counts once", arguments: Engine.available)
    func oneTicket(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let guest = try await core.guest()
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            let codes = try await together(20) { number in
                let player = guest.on(number % 2 == 0 ? core : second)
                return await code {
                    // Moving the identity here, and logging in as the other member.
                    if number % 4 < 2 {
                        _ = try await player.run(ForceMapping(ticket: ticket))
                    } else {
                        _ = try await player.run(ChangeLogin(ticket: ticket))
                    }
                }
            }
            #expect(codes.count { $0 == nil } == 1)
            // Later calls found that the ticket was used, their session had ended, or the identity was already here.
            let others: Set<ErrorCode?> = [
                nil, .authAddMappingForciblyAlreadyUsedKey, .authInvalidGatehouseToken,
                .authAddMappingAlreadyHasSameIDP,
            ]
            #expect(Set(codes).isSubset(of: others), "\(codes)")
            let owner = try await core.player("alice", .twitter, on: "console").user
            #expect([guest.user, alice.user].contains(owner))
            try await core.expectInvariants()
        }
    }

    @Test("MAP-4: a guest that is mapped while it logs in has no guest's session left", arguments: Engine.available)
    func mappingAgainstLogins(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            for round in 0..<20 {
                let guest = try await core.guest("phone\(round)")
                _ = try await together(4) { number in
                    let node = number % 2 == 0 ? core : second
                    // A login that came after the mapping is a new guest's.
                    if number == 0 {
                        _ = try await guest.addMapping(.naver, of: "alice\(round)")
                    } else {
                        _ = try await guest.device.on(node).logIn()
                    }
                }
                #expect(try await core.member(guest.user).mappings.map(\.provider) == [.naver])
            }
            try await core.expectInvariants()
            // Game servers that check signatures themselves are told of each.
            let untold = try await core.count(
                """
                SELECT COUNT(*) FROM sessions s
                WHERE s.end_reason = \(ErrorReason.identityRemoved.rawValue) AND NOT EXISTS (
                    SELECT 1 FROM revocations r WHERE r.session_id = s.session_id)
                """)
            #expect(untold == 0)
        }
    }

    // MARK: Transfers

    @Test(
        "TRF-4: one transfer account redeemed by twenty devices at once moves the guest once",
        arguments: Engine.available)
    func oneTransfer(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            try await core.operator().run(SetTransferPolicy { $0.transfer?.attempts = 99 })
            core.clock.advance(seconds: 1)
            let guest = try await core.guest()
            let account = try await guest.run(IssueTransferAccount())
            let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
            let codes = try await together(20) { number in
                // Each has an address of its own, which has a share of the hasher.
                var caller = (number % 2 == 0 ? core : second).device("device\(number)").caller
                caller.address = "192.0.2.\(number + 10)"
                return await code { try await caller.run(RedeemTransferAccount(redemption: redemption)) }
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == .authTransferAccountAlreadyUsed } == 19, "\(codes)")
            let winner = try #require(codes.firstIndex { $0 == nil })
            #expect(try await core.guest("device\(winner)").user == guest.user)
            #expect(await guest.sessionEnd == .transferred)
            try await core.expectInvariants()
        }
    }

    @Test(
        "TRANSFER-8: one transfer key redeemed by twenty devices at once moves the guest once",
        arguments: Engine.available)
    func oneKey(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let guest = try await core.guest()
            let key = try await guest.run(IssueTransferKey(request: TransferKeyRequest(validSeconds: 60)))
            let codes = try await together(20) { number in
                await code { try await (number % 2 == 0 ? core : second).device("device\(number)").redeem(key) }
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == .authTransferKeyConsumed } == 19, "\(codes)")
            try await core.expectInvariants()
        }
    }

    @Test(
        "TRF-1: of two hundred wrong passwords at once no more are looked at than the policy allows, and then the right one fails",
        arguments: Engine.available)
    func wrongPasswords(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            try await core.changeLimits { $0.refusedProofsPerMinute = 0 }
            core.clock.advance(seconds: 1)
            let account = try await core.guest().run(IssueTransferAccount())
            let codes = try await together(200) { number in
                await code {
                    try await (number % 2 == 0 ? core : second).device("device\(number)").redeem(account, with: "wrong")
                }
            }
            #expect(codes.count { $0 == nil } == 0)
            // The last that was looked at may have waited in vain for its share of the hasher.
            #expect((1...5).contains(codes.count { $0 == .authTransferAccountInvalidPassword }), "\(codes)")
            #expect(codes.count { $0 == .authTransferAccountBlock } >= 150, "\(codes)")
            #expect(await code { try await core.device("tablet").redeem(account) } == .authTransferAccountBlock)
        }
    }

    @Test(
        "TRANSFER-6: of many attempts of one device at once the policy's number is looked at",
        arguments: Engine.available)
    func oneDevice(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let codes = try await together(12) { number in
                await code {
                    try await (number % 2 == 0 ? core : second).device("tablet")
                        .redeem("0000000000\(10 + number)", "Abcdefgh12")
                }
            }
            #expect(codes.count { $0 == .authTransferAccountBlock } == 7, "\(codes)")
            #expect(!codes.contains(nil))
        }
    }

    @Test(
        "TRANSFER-7 against MAP-4: a guest that is mapped and transferred at once is one or the other",
        arguments: Engine.available)
    func transferAgainstMapping(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            for round in 0..<10 {
                let guest = try await core.guest("phone\(round)")
                let account = try await guest.run(IssueTransferAccount())
                let codes = try await together(2) { number in
                    await code {
                        if number == 0 {
                            _ = try await second.device("tablet\(round)").redeem(account)
                        } else {
                            _ = try await guest.addMapping(.naver, of: "alice\(round)")
                        }
                    }
                }
                let providers = try await core.member(guest.user).mappings.map(\.provider)
                #expect(providers == [codes[0] == nil ? .guest : .naver])
                #expect(
                    codes == [nil, .authInvalidGatehouseToken] || codes == [.notGuestOrHasOthers, nil], "\(codes)")
            }
            try await core.expectInvariants()
        }
    }

    // MARK: Withdrawals

    @Test("WDR-2: cancel against expiry has one outcome", arguments: Engine.available)
    func cancelAgainstExpiry(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            var players = try await together(20) { number in try await core.guest("device\(number)") }
            for player in players { _ = try await player.run(RequestWithdrawal()) }
            // One millisecond of the clock decides: the sweeper runs after it, the cancellation comes before or after.
            core.clock.advance(seconds: 7 * 86_400 - 1)
            for index in players.indices {
                players[index].login.session = try await players[index].holder.run(RefreshSession()).session
            }
            let asking = players
            async let cancels = together(20) { number in
                await code { try await asking[number].on(second).run(CancelWithdrawal()) }
            }
            core.clock.advance(seconds: 1)
            async let sweeps = together(2) { try await ($0 == 0 ? core : second).sweep() }
            let (codes, _) = try await (cancels, sweeps)
            for (player, code) in zip(players, codes) {
                let history = try await core.history(of: player.user)
                #expect(history.count { $0 == .withdrawn } == (code == nil ? 0 : 1))
                #expect(history.count { $0 == .withdrawalCancelled } == (code == nil ? 1 : 0))
                #expect(code == nil || code == .authInvalidGatehouseToken)
            }
            try await core.expectInvariants()
        }
    }

    @Test(
        "WITHDRAW-3, WDR-2: two sweepers and twenty logins at the deadline withdraw a member once",
        arguments: Engine.available)
    func expiryOnce(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let alice = try await core.player("alice")
            _ = try await alice.run(RequestWithdrawal())
            core.clock.advance(days: 7)
            async let sweeps = together(2) { try await ($0 == 0 ? core : second).sweep() }
            let users = try await together(20) { number in
                try await (number % 2 == 0 ? core : second).player("alice", on: "device\(number)").user
            }
            _ = try await sweeps
            #expect(Set(users).count == 1)
            #expect(!users.contains(alice.user))
            #expect(try await core.history(of: alice.user).count { $0 == .withdrawn } == 1)
            #expect(try await core.count("SELECT COUNT(*) FROM jobs") == 1)
            try await core.expectInvariants()
        }
    }

    @Test(
        "WITHDRAW-1: withdrawal against login: no session of the old member is left",
        arguments: Engine.available)
    func withdrawalAgainstLogin(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let alice = try await core.player("alice")
            async let withdrawal = alice.run(Withdraw())
            let logins = try await together(20) { number in
                try await (number % 2 == 0 ? core : second).player("alice", on: "device\(number)")
            }
            _ = try await withdrawal
            for login in logins {
                #expect(try await login.on(second).isLoggedIn == (login.user != alice.user))
            }
            try await core.expectInvariants()
        }
    }

    // MARK: Bans

    @Test(
        "SES-5, BAN-1: a ban against refreshes: after it has returned, nothing works on any node",
        arguments: Engine.available)
    func banAgainstRefresh(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let players = try await together(8) { try await core.player("alice\($0)", on: "device\($0)") }
            async let refreshes = together(128) { number in
                await code {
                    try await players[number % 8].on(number % 2 == 0 ? core : second).holder.run(RefreshSession())
                }
            }
            #expect(try await core.ban(players.map(\.user)).isEmpty)
            let after = try await together(64) { number in
                let node = number % 2 == 0 ? core : second
                let player = players[number % 8].on(node)
                return await code {
                    switch number % 3 {
                    case 0: _ = try await player.holder.run(RefreshSession())
                    case 1: _ = try await player.run(SendHeartbeat())
                    default:
                        let request = TokenCheckRequest(accessToken: player.login.session.accessToken)
                        _ = try await node.gameServer([.check]).run(CheckToken(request: request))
                    }
                }
            }
            #expect(Set(after) == [.authInvalidGatehouseToken])
            #expect(try await Set(refreshes).isSubset(of: [nil, .authInvalidGatehouseToken]))
        }
    }

    @Test("BAN-1: one member banned twenty times at once is banned once", arguments: Engine.available)
    func oneBan(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let guest = try await core.guest()
            let failed = try await together(20) { number in
                try await (number % 2 == 0 ? core : second).ban([guest.user])
            }
            #expect(failed.count { $0.isEmpty } == 1)
            #expect(try await core.count("SELECT COUNT(*) FROM bans") == 1)
            #expect(try await core.history(of: guest.user) == [.memberCreated, .banned])
        }
    }

    @Test("BAN-4: a payment reported twenty times at once counts once", arguments: Engine.available)
    func onePayment(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { core, second in
            let guest = try await core.guest()
            try await core.graceBan(guest.user, amount: 1_000, count: 100)
            let outcomes = try await together(40) { number in
                try await (number % 2 == 0 ? core : second).pay(guest.user, "p\(number % 2)", 1)
            }
            #expect(outcomes.count { $0.isNew } == 2)
            #expect(try await core.member(guest.user).graceBan?.paymentStatus.count == 2)
        }
    }
}
