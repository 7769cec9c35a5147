import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The speed of logins rests on sharing: callers of the same moment share a commit, and on PostgreSQL also the statements.
@Suite struct SharedCommitTests {
    private static let callers = 30

    /// Another connection to a world's database, which counts the writes of each commit.
    private struct Desk: Sendable {
        let world: World
        let database: Database
        let actions: Actions
        let context: ActionContext
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
                    let once = Once(
                        call: Idempotency.Call(app: World.app, key: "\(round)-\(number)", requestHash: [1]),
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

    private func withDesk(_ engine: Engine, _ test: @escaping @Sendable (Desk) async throws -> Void) async throws {
        try await World.open(on: engine) { world in
            let commits = Commits()
            var events = StorageEvents()
            events.committed = { commits.add($0) }
            var options = DatabaseOptions.patient
            options.connections = 1
            let database = try await Database.open(world.location, options: options, events: events)
            let actions = Actions(services: try world.services(database))
            let entry = try await actions.services.directory.entry(World.app)
            let context = ActionContext(
                view: Viewpoint(app: entry.app, moment: world.clock.now), keys: entry.keys)
            try await test(
                Desk(world: world, database: database, actions: actions, context: context, commits: commits))
            await database.close()
        }
    }

    @Sendable private static func guestLogin(_ number: Int) -> LogIn {
        LogIn(credential: Credential(provider: .guest))
    }

    @Test("New and returning guests and logins with the last provider share a commit each", arguments: Engine.available)
    func logins(engine: Engine) async throws {
        try await withDesk(engine) { desk in
            let device: @Sendable (Int) -> Actor.Principal = { .device(Desk.key($0), origin: World.origin) }
            let new = try await desk.together("new", as: device, Self.guestLogin)
            #expect(desk.commits.largest >= Self.callers)
            let returning = try await desk.together("returning", as: device, Self.guestLogin)
            #expect(returning.map(\.member.userId) == new.map(\.member.userId))
            #expect(desk.commits.largest >= Self.callers)
            let tokens = try returning.map { try #require($0.session.refreshToken) }
            let holder: @Sendable (Int) -> Actor.Principal = { .tokenHolder(tokens[$0], Desk.key($0)) }
            let resumed = try await desk.together("last", as: holder) { _ in LogInWithLastProvider() }
            #expect(resumed.map(\.member.userId) == new.map(\.member.userId))
            #expect(desk.commits.largest >= Self.callers)
            let ended = try await desk.together("logout", as: holder) { _ in LogOut() }
            #expect(ended.count == Self.callers)
            #expect(desk.commits.largest >= Self.callers)
        }
    }

    @Test("First mappings of guests share a commit", arguments: Engine.available)
    func mappings(engine: Engine) async throws {
        try await withDesk(engine) { desk in
            let guests = try await desk.together(
                "new", as: { .device(Desk.key($0), origin: World.origin) }, Self.guestLogin)
            let reader = desk.actions.services.tokens
            var claims: [AccessClaims] = []
            for guest in guests {
                let token = guest.session.accessToken
                claims.append(try await reader.claims(of: token, app: World.app, at: desk.world.clock.now))
            }
            let credentials = try (0..<Self.callers).map { try desk.world.credential(.google, "player-\($0)") }
            let changes = try await desk.together("mapping", as: { [claims] in .player(claims[$0]) }) {
                AddMapping(credential: credentials[$0])
            }
            #expect(changes.map { $0.member.mappings.map(\.provider) } == guests.map { _ in [.google] })
            #expect(changes.map(\.member.userId) == guests.map(\.member.userId))
            #expect(desk.commits.largest >= Self.callers)
        }
    }
}
