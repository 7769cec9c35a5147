import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Calls that are sent again with their idempotency keys, because their answers were lost.
@Suite struct IdempotentCallTests {
    @Test("SES-4, REL-6: a login whose answer was lost is answered again with its own session, on every node")
    func lostAnswer() async throws {
        try await TestCore.open { core in
            let first = try await core.device("phone").logIn(once: "1")
            let credential = FakePeople.credential(.naver, of: "alice")
            let alice = try await core.device("tablet").logIn(credential, once: "1")
            for node in [core, try core.restarted()] {
                let again = try await node.device("phone").logIn(once: "1")
                #expect(again.user == first.user)
                #expect(again.login.session.refreshToken == first.login.session.refreshToken)
                #expect(again.login.session.sessionExpiryDate == first.login.session.sessionExpiryDate)
                let answer = try await node.device("tablet").logIn(credential, once: "1")
                #expect(answer.login.session.refreshToken == alice.login.session.refreshToken)
                #expect(try await answer.isLoggedIn)
            }
            #expect(try await core.operator().run(.liveSessions).count == 2)
            #expect(core.callLog.counts == [.memberCreated: 2])
        }
    }

    @Test("REL-6: the key of one call is refused for another call, and another device's or session's is its own")
    func owners() async throws {
        try await TestCore.open { core in
            let guest = try await core.device("phone").logIn(once: "1")
            #expect(try await core.device("tablet").logIn(once: "1").user != guest.user)
            let alice = try await core.player("alice", on: "phone")
            let pending = try await guest.run(RequestWithdrawal(), once: "2").member
            #expect(try await alice.run(RequestWithdrawal(), once: "2").member.userId == alice.user)
            core.clock.advance(seconds: 60)
            let again = try await guest.run(RequestWithdrawal(), once: "2").member
            #expect(again.temporaryWithdrawal == pending.temporaryWithdrawal)
            let other = await refusal { try await guest.run(CancelWithdrawal(), once: "2") }
            #expect(other?.reason == .idempotencyKeyReused)
            #expect(other?.status == 422)
            #expect(try await core.member(guest.user).status == .pendingWithdrawal)
            #expect(try await guest.run(CancelWithdrawal(), once: "3").member.status == .normal)
        }
    }

    @Test("REL-6, SES-5: a repeated login tells the member and the session as they are now")
    func present() async throws {
        try await TestCore.open { core in
            let credential = FakePeople.credential(.naver, of: "alice")
            let device = core.device("phone")
            let alice = try await device.logIn(credential, once: "1")
            core.clock.advance(seconds: 60)
            _ = try await alice.addMapping(.twitter, of: "alice")
            let renewal = try await device.holder(of: alice.login.session.refreshToken).run(RefreshSession())
            let again = try await device.logIn(credential, once: "1").login
            #expect(again.member.mappings.map(\.provider) == [.naver, .twitter])
            #expect(again.session.refreshToken == alice.login.session.refreshToken)
            #expect(again.session.sessionExpiryDate == renewal.session.sessionExpiryDate)
            // A guest's session goes on under the identity that it has mapped.
            let guest = try await core.device("tablet").logIn(once: "2")
            _ = try await guest.addMapping(.naver, of: "bob")
            #expect(try await core.device("tablet").logIn(once: "2").login.provider == .naver)
        }
    }

