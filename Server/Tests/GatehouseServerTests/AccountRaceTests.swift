import GatehouseCore
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// Races over one account, on two nodes with separate connections.
@Suite(.serialized) struct AccountRaceTests {
    @Test(
        "MAP-10, LNK-1: fifty devices that map one identity at once are one success and forty-nine 3302",
        arguments: Engine.available)
    func oneIdentity(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let players = try await together(50) { _ in try await world.guestPlayer() }
            let codes = try await together(50) { number in
                try await (number % 2 == 0 ? world : second).call(
                    Endpoints.addMapping, world.credential(.google, "alice"), by: players[number]
                ).code
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == 3302 } == 49)
            let winner = try #require(codes.firstIndex { $0 == nil })
            #expect(try await world.logIn(.google, "alice").user == players[winner].user)
            try await world.expectInvariants()
        }
    }

    @Test(
        "LNK-1: twenty identities of one provider mapped to one member at once are one success and nineteen 3303",
        arguments: Engine.available)
    func oneMember(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let player = try await world.logIn(.apple, "alice")
            let credentials = try (0..<20).map { try world.credential(.google, "alice-\($0)") }
            let codes = try await together(20) { number in
                try await (number % 2 == 0 ? world : second).call(
                    Endpoints.addMapping, credentials[number], by: player
                ).code
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == 3303 } == 19)
            try await world.expectInvariants()
        }
    }

    @Test("MAP-4: a guest that maps two providers at once has both, and no guest identity", arguments: Engine.available)
    func twoUpgrades(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let guest = try await world.guestPlayer()
            let answers = try await together(2) { number in
                try await (number == 0 ? world : second).map(number == 0 ? .google : .apple, "alice", to: guest)
            }
            #expect(Set(answers.map(\.status)) == [200])
            let member = try await world.report(guest.user).member
            #expect(Set(member.mappings.map(\.provider)) == [.google, .apple])
            try await world.expectInvariants()
        }
    }

    @Test("LNK-2: one ticket used twenty times at once moves the identity once", arguments: Engine.available)
    func oneTicket(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let other = try await world.logIn(.google, "alice")
            let guest = try await world.guestPlayer()
            let ticket = TicketUse(try await world.ticket(.google, "alice", for: guest))
            let codes = try await together(20) { number in
                let node = number % 2 == 0 ? world : second
                // Both uses of a ticket: moving the identity here, and logging in as the other member.
                return number % 4 < 2
                    ? try await node.call(Endpoints.forceMapping, ticket, by: guest).code
                    : try await node.call(Endpoints.changeLogin, ticket, by: guest).code
            }
            #expect(codes.count { $0 == nil } == 1)
            // Later calls found that the ticket was used, their session had ended, or the identity was already here.
            #expect(Set(codes).isSubset(of: [nil, 3312, 3011, 3303]))
            let owner = try await world.logIn(.google, "alice").user
            #expect([guest.user, other.user].contains(owner))
            try await world.expectInvariants()
        }
    }

    @Test(
        "LNK-2: two tickets for one identity, used at once by two members: one of them gets it",
        arguments: Engine.available)
    func twoTickets(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            for round in 0..<10 {
                let name = "alice-\(round)"
                _ = try await world.logIn(.google, name)
                let players = try await together(2) { _ in try await world.guestPlayer() }
                let tickets = try await together(2) { number in
                    TicketUse(try await world.ticket(.google, name, for: players[number]))
                }
                let codes = try await together(2) { number in
                    try await (number == 0 ? world : second).call(
                        Endpoints.forceMapping, tickets[number], by: players[number]
                    ).code
                }
                #expect(codes.count { $0 == nil } == 1)
                #expect(codes.count { $0 == 3315 } == 1)
            }
            try await world.expectInvariants()
        }
    }

    @Test(
        "MAP-8, LNK-4: both of two mappings removed at once leave one",
        arguments: Engine.available)
    func bothRemovals(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let users = try await together(25) { number -> (Player, Player) in
                let one = try await world.mapped(
                    .apple, "a-\(number)", to: world.logIn(.google, "g-\(number)"))
                return (one, try await world.logIn(.apple, "a-\(number)"))
            }
            let codes = try await together(50) { number in
                let (google, apple) = users[number / 2]
                return number % 2 == 0
                    ? try await world.call(Endpoints.removeMapping, MappingRemoval(provider: .apple), by: google).code
                    : try await second.call(Endpoints.removeMapping, MappingRemoval(provider: .google), by: apple).code
            }
            for pair in 0..<25 {
                #expect([codes[pair * 2], codes[pair * 2 + 1]].count { $0 == nil } == 1)
            }
            #expect(try await world.count("SELECT COUNT(*) FROM identities") == 25)
            try await world.expectInvariants()
        }
    }

    @Test(
        "TRF-4: one transfer account redeemed by twenty devices at once moves the guest once",
        arguments: Engine.available)
    func oneTransfer(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let guest = try await world.guestPlayer()
            _ = try await world.run(ChangeAccountPolicy { $0.transfer?.attempts = 99 })
            world.clock.advance(seconds: 1)
            let account = try await world.issue(for: guest)
            let devices = (0..<20).map { _ in TestDevice() }
            let answers = try await together(20) { number in
                try await (number % 2 == 0 ? world : second).redeem(account, on: devices[number])
            }
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.count { $0.code == 3048 } == 19)
            let winner = try #require(answers.firstIndex { $0.status == 200 })
            #expect(try await world.guest(devices[winner]).member.userId == guest.user)
            #expect(try await world.heartbeat(guest.device, guest.access).reason == "transferred")
            try await world.expectInvariants()
        }
    }

    @Test(
        "TRANSFER-8: one transfer key redeemed by twenty devices at once moves the guest once",
        arguments: Engine.available)
    func oneKey(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let guest = try await world.guestPlayer()
            let key = try await world.call(Endpoints.issueTransferKey, TransferKeyRequest(validSeconds: 60), by: guest)
                .decoded(as: TransferKey.self).transferKey
            let codes = try await together(20) { number in
                try await (number % 2 == 0 ? world : second).call(
                    Endpoints.redeemTransferKey, TransferKeyRedemption(transferKey: key), by: TestDevice()
                ).code
            }
            #expect(codes.count { $0 == nil } == 1)
            #expect(codes.count { $0 == 3032 } == 19)
            try await world.expectInvariants()
        }
    }

    @Test(
        "TRF-1: of five hundred wrong passwords at once no more are looked at than the policy allows, and then the right one fails",
        arguments: Engine.available)
    func wrongPasswords(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            _ = try await world.run(
                ChangeLimits {
                    $0.newGuestsPerMinute = 0
                    $0.refusedProofsPerMinute = 0
                })
            world.clock.advance(seconds: 1)
            let guest = try await world.guestPlayer()
            let account = try await world.issue(for: guest)
            let codes = try await together(500) { number in
                try await (number % 2 == 0 ? world : second).redeem(account.id, "Wrong12345", on: TestDevice()).code
            }
            #expect(codes.count { $0 == 3044 } <= 5)
            #expect(codes.count { $0 == nil } == 0)
            // They are refused by the block, or because too many wait for the same row or a hash.
            #expect(Set(codes).isSubset(of: [3044, 3042, 8001]))
            #expect(codes.count { $0 == 3042 } >= 400)
            #expect(try await world.redeem(account, on: TestDevice()).code == 3042)
        }
    }

    @Test("WDR-2: cancel against expiry has one outcome", arguments: Engine.available)
    func cancelAgainstExpiry(engine: Engine) async throws {
        var configuration = World.configuration()
        configuration.lifetimes = SessionLifetimes(accessTokenSeconds: 30 * 86_400)
        try await onTwoNodes(engine, configuration) { world, second in
            let players = try await together(20) { _ in try await world.guestPlayer() }
            for player in players { _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: player) }
            // One millisecond of the clock decides: the sweeper runs after it, the cancellation comes before or after.
            world.clock.advance(seconds: 7 * 86_400 - 1)
            async let cancels = together(20) { number in
                // When all tests run at once, a call may wait too long for the database, and is then repeated.
                while true {
                    let code = try await second.call(Endpoints.cancelWithdrawal, Empty(), by: players[number]).code
                    if code != 8001 { return code }
                }
            }
            world.clock.advance(seconds: 1)
            async let sweeps: Int = world.sweep()
            async let others: Int = second.sweep()
            let (codes, _) = try await (cancels, [sweeps, others])
            for (player, code) in zip(players, codes) {
                let history = try await world.history(player.user)
                #expect(history.count { $0 == "member.withdrawn" } == (code == nil ? 0 : 1))
                #expect(history.count { $0 == "withdrawal.cancelled" } == (code == nil ? 1 : 0))
                #expect([nil, 3011].contains(code), "\(code ?? 0)")
            }
            try await world.expectInvariants()
        }
    }

    @Test(
        "WITHDRAW-3, WDR-2: two sweepers and twenty logins at the deadline withdraw a member once",
        arguments: Engine.available)
    func expiryOnce(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let player = try await world.logIn(.google, "alice", accessToken: true)
            _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: player)
            world.clock.advance(seconds: 7 * 86_400)
            async let sweep: Int = world.sweep()
            async let other: Int = second.sweep()
            let users = try await together(20) { number in
                try await (number % 2 == 0 ? world : second)
                    .call(Endpoints.logIn, world.credential(.google, "alice"), by: TestDevice()).decoded(as: Login.self)
                    .member.userId
            }
            _ = try await (sweep, other)
            #expect(Set(users).count == 1)
            #expect(!users.contains(player.user))
            #expect(try await world.history(player.user).count { $0 == "member.withdrawn" } == 1)
            #expect(try await world.count("SELECT COUNT(*) FROM jobs") == 1)
            try await world.expectInvariants()
        }
    }

    @Test(
        "WITHDRAW-1: withdrawal against login: no session of the old member is left",
        arguments: Engine.available)
    func withdrawalAgainstLogin(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let player = try await world.logIn(.google, "alice")
            async let withdrawal = world.call(Endpoints.withdraw, Empty(), by: player)
            let logins = try await together(20) { number -> Player in
                let device = TestDevice()
                let answer = try await (number % 2 == 0 ? world : second).call(
                    Endpoints.logIn, world.credential(.google, "alice"), by: device)
                return Player(device: device, login: try answer.decoded(as: Login.self))
            }
            #expect(try await withdrawal.status == 200)
            for login in logins {
                let status = try await second.heartbeat(login.device, login.access).status
                #expect(status == (login.user == player.user ? 401 : 200))
            }
            try await world.expectInvariants()
        }
    }

    @Test(
        "SES-5, BAN-1: a ban against refreshes: after it has returned, nothing works on any node",
        arguments: Engine.available)
    func banAgainstRefresh(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let players = try await together(8) { number in try await world.logIn(.google, "alice-\(number)") }
            async let refreshes = together(128) { number in
                try await (number % 2 == 0 ? world : second).refresh(
                    players[number % 8].device, players[number % 8].login.session.refreshToken
                ).code
            }
            let request = BanRequest(
                userIds: players.map(\.user), banType: .permanent, reason: "bots", registeredBy: "server")
            #expect(
                try await world.call(server: Endpoints.ban, request).decoded(as: MembersOutcome.self).failedUserIds
                    .isEmpty)
            let after = try await together(64) { number in
                let player = players[number % 8]
                let node = number % 2 == 0 ? world : second
                return try await number % 3 == 0
                    ? node.refresh(player.device, player.login.session.refreshToken).code
                    : number % 3 == 1
                        ? node.heartbeat(player.device, player.access).code : node.checkToken(player.access).code
            }
            #expect(Set(after) == [3011])
            #expect(try await Set(refreshes).isSubset(of: [nil, 3011]))
        }
    }

    @Test("BAN-4: a payment reported twenty times at once counts once", arguments: Engine.available)
    func onePayment(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let player = try await world.guestPlayer()
            _ = try await world.call(
                server: Endpoints.registerGraceBan, world.graceBan(player.user, amount: 1_000, count: 100))
            let outcomes = try await together(40) { number in
                try await (number % 2 == 0 ? world : second).pay(player.user, "p-\(number % 2)", 1)
            }
            #expect(outcomes.count { $0.isNew } == 2)
            #expect(try await world.report(player.user).member.graceBan?.paymentStatus.count == 2)
        }
    }

    @Test("BAN-1: one member banned twenty times at once is banned once", arguments: Engine.available)
    func oneBan(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            let player = try await world.guestPlayer()
            let request = BanRequest(userIds: [player.user], banType: .permanent, reason: "r", registeredBy: "s")
            let failures = try await together(20) { number in
                try await (number % 2 == 0 ? world : second).call(server: Endpoints.ban, request)
                    .decoded(as: MembersOutcome.self).failedUserIds.count
            }
            #expect(failures.count { $0 == 0 } == 1)
            #expect(try await world.count("SELECT COUNT(*) FROM bans") == 1)
            #expect(try await world.history(player.user) == ["member.created", "member.banned"])
        }
    }

    @Test(
        "TRANSFER-7 against MAP-4: a guest that is mapped and transferred at once is one or the other",
        arguments: Engine.available)
    func transferAgainstMapping(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            for round in 0..<10 {
                let guest = try await world.guestPlayer()
                let account = try await world.issue(for: guest)
                async let redemption = second.redeem(account, on: TestDevice())
                async let mapping = world.map(.google, "alice-\(round)", to: guest)
                let (redeemed, mapped) = try await (redemption, mapping)
                let providers = try await world.report(guest.user).member.mappings.map(\.provider)
                #expect(providers.count == 1)
                #expect((redeemed.status == 200) != (mapped.status == 200))
                #expect(providers == [redeemed.status == 200 ? .guest : .google])
                #expect(redeemed.status == 200 || redeemed.code == 9)
                #expect(mapped.status == 200 || mapped.code == 3011)
            }
            try await world.expectInvariants()
        }
    }

    @Test("MAP-4: a guest that is mapped while it logs in has no guest's session left", arguments: Engine.available)
    func mappingAgainstLogins(engine: Engine) async throws {
        try await onTwoNodes(engine) { world, second in
            for round in 0..<20 {
                let guest = try await world.guestPlayer()
                let statuses = try await together(4) { number in
                    let node = number % 2 == 0 ? world : second
                    return number == 0
                        ? try await node.map(.google, "alice-\(round)", to: guest).status
                        : try await node.logIn(guest.device).status
                }
                // A login that came after the mapping is a new guest's.
                #expect(statuses == [200, 200, 200, 200])
                #expect(try await world.report(guest.user).member.mappings.map(\.provider) == [.google])
            }
            try await world.expectInvariants()
            // Game servers that check signatures themselves are told of each.
            #expect(
                try await world.count(
                    """
                    SELECT COUNT(*) FROM sessions s
                    WHERE s.end_reason = \(ErrorReason.identityRemoved.rawValue) AND NOT EXISTS (
                        SELECT 1 FROM revocations r WHERE r.session_id = s.session_id)
                    """) == 0)
        }
    }

    private func onTwoNodes(
        _ engine: Engine, _ configuration: ServerConfiguration = World.configuration(),
        _ test: @escaping @Sendable (World, World) async throws -> Void
    ) async throws {
        try await World.open(on: engine, configuration: configuration) { world in
            try await world.onSecondNode { second in try await test(world, second) }
        }
    }
}

