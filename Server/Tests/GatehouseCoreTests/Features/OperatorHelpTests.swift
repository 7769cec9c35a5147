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
        try await TestCore.open { core in
            let phone = try await core.player("alice")
            let remove = RemoveMemberMapping(.naver, of: phone.user)
            #expect(await code { try await core.operator().run(remove) } == .authRemoveMappingLastMappedIDP)
            _ = try await phone.addMapping(.twitter, of: "alice")
            #expect(await code { try await core.operator(reason: nil).run(remove) } == .invalidParameter)
            try await core.operator().run(remove)
            #expect(try await !phone.isLoggedIn)
            #expect(try await core.member(phone.user).mappings.map(\.provider) == [.twitter])
            #expect(try await core.history(of: phone.user).last == .mappingRemoved)
            #expect(await code { try await core.operator().run(remove) } == .authRemoveMappingFailed)
            #expect(try await core.player("alice").user != phone.user)
        }
    }

    @Test(
        "A moved identity leads to the other member; the member without one can be restored, and the other is a guest again"
    )
    func move() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let guest = try await core.guest("tablet")
            let move = MoveMemberMapping(.naver, from: alice.user, to: guest.user)
            let values: [String: Phrase.Value] = [
                "user": .user(alice.user), "other": .user(guest.user), "idp": .providers([.naver]), "count": .count(30),
            ]
            #expect(
                try await core.operator().run(ReadPreview(of: move)).consequences.suffix(2)
                    == [Phrase("mapping-move.freezes", values), Phrase("mapping-move.guest", values)])
            try await core.operator().run(move)
            #expect(try await core.member(alice.user).status == .missing)
            #expect(try await !alice.isLoggedIn)
            #expect(try await !guest.isLoggedIn)
            #expect(try await core.player("alice").user == guest.user)
            #expect(try await core.history(of: alice.user).suffix(2) == [.mappingMovedAway, .memberFrozen])
            #expect(try await core.history(of: guest.user).last == .mappingMovedHere)
            func plan() async throws -> RestorationPlan? {
                let view = try await core.context()
                return try await core.database.read { tx in
                    try RestorationPlan(of: alice.user, with: nil, view, in: tx)
                }
            }
            let restore = try #require(try await plan())
            #expect(restore.provider == .naver && restore.other?.user == guest.user)
            #expect(restore.other?.outcome == .isGuestAgain && restore.other?.sessions == 1)
            try await core.operator().run(RestoreMember(user: alice.user, provider: nil))
            #expect(try await core.player("alice").user == alice.user)
            #expect(try await core.guest("tablet").user == guest.user)
            #expect(try await plan() == nil)
        }
    }

    @Test(
        "An identity moves to no member that has one of the provider, is gone, or is itself, and from none that is banned"
    )
    func moveRefused() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let bob = try await core.player("bob", on: "tablet")
            let guest = try await core.guest("pc")
            func move(to user: UserID, _ provider: Provider = .naver) async -> ErrorCode? {
                await code {
                    try await core.operator().run(MoveMemberMapping(provider, from: alice.user, to: user))
                }
            }
            #expect(await move(to: bob.user) == .authAddMappingAlreadyHasSameIDP)
            #expect(await move(to: alice.user) == .invalidParameter)
            #expect(await move(to: UserID("NOBODY")) == .authNotExistMember)
            #expect(await move(to: guest.user, .twitter) == .authRemoveMappingFailed)
            #expect(await move(to: bob.user, .guest) == .authAddMappingCannotAddGuestIDP)
            try await core.ban([alice.user])
            #expect(await move(to: guest.user) == .bannedMember)
            try await core.operator().run(WithdrawMember(user: guest.user))
            #expect(await move(to: guest.user) == .authNotExistMember)
            #expect(try await core.member(alice.user).mappings.map(\.provider) == [.naver])
        }
    }

    @Test("An operator takes a withdrawal back as long as it is pending")
    func withdrawal() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let cancel = CancelMemberWithdrawal(user: alice.user)
            #expect(await code { try await core.operator().run(cancel) } == .authWithdrawNotTemporaryWithdraw)
            try await alice.run(RequestWithdrawal())
            try await core.operator().run(cancel)
            #expect(try await core.member(alice.user).status == .normal)
            #expect(try await core.history(of: alice.user).last == .withdrawalCancelled)
            try await alice.run(RequestWithdrawal())
            core.clock.advance(days: 8)
            #expect(await code { try await core.operator().run(cancel) } != nil)
            #expect(try await core.member(alice.user).status == .withdrawn)
        }
    }

    @Test("An operator sees, unblocks and reissues a guest's transfer account, and the audit log tells of it")
    func reissue() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let unblock = UnblockTransferAccount(user: guest.user)
            func reissue(_ target: TransferRenewal.Target, of user: UserID) async throws -> TransferAccount {
                try await core.operator().run(ReissueTransferAccount(target: target, user: user))
            }
            #expect(try await core.operator().run(.transferReport(of: guest.user)) == nil)
            #expect(await code { try await core.operator().run(unblock) } == .authTransferAccountNotExist)
            #expect(await code { try await reissue(.password, of: guest.user) } == .authTransferAccountNotExist)
            // The player has lost the device before a pair was issued.
            let first = try await reissue(.idAndPassword, of: guest.user)
            #expect(try await !core.operator().run(unblock))
            for number in 1...5 {
                _ = await code { try await core.device("d\(number)").redeem(first, with: "wrong") }
            }
            let report = try #require(try await core.operator().run(.transferReport(of: guest.user)))
            #expect(report.account.id == first.id && report.account.password == nil)
            #expect(report.failedAttempts == 5)
            #expect(report.blockedUntil == core.clock.now.adding(seconds: 3_600))
            #expect(await code { try await core.operator(reason: nil).run(unblock) } == .invalidParameter)
            #expect(try await core.operator().run(unblock))

            let second = try await reissue(.password, of: guest.user)
            #expect(second.id == first.id)
            let tablet = core.device("tablet")
            #expect(await code { try await tablet.redeem(first) } == .authTransferAccountInvalidPassword)
            #expect(try await tablet.redeem(second).member.userId == guest.user)
            #expect(
                try await core.history(of: guest.user) == [
                    .memberCreated, .transferReissued, .transferBlocked, .transferUnblocked, .transferReissued,
                    .transferRedeemed,
                ])
            #expect(
                try await core.records().map(\.event) == [
                    "transfer.reissued", "transfer.unblocked", "transfer.reissued",
                ])
            let dump = try await core.database.dump()
            for password in [first, second].compactMap(\.password?.secretValue) {
                #expect(!dump.contains(password) && !"\(core.callLog.lines)".contains(password))
            }
            let alice = try await core.player("alice", on: "console")
            #expect(await code { try await reissue(.idAndPassword, of: alice.user) } == .notGuestOrHasOthers)
        }
    }

    @Test("A void transfer account opens nothing")
    func transfer() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let void = VoidTransferAccount(user: guest.user)
            #expect(await code { try await core.operator().run(void) } == .authTransferAccountNotExist)
            let account = try await guest.run(IssueTransferAccount())
            try await core.operator().run(void)
            #expect(try await core.operator().run(.transferReport(of: guest.user)) == nil)
            let redemption = TransferRedemption(id: account.id, password: account.password ?? TransferPassword(""))
            let tablet = core.device("tablet")
            #expect(
                await code { try await tablet.caller.run(RedeemTransferAccount(redemption: redemption)) }
                    == .authTransferAccountInvalidID)
            #expect(try await core.history(of: guest.user).last == .transferVoided)
        }
    }

    @Test("Notes and refused calls of a member are deleted with its withdrawal")
    func withdrawn() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await core.operator().run(AddMemberNote(user: alice.user, text: "asks often"))
            #expect(
                await code {
                    try await core.operator().run(
                        AddMemberNote(
                            user: alice.user, text: String(repeating: "a", count: MemberNote.maximumLength + 1)))
                } == .invalidParameter)
            func keep() async throws {
                core.services.refusals.keep(
                    Refusal(.authAddMappingFailed),
                    of: RefusedCaller(
                        call: "/mappings", provider: .naver, client: "osCode=IOS", actor: try await alice.caller.actor,
                        at: core.clock.now), app: TestCore.app, transactionID: TransactionID("t1"))
            }
            try await keep()
            func kinds() async throws -> [TimelineKind?] {
                try await core.operator().run(ReadMemberStream(of: alice.user, limit: 9)).map(\.kind)
            }
            #expect(try await Set(kinds()) == [.notes, .refusals, .identities])
            // One that is written only after the withdrawal leads to nobody.
            try await keep()
            try await core.operator().run(WithdrawMember(user: alice.user))
            let left = try await kinds()
            #expect(!left.contains(.notes) && !left.contains(.refusals) && left.contains(.withdrawals))
            let calls = try await core.operator().run(FindRefusals(transactionID: "t1"))
            #expect(calls.count == 1 && calls.allSatisfy { $0.user == nil && $0.key == nil && $0.client == nil })
            #expect(
                await code { try await core.operator().run(AddMemberNote(user: alice.user, text: "gone")) }
                    == .authNotExistMember)
        }
    }

    @Test("Refused calls are kept for seven days, and no more than an app may have wait to be written")
    func kept() async throws {
        try await TestCore.open { core in
            let log = core.services.refusals
            let actor = try await core.player("alice").caller.actor
            func keep(_ refusal: Refusal, _ count: Int = 1) {
                for _ in 0..<count {
                    log.keep(
                        refusal,
                        of: RefusedCaller(
                            call: "/login", provider: nil, client: nil, actor: actor, at: core.clock.now),
                        app: TestCore.app, transactionID: TransactionID("t1"))
                }
            }
            keep(Refusal(.authInvalidGatehouseToken, reason: .tokenExpired))
            #expect(try await log.write(with: core.services) == 0)
            keep(.tooManyRequests(retryAfterSeconds: 1), RefusalLog.capacityForOverload + 5)
            keep(Refusal(.authIDPLoginFailed), RefusalLog.capacity)
            #expect(try await log.write(with: core.services) == RefusalLog.capacity)
            let sweeper = Sweeper(services: core.services)
            core.clock.advance(days: 6)
            _ = try await sweeper.sweep()
            #expect(try await core.operator().run(ListRefusals(limit: 9)).count == 9)
            core.clock.advance(days: 1)
            core.clock.advance(seconds: 1)
            _ = try await sweeper.sweep()
            #expect(try await core.operator().run(ListRefusals(limit: 9)).isEmpty)
        }
    }

    @Test("Of a flood of calls that nobody had to be let in for, a few are kept, and none in the place of a player's")
    func strangers() async throws {
        try await TestCore.open { core in
            let log = core.services.refusals
            func keep(_ count: Int, as actor: Actor?) {
                let caller = RefusedCaller(call: "/login", provider: nil, client: nil, actor: actor, at: core.clock.now)
                for _ in 0..<count {
                    log.keep(
                        Refusal(.authIDPLoginFailed), of: caller, app: TestCore.app, transactionID: TransactionID("t1"))
                }
            }
            keep(10_000, as: nil)
            keep(5, as: try await core.player("alice").caller.actor)
            let most = RefusalLog.strangersAtOnce + 10_000 / RefusalLog.strangersForOne
            #expect(try await log.write(with: core.services) <= most + 5)
            let kept = try await core.operator().run(ListRefusals(limit: 1_000))
            #expect(kept.filter { $0.user != nil }.count == 5 && kept.count < 700)
            // A write begins a new count.
            keep(3, as: nil)
            #expect(try await log.write(with: core.services) == 3)
            // A refresh token that somebody has made up shows no member.
            let invented = RefreshToken(SplitToken(id: String(repeating: "0", count: 26), random: .live).text)
            keep(
                10_000,
                as: Actor(principal: .tokenHolder(invented, KeyThumbprint("somebody's phone")), door: .httpAPI))
            #expect(try await log.write(with: core.services) <= most)
        }
    }

    @Test("WDR-3: a withdrawal deletes what its devices were refused before anybody knew whose they are")
    func refusedDevices() async throws {
        try await TestCore.open { core in
            let phone = core.device("phone")
            let guest = try await phone.logIn()
            func keep(_ key: String) {
                let actor = Actor(
                    principal: .device(KeyThumbprint(key), origin: "https://login.example.com"), door: .httpAPI)
                core.services.refusals.keep(
                    Refusal(.authIDPLoginFailed),
                    of: RefusedCaller(
                        call: "/login", provider: .naver, client: "osCode=IOS", actor: actor, at: core.clock.now),
                    app: TestCore.app, transactionID: TransactionID(key))
            }
            keep(phone.key.rawValue)
            keep("another phone")
            try await core.services.refusals.write(with: core.services)
            #expect(try await core.operator().run(ListRefusals(limit: 9)).map(\.user) == [nil, nil])
            try await core.operator().run(WithdrawMember(user: guest.user))
            let left = try await core.operator().run(ListRefusals(limit: 9))
            #expect(left.map(\.key) == [KeyThumbprint("another phone")])
        }
    }

    @Test(
        "WDR-3: what is written about a member while it withdraws is written before the withdrawal, or not at all",
        arguments: Engine.available)
    func withdrawnMeanwhile(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob"))
            let read = { (user: UserID) in
                try #require(
                    try await core.database.read { tx in try MemberQueries.account(user, app: TestCore.app, in: tx) })
            }
            let (known, stale) = (try await read(alice.user), try await read(bob.user))
            try await core.operator().run(WithdrawMember(user: bob.user))
            // A ticket for the identity of another member depends on both.
            try await core.database.decide { tx in try MemberQueries.requireUnchanged(known, in: tx) }
            await #expect(throws: StorageError.conflict) {
                try await core.database.decide { tx in try MemberQueries.requireUnchanged(stale, in: tx) }
            }
            guard case .player(let claims) = try await alice.caller.actor.principal else {
                Issue.record("a player has a session")
                return
            }
            let view = CallContext(
                app: try #require(try await core.database.read { tx in try AppQueries.app(TestCore.app, in: tx) }),
                moment: core.clock.now)
            let session = try #require(
                try await core.database.read { tx in
                    try SessionQueries.session(claims.session, app: TestCore.app, in: tx)?.session
                })
            let identity = VerifiedIdentity(key: IdentityKey(provider: .naver, namespace: "", subject: "bob"))
            let tickets: @Sendable (Reader) throws -> Int? = { tx in
                try tx.first("SELECT COUNT(*) FROM forcing_tickets") { row in try row[0] as Int }
            }
            for isGone in [true, false] {
                func issue() async throws {
                    try await core.database.decide { [services = core.services] tx in
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
                #expect(try await core.database.read(tickets) == (isGone ? 0 : 1))
            }
            let gone = try await core.database.transact { tx in
                try RefusalRules.withdrawn(of: [alice.user, bob.user, UserID("nobody")], app: TestCore.app, in: tx)
            }
            #expect(gone == [bob.user, UserID("nobody")])
        }
    }
}