    @Test("SES-5, BAN-1, REL-6: a login is not answered again when its session is over or its member is banned")
    func over() async throws {
        try await TestCore.open { core in
            let ends: [(name: String, reason: ErrorReason?, end: @Sendable (Player) async throws -> Void)] = [
                (
                    "loggedout", .loggedOut,
                    { try await $0.device.holder(of: $0.login.session.refreshToken).run(LogOut()) }
                ),
                ("kickedout", .kickedOut, { try await core.gameServer().run(KickOut(user: $0.user, message: [:])) }),
                (
                    "unmapped", .identityRemoved,
                    { player in
                        _ = try await player.addMapping(.twitter, of: "unmapped")
                        try await core.player("unmapped", .twitter, on: "tablet")
                            .run(RemoveMapping(removal: MappingRemoval(provider: .naver)))
                    }
                ),
                ("withdrawn", .withdrawn, { try await $0.run(Withdraw()) }),
                ("banned", nil, { try await core.ban([$0.user]) }),
                (
                    "released", .banned,
                    { player in
                        try await core.ban([player.user])
                        try await core.gameServer().run(ReleaseBans(users: [player.user]))
                    }
                ),
            ]
            for (name, reason, end) in ends {
                let credential = FakePeople.credential(.naver, of: name)
                let device = core.device(name)
                let player = try await device.logIn(credential, once: "1")
                try await end(player)
                let refused = await refusal { try await device.logIn(credential, once: "1") }
                #expect(refused?.code == (reason == nil ? .bannedMember : .authIDPLoginFailed), "\(name)")
                #expect(refused?.reason == reason, "\(name)")
            }
            #expect(core.callLog.counts[.loggedIn] == 1)
            #expect(core.callLog.counts[.memberCreated] == ends.count)
            // A kick-out of all and a maintenance end no single session.
            let guest = core.device("guest")
            _ = try await guest.logIn(once: "1")
            try await core.gameServer().run(KickOut(user: nil, message: [:]))
            #expect(await refusal { try await guest.logIn(once: "1") }?.reason == .kickedOut)
            _ = try await guest.logIn(once: "2")
            try await core.operator().run(SetStatus(status: .maintenance, message: [:]))
            #expect(await code { try await guest.logIn(once: "2") } == .authNotPlayable)
        }
    }

    @Test("REL-6, START-3: a login that is sent again during a maintenance is refused, and answered again after it")
    func maintenance() async throws {
        try await TestCore.open { core in
            let account = try await core.guest("phone").run(IssueTransferAccount())
            let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
            var credential = Credential(provider: .twitter)
            credential.authorizationCode = "alice.1"
            // Each looks for its stored outcome before it decides anything.
            let logins: [() async throws -> Login] = [
                { [credential] in try await core.device("console").logIn(credential, once: "1").login },
                {
                    try await core.device("tablet").caller
                        .run(RedeemTransferAccount(redemption: redemption), once: "1")
                },
            ]
            for logIn in logins {
                let first = try await logIn()
                try await core.operator().run(SetStatus(status: .maintenance, message: [:]))
                #expect(await code { try await logIn() } == .authNotPlayable)
                try await core.operator().run(SetStatus(status: .inService, message: [:]))
                #expect(try await logIn().session.refreshToken == first.session.refreshToken)
            }
        }
    }

    @Test("SES-5, BAN-1, TRF-4: so it is with repeated redemptions, and with a repeated login by ticket")
    func otherLogins() async throws {
        try await TestCore.open { core in
            let ends: [(refused: ErrorCode, end: @Sendable (Player) async throws -> Void)] = [
                (.bannedMember, { try await core.ban([$0.user]) }),
                (.authInvalidGatehouseToken, { try await $0.run(Withdraw()) }),
                (
                    .authInvalidGatehouseToken,
                    { try await core.gameServer().run(KickOut(user: $0.user, message: [:])) }
                ),
            ]
            for (number, (refused, end)) in ends.enumerated() {
                let account = try await core.guest("account\(number)").run(IssueTransferAccount())
                let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
                let key = try await core.guest("key\(number)")
                    .run(IssueTransferKey(request: TransferKeyRequest(validSeconds: 600)))
                _ = try await core.player("alice\(number)", .twitter, on: "tablet")
                let guest = try await core.guest("guest\(number)")
                let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice\(number)"))
                let (one, other) = (core.device("one\(number)"), core.device("other\(number)"))
                let redeem = RedeemTransferAccount(redemption: redemption)
                let useKey = RedeemTransferKey(redemption: TransferKeyRedemption(transferKey: key.transferKey))
                let calls: [(Device, () async throws -> Login)] = [
                    (one, { try await one.caller.run(redeem, once: "1") }),
                    (other, { try await other.caller.run(useKey, once: "1") }),
                    (guest.device, { try await guest.run(ChangeLogin(ticket: ticket), once: "1") }),
                ]
                for (device, call) in calls {
                    let login = try await call()
                    #expect(try await call().session.refreshToken == login.session.refreshToken)
                    try await end(Player(device: device, login: login))
                    #expect(await code { try await call() } == refused)
                }
            }
        }
    }

