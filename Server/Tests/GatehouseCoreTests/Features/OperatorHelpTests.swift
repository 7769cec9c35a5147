import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What operators change for one player: mappings, transfers, withdrawals and notes.
@Suite struct OperatorHelpTests {
    @Test("An operator removes an identity with its sessions, but never the last one")
    func remove() async throws {
        try await Desk.open { desk in
            let phone = try await desk.player("alice")
            let remove = RemoveMemberMapping(.naver, of: phone.user)
            #expect(await code { try await desk.operator().run(remove) } == .authRemoveMappingLastMappedIDP)
            _ = try await phone.addMapping(.twitter, of: "alice")
            #expect(await code { try await desk.operator(reason: nil).run(remove) } == .invalidParameter)
            try await desk.operator().run(remove)
            #expect(try await !phone.isLoggedIn)
            #expect(try await desk.member(phone.user).mappings.map(\.provider) == [.twitter])
            #expect(try await desk.history(of: phone.user).last == .mappingRemoved)
            #expect(await code { try await desk.operator().run(remove) } == .authRemoveMappingFailed)
            #expect(try await desk.player("alice").user != phone.user)
        }
    }

    @Test(
        "A moved identity leads to the other member; the member without one can be restored, and the other is a guest again"
    )
    func move() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let guest = try await desk.guest("tablet")
            let move = MoveMemberMapping(.naver, from: alice.user, to: guest.user)
            let values: [String: Phrase.Value] = [
                "user": .user(alice.user), "other": .user(guest.user), "idp": .providers([.naver]), "count": .count(30),
            ]
            #expect(
                try await desk.operator().run(ReadPreview(of: move)).consequences.suffix(2)
                    == [Phrase("mapping-move.freezes", values), Phrase("mapping-move.guest", values)])
            try await desk.operator().run(move)
            #expect(try await desk.member(alice.user).status == .missing)
            #expect(try await !alice.isLoggedIn)
            #expect(try await !guest.isLoggedIn)
            #expect(try await desk.player("alice").user == guest.user)
            #expect(try await desk.history(of: alice.user).suffix(2) == [.mappingMovedAway, .memberFrozen])
            #expect(try await desk.history(of: guest.user).last == .mappingMovedHere)
            func plan() async throws -> RestorationPlan? {
                let view = try await desk.context()
                return try await desk.database.read { tx in
                    try RestorationPlan(of: alice.user, with: nil, view, in: tx)
                }
            }
            let restore = try #require(try await plan())
            #expect(restore.provider == .naver && restore.other?.user == guest.user)
            #expect(restore.other?.outcome == .isGuestAgain && restore.other?.sessions == 1)
            try await desk.operator().run(RestoreMember(user: alice.user, provider: nil))
            #expect(try await desk.player("alice").user == alice.user)
            #expect(try await desk.guest("tablet").user == guest.user)
            #expect(try await plan() == nil)
        }
    }

    @Test(
        "An identity moves to no member that has one of the provider, is gone, or is itself, and from none that is banned"
    )
    func moveRefused() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let bob = try await desk.player("bob", on: "tablet")
            let guest = try await desk.guest("pc")
            func move(to user: UserID, _ provider: Provider = .naver) async -> ErrorCode? {
                await code {
                    try await desk.operator().run(MoveMemberMapping(provider, from: alice.user, to: user))
                }
            }
            #expect(await move(to: bob.user) == .authAddMappingAlreadyHasSameIDP)
            #expect(await move(to: alice.user) == .invalidParameter)
            #expect(await move(to: UserID("NOBODY")) == .authNotExistMember)
            #expect(await move(to: guest.user, .twitter) == .authRemoveMappingFailed)
            #expect(await move(to: bob.user, .guest) == .authAddMappingCannotAddGuestIDP)
            try await desk.ban([alice.user])
            #expect(await move(to: guest.user) == .bannedMember)
            try await desk.operator().run(WithdrawMember(user: guest.user))
            #expect(await move(to: guest.user) == .authNotExistMember)
            #expect(try await desk.member(alice.user).mappings.map(\.provider) == [.naver])
        }
    }

    @Test("An operator takes a withdrawal back as long as it is pending")
    func withdrawal() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let cancel = CancelMemberWithdrawal(user: alice.user)
            #expect(await code { try await desk.operator().run(cancel) } == .authWithdrawNotTemporaryWithdraw)
            try await alice.run(RequestWithdrawal())
            try await desk.operator().run(cancel)
            #expect(try await desk.member(alice.user).status == .normal)
            #expect(try await desk.history(of: alice.user).last == .withdrawalCancelled)
            try await alice.run(RequestWithdrawal())
            desk.clock.advance(days: 8)
            #expect(await code { try await desk.operator().run(cancel) } != nil)
            #expect(try await desk.member(alice.user).status == .withdrawn)
        }
    }

    @Test("An operator sees, unblocks and reissues a guest's transfer account, and the audit log tells of it")
    func reissue() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest()
            let unblock = UnblockTransferAccount(user: guest.user)
            func reissue(_ target: TransferRenewal.Target, of user: UserID) async throws -> TransferAccount {
                try await desk.operator().run(ReissueTransferAccount(target: target, user: user))
            }
            #expect(try await desk.operator().run(ReadTransferReport(user: guest.user)) == nil)
            #expect(await code { try await desk.operator().run(unblock) } == .authTransferAccountNotExist)
            #expect(await code { try await reissue(.password, of: guest.user) } == .authTransferAccountNotExist)
            // The player has lost the device before a pair was issued.
            let first = try await reissue(.idAndPassword, of: guest.user)
            #expect(try await !desk.operator().run(unblock))
            for number in 1...5 {
                _ = await code { try await desk.device("d\(number)").redeem(first, with: "wrong") }
            }
            let report = try #require(try await desk.operator().run(ReadTransferReport(user: guest.user)))
            #expect(report.account.id == first.id && report.account.password == nil)
            #expect(report.failedAttempts == 5)
            #expect(report.blockedUntil == desk.clock.now.adding(seconds: 3_600))
            #expect(await code { try await desk.operator(reason: nil).run(unblock) } == .invalidParameter)
            #expect(try await desk.operator().run(unblock))

            let second = try await reissue(.password, of: guest.user)
            #expect(second.id == first.id)
            let tablet = desk.device("tablet")
            #expect(await code { try await tablet.redeem(first) } == .authTransferAccountInvalidPassword)
            #expect(try await tablet.redeem(second).member.userId == guest.user)
            #expect(
                try await desk.history(of: guest.user) == [
                    .memberCreated, .transferReissued, .transferBlocked, .transferUnblocked, .transferReissued,
                    .transferRedeemed,
                ])
            #expect(
                try await desk.records().map(\.event) == [
                    "transfer.reissued", "transfer.unblocked", "transfer.reissued",
                ])
            let dump = try await desk.dump()
            for password in [first, second].compactMap(\.password?.secretValue) {
                #expect(!dump.contains(password) && !"\(desk.journal.lines)".contains(password))
            }
            let alice = try await desk.player("alice", on: "console")
            #expect(await code { try await reissue(.idAndPassword, of: alice.user) } == .notGuestOrHasOthers)
        }
    }

    @Test("A void transfer account opens nothing")
    func transfer() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest()
            let void = VoidTransferAccount(user: guest.user)
            #expect(await code { try await desk.operator().run(void) } == .authTransferAccountNotExist)
            let account = try await guest.run(IssueTransferAccount())
            try await desk.operator().run(void)
            #expect(try await desk.operator().run(ReadTransferReport(user: guest.user)) == nil)
            let redemption = TransferRedemption(id: account.id, password: account.password ?? TransferPassword(""))
            let tablet = desk.device("tablet")
            #expect(
                await code { try await tablet.caller.run(RedeemTransferAccount(redemption: redemption)) }
                    == .authTransferAccountInvalidID)
            #expect(try await desk.history(of: guest.user).last == .transferVoided)
        }
    }

    @Test("Notes and refused calls of a member are deleted with its withdrawal")
    func withdrawn() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            try await desk.operator().run(AddMemberNote(user: alice.user, text: "asks often"))
            #expect(
                await code {
                    try await desk.operator().run(
                        AddMemberNote(
                            user: alice.user, text: String(repeating: "a", count: MemberNote.maximumLength + 1)))
                } == .invalidParameter)
            func keep() async throws {
                desk.services.refusals.keep(
                    Refusal(.authAddMappingFailed),
                    of: RefusedCaller(
                        call: "/mappings", provider: .naver, client: "osCode=IOS", actor: try await alice.caller.actor,
                        at: desk.clock.now), app: Desk.app, transactionID: TransactionID("t1"))
            }
            try await keep()
            func kinds() async throws -> [TimelineKind?] {
                try await desk.operator().run(ReadMemberStream(of: alice.user, limit: 9)).map(\.kind)
            }
            #expect(try await Set(kinds()) == [.notes, .refusals, .identities])
            // One that is written only after the withdrawal leads to nobody.
            try await keep()
            try await desk.operator().run(WithdrawMember(user: alice.user))
            let left = try await kinds()
            #expect(!left.contains(.notes) && !left.contains(.refusals) && left.contains(.withdrawals))
            let calls = try await desk.operator().run(FindRefusals(transactionID: "t1"))
            #expect(calls.count == 1 && calls.allSatisfy { $0.user == nil && $0.key == nil && $0.client == nil })
            #expect(
                await code { try await desk.operator().run(AddMemberNote(user: alice.user, text: "gone")) }
                    == .authNotExistMember)
        }
    }

    @Test("Refused calls are kept for seven days, and no more than an app may have wait to be written")
    func kept() async throws {
        try await Desk.open { desk in
            let log = desk.services.refusals
            let actor = try await desk.player("alice").caller.actor
            func keep(_ refusal: Refusal, _ count: Int = 1) {
                for _ in 0..<count {
                    log.keep(
                        refusal,
                        of: RefusedCaller(
                            call: "/login", provider: nil, client: nil, actor: actor, at: desk.clock.now),
                        app: Desk.app, transactionID: TransactionID("t1"))
                }
            }
            keep(Refusal(.authInvalidGatehouseToken, reason: .tokenExpired))
            #expect(try await log.write(with: desk.services) == 0)
            keep(.tooManyRequests(retryAfterSeconds: 1), RefusalLog.capacityForOverload + 5)
            keep(Refusal(.authIDPLoginFailed), RefusalLog.capacity)
            #expect(try await log.write(with: desk.services) == RefusalLog.capacity)
            let sweeper = Sweeper(services: desk.services)
            desk.clock.advance(days: 6)
            _ = try await sweeper.sweep()
            #expect(try await desk.operator().run(ListRefusals(limit: 9)).count == 9)
            desk.clock.advance(days: 1)
            desk.clock.advance(seconds: 1)
            _ = try await sweeper.sweep()
            #expect(try await desk.operator().run(ListRefusals(limit: 9)).isEmpty)
        }
    }

    @Test("Of a flood of calls that nobody had to be let in for, a few are kept, and none in the place of a player's")
    func strangers() async throws {
        try await Desk.open { desk in
            let log = desk.services.refusals
            func keep(_ count: Int, as actor: Actor?) {
                let caller = RefusedCaller(call: "/login", provider: nil, client: nil, actor: actor, at: desk.clock.now)
                for _ in 0..<count {
                    log.keep(
                        Refusal(.authIDPLoginFailed), of: caller, app: Desk.app, transactionID: TransactionID("t1"))
                }
            }
            keep(10_000, as: nil)
            keep(5, as: try await desk.player("alice").caller.actor)
            let most = RefusalLog.strangersAtOnce + 10_000 / RefusalLog.strangersForOne
            #expect(try await log.write(with: desk.services) <= most + 5)
            let kept = try await desk.operator().run(ListRefusals(limit: 1_000))
            #expect(kept.filter { $0.user != nil }.count == 5 && kept.count < 700)
            // A write begins a new count.
            keep(3, as: nil)
            #expect(try await log.write(with: desk.services) == 3)
            // A refresh token that somebody has made up shows no member.
            let invented = RefreshToken(SplitToken(id: String(repeating: "0", count: 26), random: .live).text)
            keep(
                10_000,
                as: Actor(principal: .tokenHolder(invented, KeyThumbprint("somebody's phone")), door: .httpAPI))
            #expect(try await log.write(with: desk.services) <= most)
        }
    }

    @Test("WDR-3: a withdrawal deletes what its devices were refused before anybody knew whose they are")
    func refusedDevices() async throws {
        try await Desk.open { desk in
            let phone = desk.device("phone")
            let guest = try await phone.logIn()
            func keep(_ key: String) {
                let actor = Actor(
                    principal: .device(KeyThumbprint(key), origin: "https://login.example.com"), door: .httpAPI)
                desk.services.refusals.keep(
                    Refusal(.authIDPLoginFailed),
                    of: RefusedCaller(
                        call: "/login", provider: .naver, client: "osCode=IOS", actor: actor, at: desk.clock.now),
                    app: Desk.app, transactionID: TransactionID(key))
            }
            keep(phone.key.rawValue)
            keep("another phone")
            try await desk.services.refusals.write(with: desk.services)
            #expect(try await desk.operator().run(ListRefusals(limit: 9)).map(\.user) == [nil, nil])
            try await desk.operator().run(WithdrawMember(user: guest.user))
            let left = try await desk.operator().run(ListRefusals(limit: 9))
            #expect(left.map(\.key) == [KeyThumbprint("another phone")])
        }
    }

    @Test(
        "WDR-3: what is written about a member while it withdraws is written before the withdrawal, or not at all",
        arguments: Engine.available)
    func withdrawnMeanwhile(engine: Engine) async throws {
        try await Desk.open(engine) { desk in
            let (alice, bob) = (try await desk.player("alice"), try await desk.player("bob"))
            let read = { (user: UserID) in
                try #require(
                    try await desk.database.read { tx in try MemberQueries.account(user, app: Desk.app, in: tx) })
            }
            let (known, stale) = (try await read(alice.user), try await read(bob.user))
            try await desk.operator().run(WithdrawMember(user: bob.user))
            // A ticket for the identity of another member depends on both.
            try await desk.database.decide { tx in try MemberQueries.requireUnchanged(known, in: tx) }
            await #expect(throws: StorageError.conflict) {
                try await desk.database.decide { tx in try MemberQueries.requireUnchanged(stale, in: tx) }
            }
            guard case .player(let claims) = try await alice.caller.actor.principal else {
                Issue.record("a player has a session")
                return
            }
            let view = CallContext(
                app: try #require(try await desk.database.read { tx in try AppQueries.app(Desk.app, in: tx) }),
                moment: desk.clock.now)
            let session = try #require(
                try await desk.database.read { tx in
                    try SessionQueries.session(claims.session, app: Desk.app, in: tx)?.session
                })
            let identity = VerifiedIdentity(key: IdentityKey(provider: .naver, namespace: "", subject: "bob"))
            let tickets: @Sendable (Reader) throws -> Int? = { tx in
                try tx.first("SELECT COUNT(*) FROM forcing_tickets") { row in try row[0] as Int }
            }
            for isGone in [true, false] {
                func issue() async throws {
                    try await desk.database.decide { [services = desk.services] tx in
                        let change = Change(
                            view, by: Origin(actor: .player, door: .httpAPI), random: services.random,
                            vault: services.vault)
                        _ = try TicketRules.issue(
                            identity, of: isGone ? stale : known, to: known, session, change, in: tx)
                    }
                }
                if isGone {
                    await #expect(throws: StorageError.conflict) { try await issue() }
                } else {
                    try await issue()
                }
                #expect(try await desk.database.read(tickets) == (isGone ? 0 : 1))
            }
            let gone = try await desk.database.transact { tx in
                try RefusalRules.withdrawn(of: [alice.user, bob.user, UserID("nobody")], app: Desk.app, in: tx)
            }
            #expect(gone == [bob.user, UserID("nobody")])
        }
    }
}
