import GatehouseStorage
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseServer

/// The speed of logins rests on sharing: callers of the same moment share a commit, and on PostgreSQL also the statements.
@Suite struct SharedCommitTests {
    private static let callers = 30

    /// Another connection to a world's database, which counts the writes of each commit.
    private struct Desk: Sendable {
        let database: Database
        let change: Change
        let view: Viewpoint
        let idempotency: Idempotency
        let commits: Commits

        /// Runs a decision for each caller at the same time, and returns the values.
        func together<Value: Sendable>(
            _ decide: @escaping @Sendable (Int, Draft) throws -> Value
        ) async throws -> [Value] {
            let hold = Hold()
            async let held: Void = database.decide { _ in hold.wait() }
            try await hold.reached()
            commits.clear()
            let values = try await withThrowingTaskGroup(of: (Int, Value).self) { group in
                for number in 0..<callers {
                    group.addTask { (number, try await database.decide { draft in try decide(number, draft) }) }
                }
                while database.waiting.writes < callers { try await Task.sleep(for: .milliseconds(1)) }
                hold.open()
                return try await group.reduce(into: [Int: Value]()) { $0[$1.0] = $1.1 }
            }
            try await held
            return (0..<callers).compactMap { values[$0] }
        }

        func device(_ number: Int) -> LoginRules.Device {
            LoginRules.Device(key: KeyThumbprint("device-\(number)"), view: view, lifetimes: SessionLifetimes())
        }
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
            let app = try #require(try await database.read { tx in try AppQueries.app(World.app, in: tx) })
            let vault = try KeyVault(masterKey: World.vaultKey)
            let view = Viewpoint(app: app, moment: world.clock.now)
            try await test(
                Desk(
                    database: database, change: Change(view, by: .player, random: .live, vault: vault), view: view,
                    idempotency: Idempotency(vault: vault), commits: commits))
            await database.close()
        }
    }

    @Test("New and returning guests and logins with the last provider share a commit each", arguments: Engine.available)
    func logins(engine: Engine) async throws {
        try await withDesk(engine) { desk in
            let logIn: @Sendable (String) -> @Sendable (Int, Draft) throws -> LoginRules.Outcome = { round in
                { number, draft in
                    let device = desk.device(number)
                    let call = Idempotency.Call(app: World.app, key: "\(round)-\(number)", requestHash: [1])
                    return try desk.idempotency.performFirst(
                        call, by: .device(device.key), at: desk.view.moment, ifRepeated: TransactionConflict(),
                        in: draft
                    ) {
                        try LoginRules.logIn(
                            VerifiedIdentity(key: .guest(device.key)), on: device, desk.change, in: draft)
                    }
                }
            }
            let new = try await desk.together(logIn("new"))
            #expect(new.allSatisfy { $0.isNewMember })
            #expect(desk.commits.largest >= Self.callers)
            let returning = try await desk.together(logIn("returning"))
            #expect(returning.allSatisfy { !$0.isNewMember })
            #expect(returning.map(\.member.userId) == new.map(\.member.userId))
            #expect(desk.commits.largest >= Self.callers)
            let tokens = try returning.map { try #require($0.refreshToken) }
            let resumed = try await desk.together { number, draft in
                try LoginRules.logInWithLastProvider(
                    tokens[number], on: desk.device(number), desk.change, in: draft)
            }
            #expect(resumed.map(\.sessionID) == returning.map(\.sessionID))
            #expect(desk.commits.largest >= Self.callers)
            let ended = try await desk.together { number, draft in
                try SessionRules.logOut(
                    tokens[number], key: desk.device(number).key, desk.change, in: draft
                ).hasEnded
            }
            #expect(ended.allSatisfy { $0 })
            #expect(desk.commits.largest >= Self.callers)
        }
    }
}