    @Test("TRF-1, REL-6: a redemption is one attempt however often it is sent", arguments: Engine.available)
    func redemptions(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let account = try await core.guest("phone").run(IssueTransferAccount())
            let tablet = core.device("tablet").caller
            let wrong = RedeemTransferAccount(redemption: TransferRedemption(id: account.id, password: "Abcdefgh12"))
            let key = RedeemTransferKey(redemption: TransferKeyRedemption(transferKey: "Abcdef12"))
            for _ in 1...3 {
                #expect(await code { try await tablet.run(wrong, once: "1") } == .authTransferAccountInvalidPassword)
                #expect(await code { try await tablet.run(key, once: "2") } == .authTransferKeyNotExist)
            }
            let guesses = try await core.database.rows("SELECT guesses FROM wrong_transfers") { row in
                try row[0] as Int
            }
            #expect(guesses == [1, 1])
            let right = TransferRedemption(id: account.id, password: try #require(account.password))
            let tokens = try await withThrowingTaskGroup(of: RefreshToken?.self) { group in
                // A device has few places in the queue of slow hashes.
                for _ in 1...2 {
                    group.addTask {
                        try await tablet.run(RedeemTransferAccount(redemption: right), once: "3").session.refreshToken
                    }
                }
                return try await group.reduce(into: Set<RefreshToken?>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(core.callLog.lines(.transferRedeemed).count == 1)
        }
    }

    @Test("SES-5, REL-6: a player's repeated call is answered only as long as the session lives")
    func endedSession() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            _ = try await alice.run(RequestWithdrawal(), once: "1")
            try await core.gameServer().run(KickOut(user: alice.user, message: [:]))
            let refused = await refusal { try await alice.run(RequestWithdrawal(), once: "1") }
            #expect(refused?.code == .authInvalidGatehouseToken)
            #expect(refused?.reason == .kickedOut)
            // A withdrawal has ended its own session, and its answer says nothing that the player does not know.
            let bob = try await core.player("bob", on: "tablet")
            for _ in 1...2 { try await bob.run(Withdraw(), once: "2") }
            #expect(core.callLog.counts[.withdrawn] == 1)
        }
    }

    @Test("LOG-1, WDR-3: the row of a call names neither its owner nor what was sent or answered")
    func atRest() async throws {
        try await TestCore.open { core in
            let guest = try await core.device("phone").logIn(once: "key-00001")
            _ = try await guest.run(RequestWithdrawal(), once: "key-00002")
            let rows = try await core.database.rows(
                "SELECT owner, request_hash, sealed_outcome FROM idempotent_calls"
            ) { row in (owner: try row[0] as String, hash: try row[1] as [UInt8], sealed: try row[2] as [UInt8]) }
            #expect(rows.count == 2)
            let token = try #require(guest.login.session.refreshToken).secretValue
            for row in rows {
                #expect(!row.owner.contains(guest.user.rawValue) && !row.owner.contains("phone"))
                #expect(!["LogIn", "RequestWithdrawal"].map { Array($0.utf8) }.contains(row.hash))
                let text = String(decoding: row.sealed, as: UTF8.self)
                for secret in [token, guest.user.rawValue, "pending"] { #expect(!text.contains(secret)) }
            }
            #expect(Set(rows.map(\.owner)).count == 2)
        }
    }
}
