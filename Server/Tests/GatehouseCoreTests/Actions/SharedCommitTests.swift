import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore

/// The speed of logins rests on sharing: callers of the same moment share a commit, and on PostgreSQL also the statements.
@Suite struct SharedCommitTests {
    private static let callers = 30

    /// An app on a database with one connection, whose writes of each commit are counted.
    private struct Crowd: Sendable {
        let database: Database
        let actions: Actions
        let context: CallContext
        let commits: Commits

        /// Runs an action for each caller at the same time, and returns the outcomes.
        func together<A: Action>(
            _ round: String, as principal: @escaping @Sendable (Int) -> Actor.Principal,
            _ action: @escaping @Sendable (Int) -> A
        ) async throws -> [A.Outcome] {
            let hold = Hold()
            async let held: Void = database.decide { _ in hold.wait() }
            try await hold.reached()
            commits.clear()
            let values = try await withThrowingTaskGroup(of: (Int, A.Outcome).self) { group in
                for number in 0..<callers {
                    let once = CallIdentity(
                        call: Idempotency.Call(app: TestCore.app, key: "\(round)-\(number)", requestHash: [1]),
                        owner: .device(Self.key(number)))
                    let actor = Actor(principal: principal(number), door: .httpAPI)
                    group.addTask {
                        (number, try await actions.run(action(number), by: actor, once: once, in: context))
                    }
                }
                while database.waiting.writes < callers { try await Task.sleep(for: .milliseconds(1)) }
                hold.open()
                return try await group.reduce(into: [Int: A.Outcome]()) { $0[$1.0] = $1.1 }
            }
            try await held
            return (0..<callers).compactMap { values[$0] }
        }

        static func key(_ number: Int) -> KeyThumbprint { KeyThumbprint("device-\(number)") }
    }

    private final class Commits: Sendable {
        private let sizes = Mutex<[Int]>([])
        var largest: Int { sizes.withLock { $0.max() ?? 0 } }
        func add(_ writes: Int) { sizes.withLock { $0.append(writes) } }
        func clear() { sizes.withLock { $0 = [] } }
    }

    private static func withCrowd(_ engine: Engine, _ test: (Crowd) async throws -> Void) async throws {
        try await withLocation(engine) { location in
            let commits = Commits()
            var events = StorageEvents()
            events.committed = { commits.add($0) }
            var options = DatabaseOptions.patient
            options.connections = 1
            let database = try await Database.open(location, options: options, events: events)
            try await database.migrate(Migration.all)
            let clock = Clock()
            let services = Services(
                database: database, vault: try KeyVault(masterKey: [UInt8](repeating: 7, count: 32)),
                environment: ServerEnvironment(
                    now: { clock.now }, monotonicNanoseconds: { UInt64(clock.now.milliseconds) * 1_000_000 },
                    random: .live, fetch: FakePeople.answer), reporter: CallLog().reporter)
            try await services.checkVault()
            // Otherwise the first row of a partition makes it, and each caller tries again alone.
            try await Sweeper(services: services).prepare(at: clock.now)
            let actions = Actions(services: services)
            _ = try await actions.run(
                CreateApp(id: TestCore.app, name: "Game"), by: .operator("operator"), in: .ofServer(moment: clock.now))
            var naver = ProviderConfiguration(kind: .naver, clientIds: ["client"])
            naver.acceptsUnboundTokens = true
            try await actions.run(
                SaveIdentityProvider(
                    provider: .naver, configuration: naver, secrets: .replaced(ProviderSecrets(clientSecret: "secret")),
                    samePersons: false),
                by: .operator("operator"), in: actions.context(of: TestCore.app, at: clock.now))
            let view = try await actions.context(of: TestCore.app, at: clock.now)
            let context = CallContext(
                app: view.app, moment: view.moment, keys: try await services.directory.entry(TestCore.app).keys)
            try await test(Crowd(database: database, actions: actions, context: context, commits: commits))
            await database.close()
        }
    }

    @Sendable private static func guestLogin(_ number: Int) -> LogIn {
        LogIn(credential: Credential(provider: .guest))
    }

    @Sendable private static func device(_ number: Int) -> Actor.Principal {
        .device(Crowd.key(number), origin: "https://login.example.com")
    }

    @Test("New and returning guests and logins with the last provider share a commit each", arguments: Engine.available)
    func logins(engine: Engine) async throws {
        try await Self.withCrowd(engine) { crowd in
            let new = try await crowd.together("new", as: Self.device, Self.guestLogin)
            #expect(crowd.commits.largest >= Self.callers)
            let returning = try await crowd.together("returning", as: Self.device, Self.guestLogin)
            #expect(returning.map(\.member.userId) == new.map(\.member.userId))
            #expect(crowd.commits.largest >= Self.callers)
            let tokens = try returning.map { try #require($0.session.refreshToken) }
            let holder: @Sendable (Int) -> Actor.Principal = { .tokenHolder(tokens[$0], Crowd.key($0)) }
            let resumed = try await crowd.together("last", as: holder) { _ in LogInWithLastProvider() }
            #expect(resumed.map(\.member.userId) == new.map(\.member.userId))
            #expect(crowd.commits.largest >= Self.callers)
            let ended = try await crowd.together("logout", as: holder) { _ in LogOut() }
            #expect(ended.count == Self.callers)
            #expect(crowd.commits.largest >= Self.callers)
        }
    }

    @Test("First mappings of guests share a commit", arguments: Engine.available)
    func mappings(engine: Engine) async throws {
        try await Self.withCrowd(engine) { crowd in
            let guests = try await crowd.together("new", as: Self.device, Self.guestLogin)
            var claims: [AccessClaims] = []
            for guest in guests {
                claims.append(
                    try await crowd.actions.services.tokens.claims(
                        of: guest.session.accessToken, app: TestCore.app, at: crowd.context.moment))
            }
            let credentials = (0..<Self.callers).map { FakePeople.credential(.naver, of: "player-\($0)") }
            let changes = try await crowd.together("mapping", as: { [claims] in .player(claims[$0]) }) {
                AddMapping(credential: credentials[$0])
            }
            #expect(changes.map { $0.member.mappings.map(\.provider) } == guests.map { _ in [.naver] })
            #expect(changes.map(\.member.userId) == guests.map(\.member.userId))
            // Writes that violate a constraint together are tried by halves.
            #expect(crowd.commits.largest >= Self.callers / 2)
        }
    }
}