extension World {
    /// The invariants I2 to I4 and I8 of the security requirements, checked in the database itself.
    func expectInvariants() async throws {
        // A member with a guest identity has no other identity.
        #expect(
            try await count(
                """
                SELECT COUNT(*) FROM identities g JOIN identities o ON o.user_id = g.user_id AND o.app_id = g.app_id
                WHERE g.idp = 'guest' AND o.idp <> 'guest'
                """) == 0)
        // Sessions that a guest identity has opened have ended when the member has mapped another.
        #expect(
            try await count(
                """
                SELECT COUNT(*) FROM sessions s JOIN members m ON m.user_id = s.user_id AND m.app_id = s.app_id
                WHERE s.idp = 'guest' AND s.ended_at IS NULL AND s.generation = m.generation AND NOT EXISTS (
                    SELECT 1 FROM identities i WHERE i.user_id = s.user_id AND i.app_id = s.app_id AND i.idp = 'guest')
                """) == 0)
        // Only withdrawn and missing members have no identity.
        #expect(
            try await count(
                """
                SELECT COUNT(*) FROM members m WHERE m.status NOT IN ('D', 'M') AND NOT EXISTS (
                    SELECT 1 FROM identities i WHERE i.user_id = m.user_id AND i.app_id = m.app_id)
                """) == 0)
        #expect(
            try await count(
                """
                SELECT COUNT(*) FROM members m JOIN identities i ON i.user_id = m.user_id AND i.app_id = m.app_id
                WHERE m.status IN ('D', 'M')
                """) == 0)
        #expect(
            try await count(
                """
                SELECT COUNT(*) FROM members m JOIN sessions s ON s.user_id = m.user_id AND s.app_id = m.app_id
                WHERE m.status = 'D' AND s.ended_at IS NULL AND s.generation = m.generation AND EXISTS (
                    SELECT 1 FROM identities i WHERE i.user_id = m.user_id)
                """) == 0)
    }
}
