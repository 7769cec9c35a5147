import FakeProviders
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct WithdrawalTests {
    @Test(
        "WITHDRAW-1, WDR-1, WDR-3: at once, nothing leads to the member any more and nothing personal is left",
        arguments: Engine.available)
    func now(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.logIn(.google, "alice-at-google", accessToken: true)
            let facebook = try world.credential(.facebook, "alice-at-facebook", accessToken: true)
            #expect(try await world.call(Endpoints.addMapping, facebook, by: player).status == 200)
            let elsewhere = try await world.logIn(.facebook, "alice-at-facebook")
            _ = try await world.ticket(.google, "alice-at-google", for: world.guestPlayer())
            let answer = try await world.call(Endpoints.withdraw, Empty(), by: player)
            #expect(answer.status == 200)

            for other in [player, elsewhere] {
                let refused = try await world.heartbeat(other.device, other.access)
                #expect(refused.code == 3011)
                #expect(refused.reason == "withdrawn")
                #expect(
                    try await world.logInWithLastProvider(other.device, other.login.session.refreshToken).code == 3102)
            }
            #expect(try await world.report(player.user).member.status == .withdrawn)
            #expect(try await world.report(player.user).member.mappings.isEmpty)
            // Tokens are revoked by jobs, whose payload is encrypted until then, and empty afterwards.
            #expect(try await world.runJobs() == 2)
            #expect(world.idps.revoked.count == 2)
            #expect(try await world.count("SELECT COUNT(*) FROM jobs WHERE sealed_payload IS NOT NULL") == 0)
            let dump = try await world.dump()
            for personal in ["alice-at-google", "alice-at-facebook", player.device.thumbprint.rawValue] {
                #expect(!dump.contains(personal))
            }
            #expect(!world.audit.text.contains("alice-at"))
            #expect(try await world.logIn(.google, "alice-at-google").user != player.user)
            let history = try await world.run(ReadHistory(user: player.user))
            #expect(history.last?.event.rawValue == "idp-tokens.revoked")
            let entry = try #require(history.first { $0.event.rawValue == "member.withdrawn" })
            #expect(entry.details == ["event": "WAA"])
            #expect(entry.origin.actor == .player)
        }
    }

    @Test(
        "WDR-3: nothing leads to a member who has left, wherever its identities and calls have been",
        arguments: Engine.available)
    func traces(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let key = { (number: Int) in [HeaderNames.idempotencyKey: "call-number-\(number)"] }
            // A guest's own identity ends with its first mapping; another member's identity is moved here and back.
            let device = TestDevice()
            let first = try await world.logIn(device, headers: key(1)).decoded(as: Login.self)
            let owner = try await world.logIn(.google, "moved-subject")
            let guest = Player(device: device, login: first)
            let ticket = try await world.ticket(.google, "moved-subject", for: guest)
            let forced = try await world.call(Endpoints.forceMapping, TicketUse(ticket), by: guest, headers: key(2))
            var player = guest
            let session = try forced.decoded(as: MappingChange.self).session
            player.login.session.accessToken = try #require(session).accessToken
            _ = try await world.mapped(.facebook, "other-subject", to: player)
            let issuer = try await world.guestPlayer()
            let account = try await world.issue(for: issuer)
            #expect(try await world.redeem(account.id, "Abcdefgh12", on: device).code == 3044)
            #expect(try await world.begin(.google, by: device).status == 200)
            var named = try world.credential(.apple, "named-subject")
            named.personName = "Name On Device"
            #expect(try await world.call(Endpoints.addMapping, named, by: player, headers: key(3)).status == 200)

            #expect(try await world.call(Endpoints.withdraw, Empty(), by: player, headers: key(4)).status == 200)
            _ = try await world.runJobs()
            let dump = try await world.dump()
            #expect(dump.contains(owner.user.rawValue))
            for personal in [
                "moved-subject", "other-subject", "named-subject", "Name On Device", device.thumbprint.rawValue,
                device.jwk.x, "Player moved",
            ] {
                #expect(!dump.contains(personal), "\(personal)")
                #expect(!dump.contains(Base64URL.encode(personal.utf8)), "\(personal)")
            }
            // The identity can't be restored to its former member either, because nothing is left of it.
            await #expect(throws: Refusal.self) {
                _ = try await world.run(RestoreMember(user: owner.user, provider: nil), reason: "r")
            }
        }
    }

    @Test(
        "WITHDRAW-1: a revocation is tried again until its provider answers, and given up in the end",
        arguments: Engine.available)
    func revocationRetries(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.logIn(.google, "alice", accessToken: true)
            let other = try await world.logIn(.facebook, "bob", accessToken: true)
            world.idps.setDown(.google, true)
            world.idps.setDown(.facebook, true)
            _ = try await world.call(Endpoints.withdraw, Empty(), by: player)
            _ = try await world.call(Endpoints.withdraw, Empty(), by: other)
            #expect(try await world.runJobs() == 2)
            #expect(try await world.runJobs() == 0)
            world.clock.advance(seconds: 30)
            #expect(try await world.runJobs() == 2)
            let waiting = try await world.run(ListJobs(state: .waiting))
            #expect(waiting.map(\.attempts) == [2, 2])
            #expect(waiting.first?.lastError?.contains("can't be asked") == true)
            world.idps.setDown(.google, false)
            // The longest pause is six hours, so each turn is one more of the eighteen attempts.
            for _ in 0..<16 {
                world.clock.advance(seconds: 21_600)
                try await world.runJobs()
            }
            #expect(world.idps.revoked.count == 1)
            #expect(try await world.run(ListJobs(state: .waiting)).isEmpty)
            #expect(try await world.run(ListJobs(state: .done)).count == 1)
            let dead = try await world.run(ListJobs(state: .dead))
            #expect(dead.map(\.attempts) == [18])
            #expect(try await world.history(player.user).last == "idp-tokens.revoked")
            #expect(try await world.history(other.user).last == "idp-tokens.not-revoked")
            #expect(world.audit.events.contains("job.dead"))
        }
    }

    @Test("WITHDRAW-2: a grace period that the player plays through, and can end", arguments: Engine.available)
    func temporary(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let player = try await world.guestPlayer(device)
            #expect(try await world.call(Endpoints.cancelWithdrawal, Empty(), by: player).code == 3603)
            let pending = try await world.call(Endpoints.requestWithdrawal, Empty(), by: player).decoded(
                as: MemberChange.self
            ).member
            let end = world.clock.now.milliseconds + 7 * 86_400_000
            #expect(pending.status == .pendingWithdrawal)
            #expect(pending.temporaryWithdrawal?.gracePeriodDate == end)
            #expect(try await world.call(Endpoints.requestWithdrawal, Empty(), by: player).code == 3602)

            let login = try await world.guest(device)
            #expect(login.member.temporaryWithdrawal?.gracePeriodDate == end)
            #expect(login.standing.reason == .withdrawalPending)
            #expect(login.standing.untilDate == end)
            #expect(login.standing.actions == [.play, .cancelWithdrawal])
            #expect(login.standing.isPlayable)
            let last = try await world.logInWithLastProvider(device, player.login.session.refreshToken)
            #expect(try last.decoded(as: Login.self).member.temporaryWithdrawal?.gracePeriodDate == end)
            let heartbeat = try await world.heartbeat(device, player.access).decoded(as: Heartbeat.self)
            #expect(heartbeat.standing.memberStatus == .pendingWithdrawal)

            let back = try await world.call(Endpoints.cancelWithdrawal, Empty(), by: player).decoded(
                as: MemberChange.self
            ).member
            #expect(back.status == .normal)
            #expect(back.temporaryWithdrawal == nil)
            world.clock.advance(seconds: 8 * 86_400)
            #expect(try await world.sweep() >= 0)
            #expect(try await world.guest(device).member.userId == player.user)
            #expect(
                try await world.history(player.user) == [
                    "member.created", "withdrawal.requested", "withdrawal.cancelled",
                ])
        }
    }

    @Test("WITHDRAW-3: at the end it happens by itself", arguments: Engine.available)
    func sweeperWithdraws(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.guestPlayer()
            _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: player)
            world.clock.advance(seconds: 7 * 86_400 - 1)
            try await world.sweep()
            #expect(try await world.report(player.user).member.status == .pendingWithdrawal)
            world.clock.advance(seconds: 1)
            try await world.sweep()
            #expect(try await world.report(player.user).member.status == .withdrawn)
            let entry = try await world.run(ReadHistory(user: player.user)).last
            #expect(entry?.event.rawValue == "member.withdrawn")
            #expect(entry?.details == ["event": "WAGE"])
            #expect(entry?.origin.door == .clock)
            #expect(world.audit.events.last == "member.withdrawn")
        }
    }

    @Test(
        "WITHDRAW-3: without a sweeper, whoever comes first finds the deadline passed and completes it first",
        arguments: Engine.available)
    func loginWithdraws(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let player = try await world.guestPlayer(device)
            let mapped = try await world.logIn(.google, "alice")
            _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: player)
            _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: mapped)
            world.clock.advance(seconds: 7 * 86_400)
            // No token is valid from that moment on, whether or not the withdrawal was already carried out.
            let cancel = try await world.refresh(device, player.login.session.refreshToken)
            #expect(cancel.code == 3011)
            #expect(try await world.logInWithLastProvider(device, player.login.session.refreshToken).code == 3102)
            let login = try await world.guest(device)
            #expect(login.member.userId != player.user)
            #expect(try await world.report(player.user).member.status == .withdrawn)
            // The identity can be mapped to another member, without a conflict.
            let guest = Player(device: device, login: login)
            #expect(try await world.mapped(.google, "alice", to: guest).user == login.member.userId)
            #expect(try await world.history(mapped.user).last == "member.withdrawn")
        }
    }

    @Test("WITHDRAW-2: after the end it can't be cancelled", arguments: Engine.available)
    func lateCancel(engine: Engine) async throws {
        var configuration = World.configuration()
        configuration.lifetimes = SessionLifetimes(accessTokenSeconds: 30 * 86_400)
        try await World.open(on: engine, configuration: configuration) { world in
            let player = try await world.guestPlayer()
            _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: player)
            world.clock.advance(seconds: 7 * 86_400)
            let cancel = try await world.call(Endpoints.cancelWithdrawal, Empty(), by: player)
            #expect(cancel.code == 3011)
            #expect(cancel.reason == "withdrawn")
            #expect(try await world.report(player.user).member.status == .withdrawn)
        }
    }

    @Test("WITHDRAW-4: immediately, whether or not a withdrawal is pending", arguments: Engine.available)
    func immediately(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.guestPlayer()
            _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: player)
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: player).status == 200)
            #expect(try await world.report(player.user).member.status == .withdrawn)
            world.clock.advance(seconds: 8 * 86_400)
            try await world.sweep()
            #expect(try await world.history(player.user).count { $0 == "member.withdrawn" } == 1)
        }
    }

    @Test("WITHDRAW-5: an operator's withdrawal names its origin and its reason", arguments: Engine.available)
    func byOperator(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.guestPlayer()
            try await world.run(WithdrawMember(user: player.user), reason: "asked by mail")
            let entry = try #require(
                try await world.run(ReadHistory(user: player.user)).last)
            #expect(entry.details == ["event": "WACS"])
            #expect(entry.origin.actor == .operator)
            #expect(entry.origin.door == .command)
            #expect(entry.origin.reason == "asked by mail")
            await #expect(throws: Refusal.self) {
                try await world.run(WithdrawMember(user: player.user), reason: "again")
            }
        }
    }

    @Test("LOGIN-13, REL-6: a withdrawal whose answer was lost is repeated without harm", arguments: Engine.available)
    func repeated(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.guestPlayer()
            let headers = [HeaderNames.idempotencyKey: "0190aaaaaaaa-withdraw"]
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: player, headers: headers).status == 200)
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: player, headers: headers).status == 200)
            #expect(try await world.history(player.user).count { $0 == "member.withdrawn" } == 1)
        }
    }
}
