import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What a provider's report about a person leads to: the player has revoked the consent there, or has deleted the account.
@Suite struct SignalRuleTests {
    private func standing(of player: Player) async throws -> Standing { try await player.run(SendHeartbeat()).standing }

    private func reason<A: Action>(_ action: A, by player: Player) async -> ErrorReason? {
        await refusal { try await player.run(action) }?.reason
    }

    @Test("The provider's sessions end; others are told of it until the mapping is removed or the player is back")
    func others() async throws {
        try await TestCore.open { core in
            let stays = try await core.player("alice")
            _ = try await stays.addMapping(.twitter, of: "alice")
            let ended = try await core.player("alice", .twitter, on: "tablet")
            #expect(try await standing(of: stays).revokedProviders == nil)
            try await core.report(.consentRevoked, of: "alice", at: .twitter)
            let refused = await refusal { try await ended.run(SendHeartbeat()) }
            #expect(refused?.reason == .consentRevoked)
            #expect(refused?.details.provider == .twitter)
            #expect(try await standing(of: stays).revokedProviders == [.twitter])
            let last = try await stays.device.holder(of: stays.login.session.refreshToken).run(LogInWithLastProvider())
            #expect(last.standing.revokedProviders == [.twitter])
            let mapping = try #require(last.member.mappings.first { $0.provider == .twitter })
            #expect(mapping.revokedDate == core.clock.now.milliseconds)
            // A session that has ended can't withdraw a member with another provider.
            #expect(await reason(Withdraw(), by: ended) == .consentRevoked)

            let back = try await core.player("alice", .twitter, on: "console")
            #expect(back.user == stays.user)
            #expect(back.login.standing.revokedProviders == nil)
            #expect(try await standing(of: stays).revokedProviders == nil)
            #expect(await reason(SendHeartbeat(), by: ended) == .consentRevoked)

            core.clock.advance(seconds: 60)
            try await core.report(.consentRevoked, of: "alice", at: .twitter)
            let removed = try await stays.run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
            #expect(removed.standing.revokedProviders == nil)
            #expect(removed.member.mappings.map(\.provider) == [.naver])
        }
    }

    @Test(
        "Who has no other provider may withdraw with the session that has ended, and do nothing else with it",
        arguments: [ProviderSignal.Kind.consentRevoked, .accountDeleted])
    func only(kind: ProviderSignal.Kind) async throws {
        try await TestCore.open { core in
            let (alice, other) = (try await core.player("alice"), try await core.player("bob", on: "console"))
            let loggedOut = try await core.player("alice", on: "tablet")
            try await loggedOut.device.holder(of: loggedOut.login.session.refreshToken).run(LogOut())
            try await core.report(kind, of: "alice")
            let status: MemberStatus = kind == .accountDeleted ? .pendingWithdrawal : .normal
            #expect(try await core.member(alice.user).status == status)
            let holder = alice.device.holder(of: alice.login.session.refreshToken)
            #expect(await reason(SendHeartbeat(), by: alice) == .consentRevoked)
            #expect(await reason(RequestWithdrawal(), by: alice) == .consentRevoked)
            #expect(await refusal { try await holder.run(RefreshSession()) }?.reason == .consentRevoked)
            #expect(await reason(Withdraw(), by: loggedOut) == .loggedOut)
            // The player waits overnight, and the token can't be refreshed. A valid session's token can.
            core.clock.advance(seconds: 12 * 3_600)
            for expired in [other, loggedOut] { #expect(await reason(Withdraw(), by: expired) == .tokenExpired) }
            #expect(await reason(RequestWithdrawal(), by: alice) == .tokenExpired)
            try await alice.run(Withdraw())
            #expect(try await core.member(other.user).status == .normal)
            #expect(try await core.member(alice.user).status == .withdrawn)
            #expect(try await core.player("alice").user != alice.user)
        }
    }

    @Test("Who has come back withdraws with the new session, and no longer with the one that has ended")
    func back() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await core.report(.consentRevoked, of: "alice")
            let back = try await core.player("alice", on: "tablet")
            #expect(back.user == alice.user)
            #expect(await reason(Withdraw(), by: alice) == .consentRevoked)
            try await back.run(Withdraw())
        }
    }

    @Test("MAP-7: a change of login proves that the player is back, and the ended session is good for nothing more")
    func changeLogin() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .twitter, on: "tablet")
            try await core.report(.consentRevoked, of: "alice", at: .twitter)
            let guest = try await core.guest()
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            let login = try await guest.run(ChangeLogin(ticket: ticket))
            #expect(login.member.userId == alice.user)
            #expect(login.standing.revokedProviders == nil)
            #expect(await reason(Withdraw(), by: alice) == .consentRevoked)
            #expect(try await core.member(alice.user).status == .normal)
        }
    }

    @Test("The withdrawal after a report needs no key that signs still; a revoked key ends it")
    func rotatedKey() async throws {
        try await TestCore.open { core in
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            for name in ["alice", "bob"] { try await core.report(.consentRevoked, of: name) }
            #expect(await reason(SendHeartbeat(), by: alice) == .consentRevoked)
            _ = try await core.operator().run(RotateSigningKey())
            core.clock.advance(days: 3)
            try await alice.run(Withdraw())
            _ = try await core.operator().run(ReplaceSigningKeys())
            core.clock.advance(seconds: 60)
            #expect(await reason(Withdraw(), by: bob) == .tokenForeign)
        }
    }

    @Test("A report counts once; what it leads to is the app's policy, and a member with another identity plays on")
    func policy() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            #expect(try await core.report(.accountDeleted, of: "nobody") == .unknown)
            try await core.operator().run(
                SetAccountPolicy {
                    $0.signals.accountDeleted = .record
                    $0.signals.consentRevoked = .remove
                })
            #expect(try await core.report(.accountDeleted, of: "alice", id: "1") == .done)
            #expect(try await core.report(.accountDeleted, of: "alice", id: "1") == .repeated)
            #expect(try await core.history(of: alice.user).count { $0 == .providerSignal } == 1)
            #expect(try await alice.isLoggedIn)
            _ = try await alice.addMapping(.twitter, of: "alice")
            #expect(try await core.report(.consentRevoked, of: "alice", at: .twitter) == .done)
            #expect(try await core.member(alice.user).mappings.map(\.provider) == [.naver])
            #expect(try await core.member(alice.user).status == .normal)
            #expect(try await core.report(.consentRevoked, of: "alice") == .done)
            #expect(try await core.member(alice.user).status == .pendingWithdrawal)
            try await core.operator().run(SetAccountPolicy { $0.signals.accountDeleted = .withdraw })
            #expect(try await core.report(.accountDeleted, of: "alice") == .done)
            #expect(try await core.member(alice.user).status == .withdrawn)
        }
    }
}
