import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What ends a session: it is over at once, on every node, for every call, with its own reason.
@Suite struct SessionEndTests {
    /// Something that ends a session.
    struct End: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: ErrorReason
        /// Ends the session of the player that it returns.
        let tell: @Sendable (Desk) async throws -> Player
    }

    static let ends = [
        End(testDescription: "a logout", reason: .loggedOut) { desk in
            let alice = try await desk.player("alice")
            try await alice.device.holder(of: alice.login.session.refreshToken).run(LogOut())
            return alice
        },
        End(testDescription: "a ban", reason: .banned) { desk in
            let alice = try await desk.player("alice")
            try await desk.ban([alice.user])
            return alice
        },
        End(testDescription: "a kick-out", reason: .kickedOut) { desk in
            let alice = try await desk.player("alice")
            try await desk.gameServer().run(KickOut(user: alice.user, message: [:]))
            return alice
        },
        End(testDescription: "a kick-out of all", reason: .kickedOut) { desk in
            let alice = try await desk.player("alice")
            try await desk.gameServer().run(KickOut(user: nil, message: [:]))
            return alice
        },
        End(testDescription: "one session more than may live", reason: .tooManySessions) { desk in
            try await desk.changeLimits { $0.liveSessions = 1 }
            let alice = try await desk.player("alice")
            _ = try await desk.player("alice", on: "tablet")
            return alice
        },
        End(testDescription: "an end from another device", reason: .endedElsewhere) { desk in
            let alice = try await desk.player("alice")
            try await desk.player("alice", on: "tablet").run(EndOtherSessions())
            return alice
        },
        End(testDescription: "a removed mapping", reason: .identityRemoved) { desk in
            let alice = try await desk.player("alice")
            _ = try await alice.addMapping(.twitter, of: "alice")
            let other = try await desk.player("alice", .twitter, on: "tablet")
            try await alice.run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
            return other
        },
        End(testDescription: "the loss of the last identity", reason: .identityRemoved) { desk in
            let alice = try await desk.player("alice", .twitter, on: "tablet")
            let guest = try await desk.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            try await guest.run(ForceMapping(ticket: ticket))
            return alice
        },
        End(testDescription: "a transfer", reason: .transferred) { desk in
            let guest = try await desk.guest("phone")
            let account = try await guest.run(IssueTransferAccount())
            let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
            try await desk.device("tablet").caller.run(RedeemTransferAccount(redemption: redemption))
            return guest
        },
        End(testDescription: "a change of the login", reason: .replaced) { desk in
            _ = try await desk.player("alice", .twitter, on: "tablet")
            let bob = try await desk.player("bob")
            let ticket = try #require(try await bob.ticket(for: .twitter, of: "alice"))
            let login = try await bob.run(ChangeLogin(ticket: ticket))
            try await bob.device.holder(of: login.session.refreshToken).run(RefreshSession())
            return bob
        },
    ]

    @Test("SES-5, SES-8, LOGIN-12: what ends a session is told to each of its calls, on every node", arguments: ends)
    func ended(_ end: End) async throws {
        try await Desk.open { desk in
            let ended = try await end.tell(desk)
            desk.journal.clear()
            for node in [desk, try desk.restarted()] {
                let player = Player(device: Device(desk: node, key: ended.device.key), login: ended.login)
                let holder = player.device.holder(of: player.login.session.refreshToken)
                for refused in [
                    await refusal { try await player.run(SendHeartbeat()) },
                    await refusal { try await player.run(RequestWithdrawal()) },
                    await refusal { try await holder.run(RefreshSession()) },
                ] {
                    #expect(refused?.code == .authInvalidGatehouseToken)
                    #expect(refused?.reason == end.reason)
                }
                let resumption = await refusal { try await holder.run(LogInWithLastProvider()) }
                #expect(
                    resumption?.code == (end.reason == .banned ? .bannedMember : .authTokenLoginInvalidTokenInfo))
                #expect(resumption?.reason == end.reason)
            }
            #expect(desk.journal.counts.isEmpty)
        }
    }

    @Test("SES-5, WDR-1: a withdrawn member's tokens are told that the account is gone, and open nothing")
    func withdrawn() async throws {
        try await Desk.open { desk in
            let (phone, tablet) = (try await desk.player("alice"), try await desk.player("alice", on: "tablet"))
            try await phone.run(Withdraw())
            for player in [phone, tablet] {
                #expect(await refusal { try await player.run(SendHeartbeat()) }?.reason == .withdrawn)
                let holder = player.device.holder(of: player.login.session.refreshToken)
                #expect(await code { try await holder.run(RefreshSession()) } == .authInvalidGatehouseToken)
                let resumption = await code { try await holder.run(LogInWithLastProvider()) }
                #expect(resumption == .authTokenLoginInvalidTokenInfo)
            }
        }
    }

    @Test("SES-5, LNK-1: a session that a login adds while its mapping is removed does not outlive the removal")
    func addedMeanwhile() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            _ = try await alice.addMapping(.twitter, of: "alice")
            let other = try await desk.player("alice", .twitter, on: "tablet")
            try await alice.run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
            // The removal has not seen the session, as that of a login on another node.
            try await desk.database.transact { tx in
                try tx.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE idp = 'twitter'")
            }
            #expect(await refusal { try await other.run(SendHeartbeat()) }?.reason == .identityRemoved)
            _ = try await alice.addMapping(.twitter, of: "alice")
            #expect(await refusal { try await other.run(SendHeartbeat()) }?.reason == .identityRemoved)
            let holder = other.device.holder(of: other.login.session.refreshToken)
            #expect(await refusal { try await holder.run(RefreshSession()) }?.reason == .identityRemoved)
            #expect(try await desk.player("alice", .twitter, on: "tablet").isLoggedIn)
        }
    }

    @Test("SES-5, BAN-5: a kick-out of all ends what begins until its full second, and no later session")
    func kickOutOfAll() async throws {
        try await Desk.open { desk in
            let before = try await desk.guest("before")
            try await desk.gameServer().run(KickOut(user: nil, message: ["en": "Update.", "ko": "업데이트"]))
            let refused = await refusal { try await before.run(SendHeartbeat()) }
            #expect(refused?.details.message == "Update.")
            // A node that knows of the kick-out opens sessions that begin at its end, and their tokens with them.
            let during = try await desk.guest("during")
            #expect(during.login.session.sessionExpiryDate == desk.clock.in(seconds: 90 * 86_400 + 3))
            #expect(try await during.isLoggedIn)
            desk.clock.advance(seconds: 3)
            #expect(try await desk.guest("after").isLoggedIn)
            #expect(try await during.isLoggedIn)
            #expect(try await !before.isLoggedIn)
        }
    }

    @Test("BAN-6, TRANSFER-7: an end is told in the player's language: the operator's text, or else that of its reason")
    func texts() async throws {
        try await Desk.open { desk in
            let app = try await desk.context().view.app
            let view = Viewpoint(app: app, languages: ["ko-KR"], moment: desk.clock.now)
            let other = Viewpoint(app: app, languages: ["fr"], moment: desk.clock.now)
            let written = LocalizedText(["en": "Update.", "ko": "업데이트"])
            #expect(SessionEndText.message(.kickedOut, written: written, view) == "업데이트")
            #expect(SessionEndText.message(.kickedOut, written: written, other) == "Update.")
            #expect(SessionEndText.message(.loggedOut, written: written, view) == "업데이트")
            for reason in [ErrorReason.transferred, .kickedOut, .endedElsewhere, .identityRemoved, .withdrawn] {
                let texts = [view, other].map { SessionEndText.message(reason, written: LocalizedText(), $0) }
                #expect(texts.allSatisfy { $0?.isEmpty == false } && texts[0] != texts[1], "\(reason)")
            }
            for reason in [ErrorReason.loggedOut, .replaced, .tooManySessions, .sessionUnknown] {
                #expect(SessionEndText.message(reason, written: nil, view) == nil, "\(reason)")
            }
        }
    }
}
