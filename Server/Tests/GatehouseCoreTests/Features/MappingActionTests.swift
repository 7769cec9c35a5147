import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

@Suite struct MappingActionTests {
    @Test("MAP-4, LNK-5: a guest's identity ends with its first mapping, and its session goes on under the new one")
    func firstMapping() async throws {
        try await Desk.open { desk in
            let guest = try await desk.guest("phone")
            desk.clock.advance(seconds: 600)
            let change = try await guest.addMapping(.naver, of: "alice")
            // The session goes on as long as before, and its new token as long as any.
            #expect(change.session?.sessionExpiryDate == guest.login.session.sessionExpiryDate)
            #expect(change.session?.accessTokenExpiryDate == desk.clock.in(seconds: 3_600))
            #expect(change.member.mappings.map(\.provider) == [.naver])
            #expect(change.provider == .naver)
            #expect(change.session != nil)
            #expect(try await guest.isLoggedIn)
            #expect(try await desk.player("alice", on: "tablet").user == guest.user)
            #expect(try await desk.guest("phone").user != guest.user)
            #expect(desk.journal.lines(.mappingAdded).first?.subject["endsGuest"] == "true")
        }
    }

    @Test("MAP-1, MAP-2: a guest identity can't be mapped, an unknown provider not either, and none twice")
    func refusals() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let guest = AddMapping(credential: Credential(provider: .guest))
            #expect(await code { try await alice.run(guest) } == .authAddMappingCannotAddGuestIDP)
            #expect(
                await code { try await alice.addMapping(.google, of: "alice") } == .authAddMappingInvalidIDPInfo)
            let wrong = AddMapping(credential: Credential(provider: .twitter, accessToken: "wrong"))
            #expect(await code { try await alice.run(wrong) } == .authAddMappingFailed)
            #expect(await code { try await alice.addMapping(.naver, of: "bob") } == .authAddMappingAlreadyHasSameIDP)
            #expect(try await desk.history(of: alice.user) == [.memberCreated])
        }
    }

    @Test("MAP-3: another member's identity ends with 3302 and a ticket, and neither account changes")
    func conflict() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice", .twitter, on: "tablet")
            let guest = try await desk.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            #expect(ticket.mappedUserId == alice.user)
            #expect(try await desk.member(guest.user).mappings.map(\.provider) == [.guest])
            #expect(try await desk.history(of: guest.user) == [.memberCreated])
            #expect(desk.journal.lines(.mappingConflict).count == 1)
            try await desk.ban([alice.user])
            #expect(await code { try await guest.addMapping(.twitter, of: "alice") } == .bannedMember)
        }
    }

    @Test("MAP-6: a ticket moves the identity, and the member that keeps none is frozen")
    func force() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice", .twitter, on: "tablet")
            let guest = try await desk.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            let change = try await guest.run(ForceMapping(ticket: ticket))
            #expect(change.member.mappings.map(\.provider) == [.twitter])
            #expect(try await desk.member(alice.user).status == .missing)
            #expect(try await !alice.isLoggedIn)
            #expect(try await desk.history(of: alice.user) == [.memberCreated, .mappingMovedAway, .memberFrozen])
            #expect(try await desk.history(of: guest.user) == [.memberCreated, .mappingMovedHere])
        }
    }

    @Test("MAP-6, LNK-2: a ticket counts once, ten minutes, for its session, its provider and its member")
    func tickets() async throws {
        try await Desk.open { desk in
            _ = try await desk.player("alice", .twitter, on: "tablet")
            let bob = try await desk.player("bob", on: "phone")
            let ticket = try #require(try await bob.ticket(for: .twitter, of: "alice"))
            let thief = try await desk.player("bob", on: "console")
            #expect(
                await code { try await thief.run(ForceMapping(ticket: ticket)) } == .authAddMappingForciblyNotExistKey)
            var wrong = ticket
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

    @Test("MAP-6: a ticket expires after ten minutes")
    func expiredTicket() async throws {
        try await Desk.open { desk in
            _ = try await desk.player("alice", .twitter, on: "tablet")
            let bob = try await desk.player("bob", on: "phone")
            let ticket = try #require(try await bob.ticket(for: .twitter, of: "alice"))
            desk.clock.advance(seconds: 600)
            #expect(
                await code { try await bob.run(ForceMapping(ticket: ticket)) } == .authAddMappingForciblyExpiredKey)
        }
    }

    @Test("MAP-7: a ticket also logs in as its other member; the former session ends when the new one is used")
    func changeLogin() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice", .twitter, on: "tablet")
            let guest = try await desk.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            let login = try await guest.run(ChangeLogin(ticket: ticket))
            #expect(login.member.userId == alice.user)
            #expect(try await guest.isLoggedIn)
            try await guest.device.holder(of: login.session.refreshToken).run(RefreshSession())
            #expect(try await !guest.isLoggedIn)
            #expect(try await desk.member(guest.user).mappings.map(\.provider) == [.guest])
        }
    }

    @Test("MAP-8, LNK-4: the login's own mapping and the last one stay; any other is removed, and logs in nobody")
    func remove() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let own = RemoveMapping(removal: MappingRemoval(provider: .naver))
            #expect(await code { try await alice.run(own) } == .authRemoveMappingLastMappedIDP)
            _ = try await alice.addMapping(.twitter, of: "alice")
            #expect(await code { try await alice.run(own) } == .authRemoveMappingLoggedInIDP)
            let other = try await desk.player("alice", .twitter, on: "tablet")
            #expect(other.user == alice.user)
            let removal = RemoveMapping(removal: MappingRemoval(provider: .twitter))
            #expect(try await alice.run(removal).member.mappings.map(\.provider) == [.naver])
            #expect(try await !other.isLoggedIn)
            #expect(await code { try await alice.run(removal) } == .authRemoveMappingFailed)
            #expect(try await desk.player("alice", .twitter, on: "tablet").user != alice.user)
        }
    }

    @Test("MAP-6: an operator restores a frozen member; the other one is the guest again that it was")
    func restore() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice", .twitter, on: "tablet")
            let guest = try await desk.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            try await guest.run(ForceMapping(ticket: ticket))
            let restoration = try await desk.operator().run(RestoreMember(user: alice.user, provider: nil))
            #expect(restoration == Restoration(provider: .twitter, other: guest.user, outcome: .isGuestAgain))
            #expect(try await desk.player("alice", .twitter, on: "tablet").user == alice.user)
            #expect(try await desk.guest("phone").user == guest.user)
            let again = RestoreMember(user: alice.user, provider: nil)
            #expect(await code { try await desk.operator().run(again) } == .invalidParameter)
        }
    }

    @Test("MAP-6: after the restore window nobody can be restored")
    func restoreWindow() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice", .twitter, on: "tablet")
            let guest = try await desk.guest("phone")
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            try await guest.run(ForceMapping(ticket: ticket))
            desk.clock.advance(days: 30)
            let restore = RestoreMember(user: alice.user, provider: nil)
            #expect(await code { try await desk.operator().run(restore) } == .invalidParameter)
            #expect(try await desk.member(alice.user).status == .missing)
        }
    }
}
