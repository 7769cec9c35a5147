import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// Whether a member can log in, line by line, and what the login itself gets.
@Suite struct ExplainLoginTests {
    private static func explain(_ user: UserID, _ core: TestCore) async throws -> ExplainLogin.Outcome {
        try await core.operator().run(ExplainLogin(user: user))
    }

    /// The keys of the lines' sentences, with what stops.
    private static func keys(_ outcome: ExplainLogin.Outcome) -> [String] {
        outcome.lines.map { line in
            guard case .key(let key, _) = line.sentence.content else { return "" }
            return line.code.map { "\(key) \($0.rawValue)" } ?? key
        }
    }

    /// The code that the player's next login gets; nil if it succeeds.
    private static func login(_ person: String, _ core: TestCore) async -> ErrorCode? {
        await code { try await core.player(person) }
    }

    @Test("A member in order can log in, and a provider that is off stops only the logins with it")
    func providers() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let fine = try await Self.explain(alice.user, core)
            #expect(fine.code == nil && Self.keys(fine) == ["check.app", "check.member", "check.identity"])
            _ = try await alice.addMapping(.twitter, of: "alice")
            try await core.operator().run(DisableIdentityProvider(provider: .naver))
            core.clock.advance(seconds: 2)
            let one = try await Self.explain(alice.user, core)
            #expect(one.code == nil)
            #expect(Set(Self.keys(one).dropFirst(2)) == ["check.identity-closed 3002", "check.identity"])
            try await core.operator().run(DisableIdentityProvider(provider: .twitter))
            #expect(try await Self.explain(alice.user, core).code == .authNotSupportedProvider)
        }
    }

    @Test("A ban and a maintenance are told with their ends and what the player reads, as the login is refused")
    func bannedAndClosed() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await core.ban([alice.user], seconds: 100)
            let banned = try await Self.explain(alice.user, core)
            #expect(banned.code == .bannedMember && Self.keys(banned)[1] == "check.member 7")
            #expect(banned.lines[1].message?.isEmpty == false)
            #expect(banned.lines[1].until == core.clock.now.adding(seconds: 100))
            #expect(await Self.login("alice", core) == banned.code)

            core.clock.advance(seconds: 101)
            let end = core.clock.now.adding(seconds: 60)
            try await core.operator().run(
                PlanMaintenance(begin: nil, end: end, message: ["en": "Back soon."], url: nil))
            core.clock.advance(seconds: 2)
            let closed = try await Self.explain(alice.user, core)
            #expect(closed.code == .authNotPlayable)
            #expect(closed.lines.first?.subject == .app(.maintenance) && closed.lines[1].code == nil)
            #expect(closed.lines.first?.message == "Back soon." && closed.lines.first?.until == end)
            #expect(await Self.login("alice", core) == closed.code)
            core.clock.advance(seconds: 60)
            #expect(try await Self.explain(alice.user, core).code == nil)
        }
    }

    @Test("A member that was deleted can't log in, and one that never was is refused")
    func gone() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await core.operator().run(WithdrawMember(user: alice.user))
            let gone = try await Self.explain(alice.user, core)
            #expect(gone.code == .authNotExistMember)
            #expect(gone.lines.map(\.subject) == [.app(.inService), .member(.withdrawn), .noIdentity])
            #expect(await code { try await Self.explain(UserID("AAAAAAAAAAAAAAAA"), core) } == .authNotExistMember)
        }
    }
}
