import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

@Suite struct MappingActionTests {
    @Test("MAP-4, LNK-5: a guest's identity ends with its first mapping, and its session goes on under the new one")
    func firstMapping() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            core.clock.advance(seconds: 600)
            let change = try await guest.addMapping(.naver, of: "alice")
            // The session goes on as long as before, and its new token as long as any.
            #expect(change.session?.sessionExpiryDate == guest.login.session.sessionExpiryDate)
            #expect(change.session?.accessTokenExpiryDate == core.clock.in(seconds: 3_600))
            #expect(change.member.mappings.map(\.provider) == [.naver])
            #expect(change.provider == .naver)
            #expect(change.session != nil)
            #expect(try await guest.isLoggedIn)
            #expect(try await core.player("alice", on: "tablet").user == guest.user)
            #expect(core.callLog.lines(.mappingAdded).first?.subject["endsGuest"] == "true")
            // The former token names the former provider, but belongs to the same session.
            for token in [guest.login.session.accessToken, try #require(change.session).accessToken] {
                let check = CheckToken(request: TokenCheckRequest(accessToken: token))
                #expect(try await core.gameServer([.check]).run(check).provider == .naver)
            }
            #expect(try await guest.holder.run(LogInWithLastProvider()).provider == .naver)
            #expect(try await core.guest("phone").user != guest.user)
            #expect(try await core.history(of: guest.user) == [.memberCreated, .mappingAdded])
        }
    }

    @Test("MAP-1, MAP-2: a guest identity can't be mapped, a provider that is not there not either, and none twice")
    func refusals() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let guest = AddMapping(credential: Credential(provider: .guest))
            #expect(await code { try await alice.run(guest) } == .authAddMappingCannotAddGuestIDP)
            #expect(
                await code { try await alice.addMapping(.google, of: "alice") } == .authAddMappingInvalidIDPInfo)
            let wrong = AddMapping(credential: Credential(provider: .twitter, accessToken: "wrong"))
            let refused = await refusal { try await alice.run(wrong) }
            #expect(refused?.code == .authAddMappingFailed && refused?.reason == .credentialRejected)
            _ = try await core.player("carol", on: "console")
            for person in ["alice", "bob", "carol"] {
                #expect(
                    await code { try await alice.addMapping(.naver, of: person) } == .authAddMappingAlreadyHasSameIDP)
            }
            try await core.operator().run(DisableIdentityProvider(provider: .twitter))
            core.clock.advance(seconds: 1)
            #expect(
                await code { try await alice.addMapping(.twitter, of: "alice") } == .authAddMappingInvalidIDPInfo)
            #expect(try await core.history(of: alice.user) == [.memberCreated])
        }
    }

    @Test("MAP-3: another member's identity ends with 3302, a ticket and a summary, and neither account changes")
    func conflict() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            core.clock.advance(seconds: 1)
            _ = try await alice.addMapping(.naver, of: "alice")
            core.clock.advance(seconds: 60)
            let guest = try await core.guest("phone")
            func conflict() async -> ForcingMappingTicket? {
                await refusal { try await guest.addMapping(.twitter, of: "alice") }?.details.forcingMappingTicket
            }
            let ticket = try #require(await conflict())
            #expect(ticket.userId == guest.user && ticket.mappedUserId == alice.user)
            #expect(ticket.provider == .twitter && ticket.mappedUserValid == .normal)
            #expect(ticket.expirationDate == core.clock.in(seconds: 600))
            #expect(ticket.mappedMember.registrationDate == alice.login.member.registrationDate)
            #expect(ticket.mappedMember.providers == [.twitter, .naver])
            #expect(!(try await core.database.dump()).contains(ticket.forcingMappingKey.secretValue))
            #expect(try await alice.isLoggedIn)
            #expect(try await core.member(guest.user).mappings.map(\.provider) == [.guest])
            #expect(try await core.history(of: guest.user) == [.memberCreated])
            #expect(core.callLog.lines(.mappingConflict).count == 1)
            _ = try await alice.run(RequestWithdrawal())
            #expect(await conflict()?.mappedUserValid == .pendingWithdrawal)
            try await core.ban([alice.user])
            #expect(await code { try await guest.addMapping(.twitter, of: "alice") } == .bannedMember)
        }
    }

    @Test("MAP-6: a ticket moves the identity, and the member that keeps none is frozen")
    func force() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let guest = try await core.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            let change = try await guest.run(ForceMapping(ticket: ticket))
            #expect(change.member.mappings.map(\.provider) == [.twitter] && change.provider == .twitter)
            let report = try await core.operator().run(.memberReport(of: alice.user))
            #expect(report.member.status == .missing && report.formerProviders == [.twitter])
            #expect(report.restorableUntilDate == core.clock.in(seconds: 30 * 86_400))
            #expect(await alice.sessionEnd == .identityRemoved)
            #expect(try await core.history(of: alice.user) == [.memberCreated, .mappingMovedAway, .memberFrozen])
            #expect(try await core.history(of: guest.user) == [.memberCreated, .mappingMovedHere])
        }
    }

    @Test("MAP-6: a member that keeps an identity plays on, and its sessions of the moved one end")
    func partialMove() async throws {
        try await TestCore.open { core in
            let byTwitter = try await core.player("alice", .twitter, on: "tablet")
            _ = try await byTwitter.addMapping(.naver, of: "alice")
            let byNaver = try await core.player("alice", on: "console")
            let guest = try await core.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            try await guest.run(ForceMapping(ticket: ticket))
            #expect(try await byNaver.isLoggedIn)
            #expect(await byTwitter.sessionEnd == .identityRemoved)
            let resumption = await code { try await byTwitter.holder.run(LogInWithLastProvider()) }
            #expect(resumption == .authTokenLoginInvalidTokenInfo)
            let member = try await core.member(byTwitter.user)
            #expect(member.status == .normal && member.mappings.map(\.provider) == [.naver])
        }
    }

    @Test("MAP-6, LNK-2: a ticket counts once, ten minutes, for its session, its provider and its member")
    func tickets() async throws {
        try await TestCore.open { core in
            _ = try await core.player("alice", .twitter, on: "tablet")
            let bob = try await core.player("bob", on: "phone")
            let ticket = try #require(try await bob.ticket(for: .twitter, of: "alice"))
            let thief = try await core.player("bob", on: "console")
            #expect(
                await code { try await thief.run(ForceMapping(ticket: ticket)) } == .authAddMappingForciblyNotExistKey)
            var wrong = ticket
            let key = ticket.forcingMappingKey.secretValue
            let flipped = String(key.dropLast()) + (key.hasSuffix("A") ? "E" : "A")
            for text in ["", ".", "a.b", flipped, key + "A", String(key.dropFirst()), "\(key).\(key)"] {
                wrong.forcingMappingKey = ForcingMappingKey(text)
                #expect(
                    await code { try await bob.run(ForceMapping(ticket: wrong)) } == .authAddMappingForciblyNotExistKey)
            }
            wrong = ticket
            wrong.provider = .google
            #expect(
                await code { try await bob.run(ForceMapping(ticket: wrong)) } == .authAddMappingForciblyDifferentIDP)
            wrong = ticket
            wrong.mappedUserId = bob.user
            #expect(
                await code { try await bob.run(ForceMapping(ticket: wrong)) }
                    == .authAddMappingForciblyDifferentAuthKey)
            try await bob.run(ForceMapping(ticket: ticket))
            #expect(
                await code { try await bob.run(ForceMapping(ticket: ticket)) } == .authAddMappingForciblyAlreadyUsedKey)
        }
    }

    @Test("LNK-2: a ticket ends with the session that got it")
    func ticketAfterLogout() async throws {
        try await TestCore.open { core in
            _ = try await core.player("alice", .twitter, on: "tablet")
            let guest = try await core.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            try await guest.holder.run(LogOut())
            let force = await code { try await guest.run(ForceMapping(ticket: ticket)) }
            #expect(force == .authInvalidGatehouseToken)
            let change = await code { try await guest.run(ChangeLogin(ticket: ticket)) }
            #expect(change == .authInvalidGatehouseToken)
        }
    }

    @Test("MAP-6: a ticket expires after ten minutes, and is forgotten after a day more")
    func expiredTicket() async throws {
        try await TestCore.open { core in
            _ = try await core.player("alice", .twitter, on: "tablet")
            let bob = try await core.player("bob", on: "phone")
            let ticket = try #require(try await bob.ticket(for: .twitter, of: "alice"))
            core.clock.advance(seconds: 600)
            #expect(
                await code { try await bob.run(ForceMapping(ticket: ticket)) } == .authAddMappingForciblyExpiredKey)
            try await core.sweep()
            #expect(try await core.count("SELECT COUNT(*) FROM forcing_tickets") == 1)
            core.clock.advance(seconds: 86_401)
            try await core.sweep()
            #expect(try await core.count("SELECT COUNT(*) FROM forcing_tickets") == 0)
        }
    }

    @Test("MAP-7: a ticket also logs in as its other member; the former session ends when the new one is used")
    func changeLogin() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let guest = try await core.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            let login = try await guest.run(ChangeLogin(ticket: ticket))
            #expect(login.member.userId == alice.user)
            #expect(try await guest.isLoggedIn)
            try await guest.device.holder(of: login.session.refreshToken).run(RefreshSession())
            #expect(try await !guest.isLoggedIn)
            #expect(try await core.member(guest.user).mappings.map(\.provider) == [.guest])
        }
    }

    @Test("MAP-7: when a change of the login fails, the login and the ticket stay as they are")
    func changeLoginFails() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let guest = try await core.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            try await core.ban([alice.user])
            #expect(await code { try await guest.run(ChangeLogin(ticket: ticket)) } == .bannedMember)
            #expect(try await guest.isLoggedIn)
            try await core.gameServer().run(ReleaseBans(users: [alice.user]))
            #expect(try await guest.run(ChangeLogin(ticket: ticket)).member.userId == alice.user)
        }
    }

    @Test("MAP-8, LNK-4: the login's own mapping and the last one stay; any other is removed, and logs in nobody")
    func remove() async throws {
        try await TestCore.open { core in
            let guest = RemoveMapping(removal: MappingRemoval(provider: .guest))
            #expect(await code { try await core.guest().run(guest) } == .authRemoveMappingLastMappedIDP)
            let alice = try await core.player("alice")
            let own = RemoveMapping(removal: MappingRemoval(provider: .naver))
            #expect(await code { try await alice.run(own) } == .authRemoveMappingLastMappedIDP)
            _ = try await alice.addMapping(.twitter, of: "alice")
            #expect(await code { try await alice.run(own) } == .authRemoveMappingLoggedInIDP)
            let other = try await core.player("alice", .twitter, on: "tablet")
            #expect(other.user == alice.user)
            let removal = RemoveMapping(removal: MappingRemoval(provider: .twitter))
            #expect(try await alice.run(removal).member.mappings.map(\.provider) == [.naver])
            #expect(try await !other.isLoggedIn)
            #expect(await code { try await alice.run(removal) } == .authRemoveMappingFailed)
            #expect(try await core.history(of: alice.user).last == .mappingRemoved)
            #expect(try await core.player("alice", .twitter, on: "tablet").user != alice.user)
        }
    }

    @Test("MAP-6: an operator restores a frozen member; the other one is the guest again that it was")
    func restore() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let guest = try await core.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            try await guest.run(ForceMapping(ticket: ticket))
            let restoration = try await core.operator().run(RestoreMember(user: alice.user, provider: nil))
            #expect(restoration == Restoration(provider: .twitter, other: guest.user, outcome: .isGuestAgain))
            #expect(try await core.player("alice", .twitter, on: "tablet").user == alice.user)
            #expect(try await core.guest("phone").user == guest.user)
            #expect(
                try await core.history(of: alice.user) == [
                    .memberCreated, .mappingMovedAway, .memberFrozen, .memberRestored,
                ])
            #expect(
                try await core.history(of: guest.user) == [
                    .memberCreated, .mappingMovedHere, .mappingMovedAway, .mappingAdded,
                ])
            try await core.expectInvariants()
            let again = RestoreMember(user: alice.user, provider: nil)
            #expect(await code { try await core.operator().run(again) } == .invalidParameter)
        }
    }

    @Test("MAP-6: a restored identity leaves its holder what else it has, or frozen in turn")
    func restoreFromHolders() async throws {
        try await TestCore.open { core in
            func force(_ player: Player) async throws {
                let ticket = try #require(try await player.ticket(for: .twitter, of: "alice"))
                try await player.run(ForceMapping(ticket: ticket))
            }
            func restore(_ user: UserID) async throws -> Restoration {
                try await core.operator().run(RestoreMember(user: user, provider: .twitter))
            }
            // A member that has mapped another identity in the meantime.
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let holder = try await core.player("holder")
            try await force(holder)
            #expect(try await restore(alice.user).outcome == .keepsOthers)
            #expect(try await core.member(holder.user).mappings.map(\.provider) == [.naver])
            // A member whose device has created another guest since then.
            let guest = try await core.guest("console")
            try await force(guest)
            _ = try await core.guest("console")
            #expect(try await restore(alice.user).outcome == .isFrozen)
            #expect(try await core.member(guest.user).status == .missing)
            #expect(try await restore(guest.user).other == alice.user)
            try await core.expectInvariants()
        }
    }

    @Test("MAP-6: after the restore window nobody can be restored, and the former identities are forgotten")
    func restoreWindow() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            let guest = try await core.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            try await guest.run(ForceMapping(ticket: ticket))
            func restore(_ user: UserID, _ provider: Provider? = nil) async -> ErrorCode? {
                await code { try await core.operator().run(RestoreMember(user: user, provider: provider)) }
            }
            #expect(await restore(alice.user, .naver) == .invalidParameter)
            #expect(await restore(guest.user) == .invalidParameter)
            core.clock.advance(days: 30)
            // The window is closed, whether or not the sweeper has run.
            #expect(await restore(alice.user) == .invalidParameter)
            try await core.sweep()
            #expect(try await core.count("SELECT COUNT(*) FROM former_identities") == 0)
            #expect(try await core.history(of: alice.user).last == .restoreWindowClosed)
            #expect(await restore(alice.user) == .invalidParameter)
            let report = try await core.operator().run(.memberReport(of: alice.user))
            #expect(report.member.status == .missing && report.formerProviders.isEmpty)
        }
    }
}
