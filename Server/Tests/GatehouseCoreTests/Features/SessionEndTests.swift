import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What ends a session: it is over at once, on every node, for every call, with its own reason. It is never revived, not
/// even if the member returns to its earlier state.
@Suite struct SessionEndTests {
    /// Something that ends sessions, and is followed by what restores their conditions.
    struct End: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: ErrorReason
        /// The code of a login with the last provider.
        var code = ErrorCode.authTokenLoginInvalidTokenInfo
        /// Returns the players whose sessions must stay ended, and those who came later, all in one second.
        let tell: @Sendable (TestCore) async throws -> (ended: [Player], lives: [Player])
    }

    private static func session(of player: Player) async throws -> SessionID {
        let session = try await player.run(ListOwnSessions()).sessions.first { $0.isCurrent }
        return try #require(session).sessionId
    }

    /// Moves a guest to another device.
    private static func move(_ guest: Player, to name: String) async throws -> Player {
        let account = try await guest.run(IssueTransferAccount())
        let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
        let device = guest.core.device(name)
        return Player(
            device: device, login: try await device.caller.run(RedeemTransferAccount(redemption: redemption)))
    }

    private static func force(_ provider: Provider, of person: String, to player: Player) async throws {
        let ticket = try #require(try await player.ticket(for: provider, of: person))
        try await player.run(ForceMapping(ticket: ticket))
    }

    /// A player with two identities, and another session of the second one.
    private static func mapped(_ core: TestCore) async throws -> (stays: Player, ends: Player) {
        let stays = try await core.player("alice")
        _ = try await stays.addMapping(.twitter, of: "alice")
        return (stays, try await core.player("alice", .twitter, on: "tablet"))
    }

    static let ends = ofSessions + ofIdentities + ofMembers

    private static let ofMembers: [End] = [
        End(testDescription: "a ban", reason: .banned, code: .bannedMember) { core in
            let alice = try await core.player("alice")
            try await core.ban([alice.user])
            return ([alice], [])
        },
        End(testDescription: "a ban that is released", reason: .banned) { core in
            let alice = try await core.player("alice")
            try await core.ban([alice.user])
            try await core.gameServer().run(ReleaseBans(users: [alice.user]))
            return ([alice], [try await core.player("alice", on: "tablet")])
        },
        End(testDescription: "a kick-out", reason: .kickedOut) { core in
            let alice = try await core.player("alice")
            try await core.gameServer().run(KickOut(user: alice.user, message: [:]))
            return ([alice], [try await core.player("alice")])
        },
        End(testDescription: "a kick-out of all", reason: .kickedOut) { core in
            let alice = try await core.player("alice")
            try await core.gameServer().run(KickOut(user: nil, message: [:]))
            return ([alice], [try await core.player("alice")])
        },
        End(testDescription: "a withdrawal on one of two devices", reason: .withdrawn) { core in
            let (phone, tablet) = (try await core.player("alice"), try await core.player("alice", on: "tablet"))
            try await phone.run(Withdraw())
            return ([phone, tablet], [try await core.player("alice", on: "tablet")])
        },
        End(testDescription: "a transfer there and back", reason: .transferred) { core in
            let guest = try await core.guest("phone")
            let away = try await move(guest, to: "tablet")
            let back = try await move(away, to: "phone")
            #expect(back.user == guest.user)
            return ([guest, away], [back])
        },
        End(testDescription: "a revoked consent", reason: .consentRevoked) { core in
            let alice = try await core.player("alice")
            #expect(try await core.report(.consentRevoked, of: "alice") == .done)
            let back = try await core.player("alice", on: "tablet")
            #expect(back.user == alice.user)
            return ([alice], [back])
        },
    ]

    private static let ofSessions: [End] = [
        End(testDescription: "a logout", reason: .loggedOut) { core in
            let alice = try await core.player("alice")
            try await alice.device.holder(of: alice.login.session.refreshToken).run(LogOut())
            return ([alice], [try await core.player("alice")])
        },
        End(testDescription: "one session more than may live", reason: .tooManySessions) { core in
            try await core.changeLimits { $0.liveSessions = 1 }
            let alice = try await core.player("alice")
            return ([alice], [try await core.player("alice", on: "tablet")])
        },
        End(testDescription: "an end from another device", reason: .endedElsewhere) { core in
            let (lost, kept) = (try await core.player("alice"), try await core.player("alice", on: "tablet"))
            try await kept.run(EndOwnSession(session: session(of: lost)))
            return ([lost], [kept, try await core.player("alice")])
        },
        End(testDescription: "an end of all others", reason: .endedElsewhere) { core in
            let (lost, kept) = (try await core.player("alice"), try await core.player("alice", on: "tablet"))
            try await kept.run(EndOtherSessions())
            return ([lost], [kept, try await core.player("alice")])
        },
        End(testDescription: "an end by a game server", reason: .kickedOut) { core in
            let (lost, kept) = (try await core.player("alice"), try await core.player("alice", on: "tablet"))
            try await core.gameServer().run(EndMemberSession(session: session(of: lost), of: lost.user))
            return ([lost], [kept, try await core.player("alice")])
        },
        End(testDescription: "a change of the login", reason: .replaced) { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let bob = try await core.player("bob")
            let ticket = try #require(try await bob.ticket(for: .twitter, of: "alice"))
            let login = try await bob.run(ChangeLogin(ticket: ticket))
            try await bob.device.holder(of: login.session.refreshToken).run(RefreshSession())
            return ([bob], [alice, Player(device: bob.device, login: login), try await core.player("bob")])
        },
    ]

    private static let ofIdentities: [End] = [
        End(testDescription: "a removed mapping that is made again", reason: .identityRemoved) { core in
            let (stays, ends) = try await mapped(core)
            try await stays.run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
            _ = try await stays.addMapping(.twitter, of: "alice")
            let again = try await core.player("alice", .twitter, on: "tablet")
            #expect(again.user == stays.user)
            return ([ends], [stays, again])
        },
        End(testDescription: "an identity that moves away and back", reason: .identityRemoved) { core in
            let (stays, ends) = try await mapped(core)
            for player in [try await core.guest("console"), stays] {
                try await force(.twitter, of: "alice", to: player)
            }
            let again = try await core.player("alice", .twitter, on: "tablet")
            #expect(again.user == stays.user)
            return ([ends], [stays, again])
        },
        End(testDescription: "a guest's first mapping that is undone", reason: .identityRemoved) { core in
            let (guest, other) = (try await core.guest("phone"), try await core.guest("phone"))
            let taken = try await core.player("taken", on: "tablet")
            try await force(.naver, of: "taken", to: guest)
            try await core.operator().run(RestoreMember(user: taken.user, provider: nil))
            let again = try await core.guest("phone")
            #expect(again.user == guest.user)
            return ([other, guest, taken], [again, try await core.player("taken", on: "tablet")])
        },
        End(testDescription: "the loss of the last identity that is restored", reason: .identityRemoved) { core in
            let frozen = try await core.player("alice", .twitter, on: "tablet")
            try await force(.twitter, of: "alice", to: core.guest("phone"))
            try await core.operator().run(RestoreMember(user: frozen.user, provider: nil))
            let again = try await core.player("alice", .twitter, on: "tablet")
            #expect(again.user == frozen.user)
            return ([frozen], [again])
        },
    ]

    @Test(
        "SES-5, SES-8, LOGIN-12, INFO-3: what has ended stays ended, on every node and for who checks tokens alone",
        arguments: Engine.available, ends)
    func ended(engine: Engine, _ end: End) async throws {
        try await TestCore.open(engine) { core in
            let (ended, lives) = try await end.tell(core)
            core.clock.advance(seconds: 3)
            core.callLog.clear()
            let checker = TokenChecker(core)
            try await checker.poll()
            for player in ended {
                #expect(try await !checker.accepts(player))
                for node in [core, try core.restarted()] {
                    let device = Device(core: node, key: player.device.key)
                    try await expectEnd(of: Player(device: device, login: player.login), end)
                }
            }
            #expect(core.callLog.counts.isEmpty)
            // A device logs out of its old session before the next login. That is no end of its own.
            let steps = try await core.count("SELECT COUNT(*) FROM ledger")
            for player in ended {
                _ = await refusal { try await player.holder.run(LogOut()) }
                try await expectEnd(of: player, end)
            }
            #expect(try await core.count("SELECT COUNT(*) FROM ledger") == steps)
            for player in lives {
                #expect(try await player.isLoggedIn)
                #expect(try await checker.accepts(player))
                let resumed = try await player.device.holder(of: player.login.session.refreshToken)
                    .run(LogInWithLastProvider())
                #expect(try await checker.accepts(resumed.session.accessToken))
            }
        }
    }

    private func expectEnd(of player: Player, _ end: End) async throws {
        let holder = player.device.holder(of: player.login.session.refreshToken)
        let token = TokenCheckRequest(accessToken: player.login.session.accessToken)
        let text = SessionEndText.message(end.reason, written: nil, try await player.core.context())
        for refused in [
            await refusal { try await player.run(SendHeartbeat()) },
            await refusal { try await player.run(RequestWithdrawal()) },
            await refusal { try await holder.run(RefreshSession()) },
            await refusal { try await player.core.gameServer([.check]).run(CheckToken(request: token)) },
        ] {
            #expect(refused?.code == .authInvalidGatehouseToken)
            #expect(refused?.reason == end.reason)
            if let text { #expect(refused?.details.message == text) }
        }
        let resumption = await refusal { try await holder.run(LogInWithLastProvider()) }
        if let text { #expect(resumption?.details.message == text) }
        #expect(resumption?.code == end.code)
        #expect(resumption?.reason == end.reason)
    }

    @Test(
        "SES-5, WDR-1: for 30 days a deleted account's refresh tokens are told of it, by a hash that says nothing else",
        arguments: Engine.available)
    func withdrawn(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let (phone, tablet) = (try await core.player("alice"), try await core.player("alice", on: "tablet"))
            let loggedOut = try await core.player("alice", on: "console")
            try await loggedOut.holder.run(LogOut())
            try await phone.run(Withdraw())
            func reasons(of player: Player) async throws -> [ErrorReason?] {
                let (refresh, resumption) = (
                    await refusal { try await player.holder.run(RefreshSession()) },
                    await refusal { try await player.holder.run(LogInWithLastProvider()) }
                )
                return [refresh?.reason, resumption?.reason]
            }
            for player in [phone, tablet] { #expect(try await reasons(of: player) == [.withdrawn, .withdrawn]) }
            // Neither a session that had ended before nor a made-up token was ended by the withdrawal.
            #expect(try await reasons(of: loggedOut) == [.sessionUnknown, .sessionUnknown])
            let random = SplitToken(
                id: TimeOrderedID.session(at: core.clock.now, random: .live).rawValue, random: .live)
            let stranger = phone.device.holder(of: RefreshToken(random.text))
            #expect(await refusal { try await stranger.run(RefreshSession()) }?.reason == .sessionUnknown)
            #expect(try await core.count("SELECT COUNT(*) FROM withdrawn_sessions") == 2)

            core.clock.advance(days: 30)
            #expect(try await reasons(of: tablet) == [.sessionUnknown, .sessionUnknown])
            core.clock.advance(seconds: 1)
            try await core.sweep()
            #expect(try await core.count("SELECT COUNT(*) FROM withdrawn_sessions") == 0)
        }
    }

    @Test("SES-5, LNK-1: a session that a login adds while its mapping is removed does not outlive the removal")
    func addedMeanwhile() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            _ = try await alice.addMapping(.twitter, of: "alice")
            let other = try await core.player("alice", .twitter, on: "tablet")
            try await alice.run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
            // The removal has not seen the session, as that of a login on another node.
            try await core.database.transact { tx in
                try tx.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE idp = 'twitter'")
            }
            let refused = await refusal { try await other.run(SendHeartbeat()) }
            #expect(refused?.reason == .identityRemoved)
            #expect(refused?.details.message?.hasPrefix("Your way to log in") == true)
            _ = try await alice.addMapping(.twitter, of: "alice")
            #expect(await refusal { try await other.run(SendHeartbeat()) }?.reason == .identityRemoved)
            let holder = other.device.holder(of: other.login.session.refreshToken)
            #expect(await refusal { try await holder.run(RefreshSession()) }?.reason == .identityRemoved)
            #expect(try await core.player("alice", .twitter, on: "tablet").isLoggedIn)
        }
    }

    @Test(
        "SES-5, LNK-1: a login in the moment in which its mapping is removed does not outlive it",
        arguments: Engine.available)
    func loginAgainstRemoval(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let second = try core.restarted()
            for number in 0..<8 {
                let alice = try await core.player("alice\(number)")
                _ = try await alice.addMapping(.twitter, of: "alice\(number)")
                async let removal = Player(device: Device(core: second, key: alice.device.key), login: alice.login)
                    .run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
                let login = try await core.player("alice\(number)", .twitter, on: "tablet")
                _ = try await removal
                // Otherwise the login came after the removal, as a new member.
                guard login.user == alice.user else { continue }
                _ = try await alice.addMapping(.twitter, of: "alice\(number)")
                let checker = TokenChecker(core)
                try await checker.poll()
                #expect(try await !checker.accepts(login))
                #expect(await refusal { try await login.run(SendHeartbeat()) }?.reason == .identityRemoved)
            }
        }
    }

    @Test("SES-5: sessions of before links were numbered live on, and don't come back either")
    func update() async throws {
        try await TestCore.open { core in
            let (stays, ended) = try await Self.mapped(core)
            let gone = try await core.player("gone", on: "console")
            try await core.database.transact { tx in
                try tx.execute("UPDATE identities SET link = 0")
                try tx.execute("UPDATE sessions SET link = 0")
                // A removal by a server of the previous version leaves this state.
                try tx.execute("DELETE FROM identities WHERE idp = 'twitter'")
                try tx.execute("UPDATE members SET version = version + 1 WHERE user_id = \(stays.user)")
            }
            for player in [stays, gone] { #expect(try await player.isLoggedIn) }
            #expect(await refusal { try await ended.run(SendHeartbeat()) }?.reason == .identityRemoved)
            _ = try await stays.addMapping(.twitter, of: "alice")
            #expect(await refusal { try await ended.run(SendHeartbeat()) }?.reason == .identityRemoved)
        }
    }

    @Test("SES-5: of more live sessions than the app allows the oldest end, and those that have ended make room")
    func room() async throws {
        try await TestCore.open { core in
            try await core.changeLimits { $0.liveSessions = 3 }
            let (stays, _) = try await Self.mapped(core)
            _ = try await core.player("alice", .twitter, on: "console")
            try await stays.run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
            var players = [stays]
            for _ in 0..<2 {
                core.clock.advance(seconds: 1)
                players.append(try await core.player("alice"))
            }
            for player in players { #expect(try await player.isLoggedIn) }
            for _ in 0..<2 {
                core.clock.advance(seconds: 1)
                players.append(try await core.player("alice"))
            }
            for player in players.prefix(2) {
                #expect(await refusal { try await player.run(SendHeartbeat()) }?.reason == .tooManySessions)
            }
            for player in players.suffix(3) { #expect(try await player.isLoggedIn) }
        }
    }

    @Test("SES-5, BAN-5: a kick-out of all ends what begins until its full second, and no later session")
    func kickOutOfAll() async throws {
        try await TestCore.open { core in
            let before = try await core.guest("before")
            try await core.gameServer().run(KickOut(user: nil, message: ["en": "Update.", "ko": "업데이트"]))
            let refused = await refusal { try await before.run(SendHeartbeat()) }
            #expect(refused?.details.message == "Update.")
            // A node that knows of the kick-out opens sessions that begin at its end, and their tokens with them.
            let during = try await core.guest("during")
            #expect(during.login.session.sessionExpiryDate == core.clock.in(seconds: 90 * 86_400 + 3))
            #expect(try await during.isLoggedIn)
            core.clock.advance(seconds: 3)
            #expect(try await core.guest("after").isLoggedIn)
            #expect(try await during.isLoggedIn)
            #expect(try await !before.isLoggedIn)
            // The operator's text takes precedence, in whatever language it is.
            try await core.gameServer().run(KickOut(user: during.user, message: ["ko": "시즌 종료"]))
            #expect(await refusal { try await during.run(SendHeartbeat()) }?.details.message == "시즌 종료")
        }
    }

    @Test("BAN-6, TRANSFER-7: an end is told in the player's language: the operator's text, or else that of its reason")
    func texts() async throws {
        try await TestCore.open { core in
            let app = try await core.context().app
            let view = CallContext(app: app, languages: ["ko-KR"], moment: core.clock.now)
            let other = CallContext(app: app, languages: ["fr"], moment: core.clock.now)
            let written = LocalizedText(["en": "Update.", "ko": "업데이트"])
            #expect(SessionEndText.message(.kickedOut, written: written, view) == "업데이트")
            #expect(SessionEndText.message(.kickedOut, written: written, other) == "Update.")
            #expect(SessionEndText.message(.loggedOut, written: written, view) == "업데이트")
            let reasons = [ErrorReason.transferred, .kickedOut, .endedElsewhere, .identityRemoved, .withdrawn]
            let texts = ["en", "ko", "ja"].flatMap { language in
                let view = CallContext(app: app, languages: [language], moment: core.clock.now)
                return reasons.map { SessionEndText.message($0, written: LocalizedText(), view) }
            }
            #expect(Set(texts.compactMap(\.self)).count == 15)
            #expect(texts.first??.hasPrefix("The transfer is complete") == true)
            #expect(SessionEndText.message(.transferred, written: nil, other) == texts[0])
            for reason in [ErrorReason.loggedOut, .replaced, .tooManySessions, .sessionUnknown] {
                #expect(SessionEndText.message(reason, written: nil, view) == nil, "\(reason)")
            }
        }
    }
}
