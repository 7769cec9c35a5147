import GatehouseProviders
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What is kept of a provider's word about members, and when it is forgotten.
@Suite struct KeptProfileTests {
    private static let league = Provider("league")

    /// Adds a partner, whose tokens nobody can revoke.
    private func addLeague(_ core: TestCore) async throws {
        var configuration = ProviderConfiguration(kind: .partner, clientIds: ["client"])
        configuration.partner?.checks = [
            ProviderCheck(
                ProviderCall("https://api.x.com/2/users/me", headers: ProviderCall.bearer), subject: "data.id",
                profile: "data")
        ]
        configuration.acceptsUnboundTokens = true
        try await core.operator().run(SaveIdentityProvider(provider: Self.league, configuration: configuration))
        core.clock.advance(seconds: 2)
    }

    private func settings(of provider: Provider, _ core: TestCore) async throws -> ProviderConfiguration {
        let all = try await core.database.read { tx in try IdentityProviderQueries.providers(of: TestCore.app, in: tx) }
        return try #require(all[provider])
    }

    private func keep(_ keepsProfile: Bool?, of provider: Provider, _ core: TestCore) async throws {
        var configuration = try await settings(of: provider, core)
        configuration.keepsProfile = keepsProfile
        try await core.operator().run(SaveIdentityProvider(provider: provider, configuration: configuration))
        core.clock.advance(seconds: 2)
    }

    private func rows(_ core: TestCore) async throws -> Int? {
        try await core.database.rows("SELECT COUNT(*) FROM identity_tokens") { row in try row[0] as Int }.first
    }

    private func told(_ user: UserID, _ provider: Provider = .naver, at core: TestCore) async -> ErrorCode? {
        await code {
            try await core.gameServer([.profile]).run(
                ReadProviderProfile(request: ProviderProfileRequest(userId: user, provider: provider)))
        }
    }

    @Test("INFO-4: where the keeping is switched off, a job forgets the profiles for good, and leaves what revokes")
    func switchedOff() async throws {
        try await TestCore.open { core in
            try await addLeague(core)
            let alice = try await core.player("alice")
            let bob = try await core.player("bob", Self.league, on: "tablet")
            #expect(await told(alice.user, at: core) == nil)
            #expect(await told(bob.user, Self.league, at: core) == nil)
            #expect(try await rows(core) == 2)
            for provider in [.naver, Self.league] { try await keep(false, of: provider, core) }
            #expect(await told(alice.user, at: core) == .authIDPLoginInvalidIDPInfo)
            core.clock.advance(seconds: 5)
            #expect(try await JobRunner(services: core.services).run() == 2)
            #expect(try await rows(core) == 1)
            for provider in [.naver, Self.league] { try await keep(true, of: provider, core) }
            #expect(await told(alice.user, at: core) == .authIDPLoginInvalidIDPInfo)
            #expect(await told(bob.user, Self.league, at: core) == .authIDPLoginInvalidIDPInfo)
            // A withdrawal still revokes what has been kept for that.
            try await alice.run(Withdraw())
            let jobs = try await core.database.read { tx in try JobQueries.jobs(in: .waiting, limit: 9, in: tx) }
            #expect(jobs.count == 1)
        }
    }

    @Test("INFO-4: many profiles are forgotten by jobs that follow one another, and no other provider's")
    func manyPages() async throws {
        try await TestCore.open { core in
            try await addLeague(core)
            for name in ["a", "b", "c", "d", "e"] { _ = try await core.player(name, Self.league, on: name) }
            _ = try await core.player("a", .naver, on: "phone")
            try await keep(false, of: Self.league, core)
            core.clock.advance(seconds: 10)
            // Five rows, one a transaction and two a job: the sixth transaction finds the end.
            var runner = JobRunner(services: core.services)
            (runner.profilesPerTransaction, runner.transactionsPerJob) = (1, 2)
            #expect(try await runner.run() == 3)
            #expect(try await rows(core) == 1)
            #expect(try await core.database.read { tx in try JobQueries.jobs(in: .waiting, limit: 9, in: tx) }.isEmpty)
        }
    }

    @Test("INFO-4: a later setting of a provider leaves the keeping of profiles as it is")
    func laterSetting() async throws {
        try await TestCore.open { core in
            for (setting, kept) in [(false, false), (nil, false), (true, true), (nil, true)] as [(Bool?, Bool)] {
                try await keep(setting, of: .naver, core)
                #expect(try await settings(of: .naver, core).keepsProfile == kept)
            }
        }
    }

    @Test("INFO-4, WDR-3: a profile goes with its mapping and with its member, and moves with its identity")
    func moved() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            _ = try await alice.addMapping(.twitter, of: "alice")
            #expect(try await rows(core) == 2)
            _ = try await alice.run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
            #expect(try await rows(core) == 1)

            let guest = try await core.guest("tablet")
            let ticket = try #require(try await guest.ticket(for: .naver, of: "alice"))
            _ = try await guest.run(ForceMapping(ticket: ticket))
            #expect(await told(alice.user, at: core) == .authNotExistMember)
            #expect(await told(guest.user, at: core) == nil)
            #expect(try await rows(core) == 1)
        }
    }

    @Test("INFO-4, LOGIN-9: of a member whose grace period is over nothing is told, though nobody has called since")
    func graceOver() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            _ = try await alice.run(RequestWithdrawal())
            #expect(await told(alice.user, at: core) == nil)
            core.clock.advance(days: 8)
            #expect(await told(alice.user, at: core) != nil)
        }
    }
}
