import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import Testing

@testable import GatehouseCore

/// Calls that are sent again with their idempotency keys, because their answers were lost.
@Suite struct IdempotentCallTests {
    @Test("SES-4, REL-6: a login whose answer was lost is answered again with its own session, on every node")
    func lostAnswer() async throws {
        try await Desk.open { desk in
            let first = try await desk.device("phone").logIn(once: "1")
            let credential = FakePeople.credential(.naver, of: "alice")
            let alice = try await desk.device("tablet").logIn(credential, once: "1")
            for node in [desk, try desk.restarted()] {
                let again = try await node.device("phone").logIn(once: "1")
                #expect(again.user == first.user)
                #expect(again.login.session.refreshToken == first.login.session.refreshToken)
                #expect(again.login.session.sessionExpiryDate == first.login.session.sessionExpiryDate)
                let answer = try await node.device("tablet").logIn(credential, once: "1")
                #expect(answer.login.session.refreshToken == alice.login.session.refreshToken)
                #expect(try await answer.isLoggedIn)
            }
            #expect(try await desk.operator().run(CountLiveSessions()).count == 2)
            #expect(desk.journal.counts == [.memberCreated: 2])
        }
    }

    @Test("REL-6: the key of one call is refused for another call, and another device's or session's is its own")
    func owners() async throws {
        try await Desk.open { desk in
            let guest = try await desk.device("phone").logIn(once: "1")
            #expect(try await desk.device("tablet").logIn(once: "1").user != guest.user)
            let alice = try await desk.player("alice", on: "phone")
            let pending = try await guest.run(RequestWithdrawal(), once: "2").member
            #expect(try await alice.run(RequestWithdrawal(), once: "2").member.userId == alice.user)
            desk.clock.advance(seconds: 60)
            let again = try await guest.run(RequestWithdrawal(), once: "2").member
            #expect(again.temporaryWithdrawal == pending.temporaryWithdrawal)
            let other = await refusal { try await guest.run(CancelWithdrawal(), once: "2") }
            #expect(other?.reason == .idempotencyKeyReused)
            #expect(other?.status == 422)
            #expect(try await desk.member(guest.user).status == .pendingWithdrawal)
            #expect(try await guest.run(CancelWithdrawal(), once: "3").member.status == .normal)
        }
    }

    @Test("REL-6, SES-5: a repeated login tells the member and the session as they are now")
    func present() async throws {
        try await Desk.open { desk in
            let credential = FakePeople.credential(.naver, of: "alice")
            let device = desk.device("phone")
            let alice = try await device.logIn(credential, once: "1")
            desk.clock.advance(seconds: 60)
            _ = try await alice.addMapping(.twitter, of: "alice")
            let renewal = try await device.holder(of: alice.login.session.refreshToken).run(RefreshSession())
            let again = try await device.logIn(credential, once: "1").login
            #expect(again.member.mappings.map(\.provider) == [.naver, .twitter])
            #expect(again.session.refreshToken == alice.login.session.refreshToken)
            #expect(again.session.sessionExpiryDate == renewal.session.sessionExpiryDate)
            // A guest's session goes on under the identity that it has mapped.
            let guest = try await desk.device("tablet").logIn(once: "2")
            _ = try await guest.addMapping(.naver, of: "bob")
            #expect(try await desk.device("tablet").logIn(once: "2").login.provider == .naver)
        }
    }

    @Test("SES-5, BAN-1, REL-6: a login is not answered again when its session is over or its member is banned")
    func over() async throws {
        try await Desk.open { desk in
            let ends: [(name: String, reason: ErrorReason?, end: @Sendable (Player) async throws -> Void)] = [
                (
                    "loggedout", .loggedOut,
                    { try await $0.device.holder(of: $0.login.session.refreshToken).run(LogOut()) }
                ),
                ("kickedout", .kickedOut, { try await desk.gameServer().run(KickOut(user: $0.user, message: [:])) }),
                ("withdrawn", .withdrawn, { try await $0.run(Withdraw()) }),
                ("banned", nil, { try await desk.ban([$0.user]) }),
                (
                    "released", .banned,
                    { player in
                        try await desk.ban([player.user])
                        try await desk.gameServer().run(ReleaseBans(users: [player.user]))
                    }
                ),
            ]
            for (name, reason, end) in ends {
                let credential = FakePeople.credential(.naver, of: name)
                let device = desk.device(name)
                let player = try await device.logIn(credential, once: "1")
                try await end(player)
                let refused = await refusal { try await device.logIn(credential, once: "1") }
                #expect(refused?.code == (reason == nil ? .bannedMember : .authIDPLoginFailed), "\(name)")
                #expect(refused?.reason == reason, "\(name)")
            }
            #expect(desk.journal.counts[.loggedIn] == nil)
            #expect(desk.journal.counts[.memberCreated] == ends.count)
        }
    }

    @Test("SES-5, REL-6: a player's repeated call is answered only as long as the session lives")
    func endedSession() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            _ = try await alice.run(RequestWithdrawal(), once: "1")
            try await desk.gameServer().run(KickOut(user: alice.user, message: [:]))
            let refused = await refusal { try await alice.run(RequestWithdrawal(), once: "1") }
            #expect(refused?.code == .authInvalidGatehouseToken)
            #expect(refused?.reason == .kickedOut)
            // A withdrawal has ended its own session, and its answer says nothing that the player does not know.
            let bob = try await desk.player("bob", on: "tablet")
            for _ in 1...2 { try await bob.run(Withdraw(), once: "2") }
            #expect(desk.journal.counts[.withdrawn] == 1)
        }
    }

    @Test("LOG-1, WDR-3: the row of a call names neither its owner nor what was sent or answered")
    func atRest() async throws {
        try await Desk.open { desk in
            let guest = try await desk.device("phone").logIn(once: "key-00001")
            _ = try await guest.run(RequestWithdrawal(), once: "key-00002")
            let rows = try await desk.database.rows(
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
