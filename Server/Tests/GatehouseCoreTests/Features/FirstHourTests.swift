import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// The first steps of an app, and the replacement of its key: both are ticked by what the database has.
@Suite struct FirstHourTests {
    private static let app = AppID("fresh")

    @discardableResult
    private static func run<A: UseCase>(
        _ action: A, _ core: TestCore, role: OperatorRole = .owner
    ) async throws -> A.Outcome {
        var actor = Actor.operator("mia")
        actor.role = role
        return try await core.actions.run(action, by: actor, in: core.actions.context(of: app, at: core.clock.now))
    }

    @Test("Nothing is done in a new app, and each step is done when its data are there", arguments: Engine.available)
    func steps(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            _ = try await core.actions.run(
                CreateApp(id: Self.app, name: "Fresh"), by: .operator("mia"), in: .ofServer(moment: core.clock.now))
            func first() async throws -> FirstHour { try await Self.run(.firstHour, core, role: .viewer) }
            #expect(try await first() == FirstHour())

            core.clock.advance(seconds: 10)
            let since = core.clock.now
            let secret = try #require(try await Self.run(ListSecrets(), core).first)
            core.services.secretUses.note(secret, of: Self.app, from: .unknown, at: since)
            try await core.services.secretUses.write(to: core.database)
            #expect(try await first().done == [.secret: .init(since: since)])

            let key = KeyThumbprint(Base64URL.encode([UInt8](repeating: 1, count: 32)))
            try await Self.run(AddTestDevice(key: key, note: "a phone"), core)
            #expect(try await first().done[.device] == .init(since: since))

            let end = core.clock.now.adding(seconds: 3_600)
            try await Self.run(
                PlanMaintenance(begin: core.clock.now, end: end, message: ["en": "Back soon"], url: nil, reason: nil),
                core)
            #expect(try await first().done[.maintenance] == .init(since: since))

            var configuration = ProviderConfiguration(kind: .naver, clientIds: ["client"])
            configuration.acceptsUnboundTokens = true
            try await Self.run(
                SaveIdentityProvider(
                    provider: .naver, configuration: configuration,
                    secrets: .replaced(ProviderSecrets(clientSecret: "secret")),
                    samePersons: false), core)
            #expect(try await first().done[.provider] == .init(since: since))
            #expect(try await first().done[.test] == nil)
            let version = try #require(try await Self.run(ReadApp(), core).providers[.naver]).version
            func test(_ findings: [ProviderFinding], _ version: String) async throws {
                let record = ProviderTestRecord(
                    findings: findings, version: version, person: "mia", date: core.clock.now)
                try await core.database.transact { tx in
                    try ProviderTestQueries.set(record, of: .naver, app: Self.app, in: tx)
                }
            }
            let (fine, wrong) = (ProviderFinding.fine("a", "a"), ProviderFinding.wrong("b", "b"))
            try await test([fine, wrong], version)
            #expect(try await first().done[.test] == nil)
            try await test([fine], "of other settings")
            #expect(try await first().done[.test] == nil)
            try await test([fine], version)
            #expect(try await first().done[.test] == .init(since: since))

            _ = try await core.person("eve", [.app(Self.app): .owner])
            _ = try await core.person("kim", [.app(Self.app): .operator])
            #expect(try await first().done[.owner] == nil)
            // An invitation alone is nobody who can sign in.
            let token = try await core.invite("zoe", [.everything: .owner])
            #expect(try await first().done[.owner] == nil)
            let invited = core.clock.now
            _ = try await core.enrol("zoe", with: token)
            #expect(try await first().done[.owner] == .init(since: invited))

            let user = UserID("ABCDEFGHJKMNPQRS")
            try await core.database.decide { [now = core.clock.now] tx in
                try MemberQueries.insertMember(user, app: Self.app, on: now.day, at: now, in: tx)
            }
            let last = try await first()
            #expect(last.player == user && last.done[.player]?.since == core.clock.now && last.isDone)
        }
    }

    @Test("A former key is safe to revoke when the newest was used, and the former was not for 24 hours")
    func rotation() throws {
        let now = Moment(milliseconds: 1_795_219_200_000)
        func key(_ byte: UInt8, name: String? = nil, used: Int64? = nil, made: Int64 = -1_000_000) -> AppSecret {
            AppSecret(
                hash: [byte], name: name, scopes: .every, createdAt: now.adding(seconds: made),
                lastUsedAt: used.map { now.adding(seconds: -$0) })
        }
        #expect(SecretRotation([key(1, name: "queue")]) == nil)
        let alone = try #require(SecretRotation([key(9, name: "queue"), key(1, used: 90_000)]))
        #expect(alone.former == nil && alone.deployedAt == nil && !alone.isSafe(at: now))
        func rotation(_ newest: Int64?, _ former: Int64?, made: Int64 = -1_000_000) throws -> SecretRotation {
            try #require(SecretRotation([key(1, used: newest), key(2, used: former, made: made)]))
        }
        #expect(try !rotation(nil, 86_400).isSafe(at: now) && rotation(nil, 86_400).isSilent(at: now))
        #expect(try !rotation(60, 86_399).isSafe(at: now) && rotation(60, 86_400).isSafe(at: now))
        #expect(try rotation(60, nil).isSafe(at: now))
        #expect(try !rotation(60, nil, made: -3_600).isSafe(at: now))
    }
}
