import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

@Suite struct BanActionTests {
    @Test("BAN-1, BAN-2: a permanent ban ends every session, and stays until it is released")
    func permanent() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            #expect(try await desk.ban([alice.user]).isEmpty)
            #expect(try await !alice.isLoggedIn)
            desk.clock.advance(days: 400)
            #expect(await code { try await desk.player("alice") } == .bannedMember)
            let release = ReleaseBans(users: [alice.user])
            #expect(try await desk.gameServer().run(release).failedUserIds.isEmpty)
            #expect(try await desk.player("alice").user == alice.user)
            #expect(try await desk.gameServer().run(release).failedUserIds == [alice.user])
            #expect(try await desk.history(of: alice.user) == [.memberCreated, .banned, .banReleased])
        }
    }

    @Test("BAN-2: what a ban has ended stays ended after its release")
    func endedSessions() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            try await desk.ban([alice.user])
            _ = try await desk.gameServer().run(ReleaseBans(users: [alice.user]))
            #expect(try await !alice.isLoggedIn)
            let holder = alice.device.holder(of: alice.login.session.refreshToken)
            #expect(await code { try await holder.run(RefreshSession()) } == .authInvalidGatehouseToken)
        }
    }

    @Test("BAN-2: a temporary ban ends by itself at its moment, and not before")
    func temporary() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            try await desk.ban([alice.user], seconds: 3_600)
            desk.clock.advance(seconds: 3_599)
            #expect(await code { try await desk.player("alice") } == .bannedMember)
            desk.clock.advance(seconds: 1)
            #expect(try await desk.player("alice").user == alice.user)
            let entry = try #require(try await desk.ledger(of: alice.user).last)
            #expect(entry.event == .banExpired)
            #expect(entry.origin.door == .clock)
        }
    }

    @Test("BAN-1: members that are unknown, withdrawn or banned already are named, and the others are banned")
    func failedMembers() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let banned = try await desk.player("bob")
            let gone = try await desk.player("carol")
            try await gone.run(Withdraw())
            try await desk.ban([banned.user])
            let unknown = UserID("AAAAAAAAAAAAAAAA")
            let failed = try await desk.ban([alice.user, banned.user, gone.user, unknown, alice.user])
            #expect(Set(failed) == [banned.user, gone.user, unknown])
            #expect(try await desk.member(alice.user).status == .banned)
            #expect(desk.journal.lines(.banned).count == 2)
        }
    }

    @Test("BAN-1, BAN-3: a template's text reaches the player, also one that was changed since")
    func templates() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            #expect(await code { try await desk.ban([alice.user], template: 7) } == .invalidParameter)
            try await desk.operator().run(SetBanTemplate(code: 7, name: "cheats", texts: ["en": "No cheats."]))
            try await desk.ban([alice.user], template: 7)
            #expect(await refusal { try await desk.player("alice") }?.message == "No cheats.")
            try await desk.operator().run(SetBanTemplate(code: 7, name: "cheats", texts: ["en": "No bots."]))
            #expect(await refusal { try await desk.player("alice") }?.message == "No bots.")
        }
    }

    @Test("BAN-1: a ban needs a name, a reason, an end that lies ahead, and at most 300 members")
    func invalidBans() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let request = BanRequest(
                userIds: [alice.user], banType: .permanent, reason: "cheats", registeredBy: "game-1")
            for caller in [desk.gameServer(name: ""), desk.gameServer(reason: nil), desk.operator(reason: "")] {
                #expect(await code { try await caller.run(BanMembers(request: request)) } == .invalidParameter)
            }
            let many = (0..<301).map { UserID("\($0)") }
            #expect(await code { try await desk.ban(many) } == .invalidParameter)
            #expect(await code { try await desk.ban([alice.user], seconds: 0) } == .invalidParameter)
            #expect(try await desk.history(of: alice.user) == [.memberCreated])
        }
    }

    // MARK: Grace bans

    private func register(_ user: UserID, amount: Double = 10, count: Int = 2, _ desk: Desk) async throws {
        let graceBan = GraceBan(
            gracePeriodDate: desk.clock.in(seconds: 86_400), message: "Pay.",
            paymentStatus: PaymentStatus(amount: 0, count: 0, currency: "EUR"),
            releaseRuleCondition: ReleaseRuleCondition(
                amount: amount, count: count, currency: "EUR", conditionType: .and))
        let request = GraceBanRequest(userId: user, graceBan: graceBan, registeredBy: "game-1")
        _ = try await desk.gameServer().run(RegisterGraceBan(request: request))
    }

    private func pay(_ user: UserID, _ id: String, _ amount: Double, in currency: String = "EUR", _ desk: Desk)
        async throws
        -> PaymentOutcome
    {
        let report = PaymentReport(userId: user, paymentId: id, amount: amount, currency: currency)
        return try await desk.gameServer(name: "payments").run(ReportPayment(report: report))
    }

    @Test("BAN-4: payments that meet the condition release a grace ban; each payment counts once, in its currency")
    func payments() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            try await register(alice.user, desk)
            #expect(try await desk.player("alice").login.standing.reason == .graceBanned)
            #expect(try await pay(alice.user, "p1", 9, desk).graceBan?.paymentStatus.count == 1)
            #expect(try await !pay(alice.user, "p1", 9, desk).isNew)
            #expect(try await !pay(alice.user, "p2", 9, in: "USD", desk).releasesGraceBan)
            let last = try await pay(alice.user, "p3", 1, desk)
            #expect(last.releasesGraceBan)
            #expect(try await desk.member(alice.user).status == .normal)
            desk.clock.advance(days: 2)
            #expect(try await desk.player("alice").user == alice.user)
            #expect(try await desk.history(of: alice.user) == [.memberCreated, .graceBanned, .graceBanReleased])
        }
    }

    @Test("BAN-4: a grace ban that was not paid becomes a permanent ban at its deadline")
    func lapsed() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            try await register(alice.user, desk)
            desk.clock.advance(seconds: 86_400)
            let refusal = await refusal { try await desk.player("alice") }
            #expect(refusal?.code == .bannedMember)
            #expect(refusal?.message == "Pay.")
            #expect(try await desk.history(of: alice.user) == [.memberCreated, .graceBanned, .banned])
        }
    }

    @Test("BAN-4: a member has one grace ban, and none while it is banned; a release ends it without a ban")
    func oneGraceBan() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            try await register(alice.user, desk)
            #expect(await code { try await register(alice.user, desk) } == .invalidParameter)
            _ = try await desk.gameServer().run(ReleaseGraceBan(user: alice.user))
            #expect(try await desk.member(alice.user).status == .normal)
            try await desk.ban([alice.user])
            #expect(await code { try await register(alice.user, desk) } == .bannedMember)
        }
    }

    // MARK: Kick-outs

    @Test("BAN-5: a kick-out ends one member's sessions, and the member may log in again")
    func kickOut() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let bob = try await desk.player("bob", on: "tablet")
            _ = try await desk.gameServer().run(KickOut(user: alice.user, message: ["en": "Update."]))
            #expect(try await !alice.isLoggedIn)
            #expect(try await bob.isLoggedIn)
            #expect(try await desk.player("alice").isLoggedIn)
            #expect(try await desk.history(of: alice.user) == [.memberCreated, .kickedOut])
        }
    }

    @Test("BAN-5: a kick-out of all ends every session, and those opened some seconds later are valid")
    func kickOutOfAll() async throws {
        try await Desk.open { desk in
            let (alice, bob) = (try await desk.player("alice"), try await desk.player("bob", on: "tablet"))
            _ = try await desk.gameServer().run(KickOut(user: nil, message: ["en": "Update."]))
            desk.clock.advance(seconds: 4)
            #expect(try await !alice.isLoggedIn)
            #expect(try await !bob.isLoggedIn)
            #expect(try await desk.player("alice").isLoggedIn)
            #expect(try await desk.records().map(\.event) == ["sessions.kicked-out"])
            #expect(try await desk.history(of: alice.user) == [.memberCreated])
        }
    }
}
