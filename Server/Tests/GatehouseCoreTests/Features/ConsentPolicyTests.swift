import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Testing

@testable import GatehouseCore

/// When a player's consent is revoked at the provider.
@Suite struct ConsentPolicyTests {
    @Test("MAP-8, WITHDRAW-1: the app's setting decides, and never is never but where a provider's terms require it")
    func table() {
        #expect(AccountPolicy().consent == .withdrawal)
        let providers: [(ProviderKind, ConsentPolicy, ends: Set<ConsentEnd>)] = [
            (.facebook, .withdrawal, [.withdrawal]), (.facebook, .removal, [.withdrawal, .removal]),
            (.facebook, .never, []), (.naver, .never, []), (.apple, .never, [.withdrawal]),
            (.line, .never, [.withdrawal, .removal]),
        ]
        for (kind, policy, ends) in providers {
            for end in [ConsentEnd.withdrawal, .removal] {
                #expect(policy.revokes(at: end, kind) == ends.contains(end), "\(kind) \(policy) \(end)")
            }
        }
    }

    @Test("MAP-8, WITHDRAW-1: an identity's tokens are deleted with it, and revoked by a job where the setting says so")
    func jobs() async throws {
        try await TestCore.open { core in
            func count(_ sql: SQL) async throws -> Int? {
                try await core.database.rows(sql) { row in try row[0] as Int }.first
            }
            for (policy, removal, withdrawal) in [
                (ConsentPolicy.withdrawal, 0, 2), (.removal, 1, 2), (.never, 0, 0),
            ] {
                try await core.operator().run(SetAccountPolicy { $0.consent = policy })
                let before = try await count("SELECT COUNT(*) FROM jobs") ?? 0
                let alice = try await core.player("alice")
                _ = try await alice.addMapping(.twitter, of: "alice")
                #expect(try await count("SELECT COUNT(*) FROM identity_tokens") == 2)
                try await alice.run(RemoveMapping(removal: MappingRemoval(provider: .twitter)))
                #expect(try await count("SELECT COUNT(*) FROM identity_tokens") == 1)
                #expect(try await count("SELECT COUNT(*) FROM jobs") == before + removal)
                _ = try await alice.addMapping(.twitter, of: "alice")
                try await alice.run(Withdraw())
                #expect(try await count("SELECT COUNT(*) FROM identity_tokens") == 0)
                #expect(try await count("SELECT COUNT(*) FROM jobs") == before + removal + withdrawal)
            }
        }
    }
}
