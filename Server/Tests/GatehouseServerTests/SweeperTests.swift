import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct SweeperTests {
    @Test(
        "Without its database a server lives, is not ready, and answers 503 with a time to come back",
        arguments: Engine.ofDoors)
    func outage(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let ready = TestCall(method: .get, path: "/health/ready")
            #expect(try await server.send(ready).status == 200)
            await server.database.close()
            server.clock.advance(seconds: 1)
            #expect(try await server.send(ready).status == 503)
            #expect(try await server.send(TestCall(method: .get, path: "/health/live")).status == 200)
            let login = try await server.logIn(TestDevice())
            #expect(login.status == 503)
            #expect(login.code == 8001)
            #expect(login.reason == "database_unavailable")
            #expect(login.headers[.retryAfter] != nil)
        }
    }

    @Test("However many ask whether the server is ready, the database is asked once a second")
    func pulse() async throws {
        let asked = Asked()
        let pulse = DatabasePulse(environment: asked.environment) {
            if asked.add() == 2 { throw StorageError.conflict }
        }
        func fails(_ calls: Int) async -> [Bool] {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<calls { group.addTask { await pulse.failure() != nil } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(await fails(50).allSatisfy { !$0 } && asked.count == 1)
        asked.time = 999_999_999
        #expect(await fails(1) == [false] && asked.count == 1)
        asked.time = 1_000_000_000
        #expect(await fails(50).allSatisfy { $0 } && asked.count == 2)
        asked.time = 2_000_000_000
        #expect(await fails(2) == [false, false] && asked.count == 3)
    }

    @Test("A database that hangs is one that fails, and is asked again once it has answered", .timeLimit(.minutes(1)))
    func hangingDatabase() async throws {
        let asked = Asked()
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let pulse = DatabasePulse(environment: asked.environment) {
            asked.add()
            for await _ in answers { break }
        }
        let question = Task { await pulse.failure() }
        while asked.count == 0 { await Task.yield() }
        asked.time = DatabasePulse.patience
        #expect(await question.value is DatabasePulse.NoAnswer)
        asked.time = 60 * DatabasePulse.patience
        #expect(await pulse.failure() is DatabasePulse.NoAnswer)
        #expect(asked.count == 1)
        answer.yield()
        answer.finish()
        while await pulse.failure() != nil { await Task.yield() }
        #expect(asked.count == 2)
    }

    private final class Asked: Sendable {
        private let state = Mutex<(time: UInt64, count: Int)>((0, 0))

        var environment: ServerEnvironment {
            var environment = TestServer.Clock().environment()
            environment.monotonicNanoseconds = { self.time }
            return environment
        }

        var time: UInt64 {
            get { state.withLock { $0.time } }
            set { state.withLock { $0.time = newValue } }
        }
        var count: Int { state.withLock { $0.count } }

        @discardableResult
        func add() -> Int {
            state.withLock { state in
                state.count += 1
                return state.count
            }
        }
    }
}

extension TestServer {
    /// The services of the server's own work.
    func services(_ database: Database? = nil) throws -> Services {
        Services(
            database: database ?? self.database, vault: try KeyVault(masterKey: Self.vaultKey),
            environment: clock.environment(idps), reporter: EventReporter(audit: audit.log))
    }

    /// Runs the server's periodic work.
    @discardableResult
    func sweep() async throws -> Int {
        try await Sweeper(services: services()).sweep()
    }
}
