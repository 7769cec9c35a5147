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
    private func addLeague(_ desk: Desk) async throws {
        var configuration = ProviderConfiguration(kind: .partner, clientIds: ["client"])
        configuration.partner?.checks = [
            ProviderCheck(
                ProviderCall("https://api.x.com/2/users/me", headers: ProviderCall.bearer), subject: "data.id",
                profile: "data")
        ]
        configuration.acceptsUnboundTokens = true
        try await desk.operator().run(SetIdentityProvider(provider: Self.league, configuration: configuration))
        desk.clock.advance(seconds: 2)
    }

    private func settings(of provider: Provider, _ desk: Desk) async throws -> ProviderConfiguration {
        let all = try await desk.database.read { tx in try IdentityProviderQueries.providers(of: Desk.app, in: tx) }
        return try #require(all[provider])
    }

    private func keep(_ keepsProfile: Bool?, of provider: Provider, _ desk: Desk) async throws {
        var configuration = try await settings(of: provider, desk)
        configuration.keepsProfile = keepsProfile
        try await desk.operator().run(SetIdentityProvider(provider: provider, configuration: configuration))
        desk.clock.advance(seconds: 2)
    }

    private func rows(_ desk: Desk) async throws -> Int? {
        try await desk.database.rows("SELECT COUNT(*) FROM identity_tokens") { row in try row[0] as Int }.first
    }

    private func told(_ user: UserID, _ provider: Provider = .naver, at desk: Desk) async -> ErrorCode? {
        await code {
            try await desk.gameServer([.profile]).run(
                ReadProviderProfile(request: ProviderProfileRequest(userId: user, provider: provider)))
        }
    }

    @Test("INFO-4: where the keeping is switched off, a job forgets the profiles for good, and leaves what revokes")
    func switchedOff() async throws {
        try await Desk.open { desk in
            try await addLeague(desk)
            let alice = try await desk.player("alice")
            let bob = try await desk.player("bob", Self.league, on: "tablet")
            #expect(await told(alice.user, at: desk) == nil)
            #expect(await told(bob.user, Self.league, at: desk) == nil)
            #expect(try await rows(desk) == 2)
            for provider in [.naver, Self.league] { try await keep(false, of: provider, desk) }
            #expect(await told(alice.user, at: desk) == .authIDPLoginInvalidIDPInfo)
            desk.clock.advance(seconds: 5)
            #expect(try await JobRunner(services: desk.services).run() == 2)
            #expect(try await rows(desk) == 1)
            for provider in [.naver, Self.league] { try await keep(true, of: provider, desk) }
            #expect(await told(alice.user, at: desk) == .authIDPLoginInvalidIDPInfo)
            #expect(await told(bob.user, Self.league, at: desk) == .authIDPLoginInvalidIDPInfo)
            // A withdrawal still revokes what has been kept for that.
            try await alice.run(Withdraw())
            let jobs = try await desk.database.read { tx in try JobQueries.jobs(in: .waiting, limit: 9, in: tx) }
            #expect(jobs.count == 1)
        }
    }

    @Test("INFO-4: many profiles are forgotten by jobs that follow one another, and no other provider's")
    func manyPages() async throws {
        try await Desk.open { desk in
            try await addLeague(desk)
            for name in ["a", "b", "c", "d", "e"] { _ = try await desk.player(name, Self.league, on: name) }
            _ = try await desk.player("a", .naver, on: "phone")
            try await keep(false, of: Self.league, desk)
            desk.clock.advance(seconds: 10)
            // Five rows, one a transaction and two a job: the sixth transaction finds the end.
            var runner = JobRunner(services: desk.services)
            (runner.profilesPerTransaction, runner.transactionsPerJob) = (1, 2)
            #expect(try await runner.run() == 3)
            #expect(try await rows(desk) == 1)
            #expect(try await desk.database.read { tx in try JobQueries.jobs(in: .waiting, limit: 9, in: tx) }.isEmpty)
        }
    }

    @Test("INFO-4: a later setting of a provider leaves the keeping of profiles as it is")
    func laterSetting() async throws {
        try await Desk.open { desk in
            for (setting, kept) in [(false, false), (nil, false), (true, true), (nil, true)] as [(Bool?, Bool)] {
                try await keep(setting, of: .naver, desk)
                #expect(try await settings(of: .naver, desk).keepsProfile == kept)
            }
        }
    }

    @Test("INFO-4, WDR-3: a profile goes with its mapping and with its member, and moves with its identity")
    func moved() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            _ = try await alice.addMapping(.twitter, of: "alice")
            #expect(try await rows(desk) == 2)
            _ = try await alice.run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
            #expect(try await rows(desk) == 1)

            let guest = try await desk.guest("tablet")
            let ticket = try #require(try await guest.ticket(for: .naver, of: "alice"))
            _ = try await guest.run(ForceMapping(ticket: ticket))
            #expect(await told(alice.user, at: desk) == .authNotExistMember)
            #expect(await told(guest.user, at: desk) == nil)
            #expect(try await rows(desk) == 1)
        }
    }

    @Test("INFO-4, LOGIN-9: of a member whose grace period is over nothing is told, though nobody has called since")
    func graceOver() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            _ = try await alice.run(RequestWithdrawal())
            #expect(await told(alice.user, at: desk) == nil)
            desk.clock.advance(days: 8)
            #expect(await told(alice.user, at: desk) != nil)
        }
    }
}
