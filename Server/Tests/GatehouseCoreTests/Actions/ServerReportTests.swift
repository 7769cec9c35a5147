import GatehouseSecurity
import GatehouseStorage
import TestDatabases
import Testing

@testable import GatehouseCore

/// The reports about the whole server.
@Suite struct ServerReportTests {
    /// A report that takes as long as its body does.
    private struct Report: ServerAction {
        static let role: OperatorRole? = nil

        let body: @Sendable () -> Void

        func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Int? {
            try await services.database.report { [body] tx in
                body()
                return try tx.first("SELECT 1") { row in try row[0] as Int }
            }
        }
    }

    @Test(
        "A person who asks for many reports of the server at once has a part of the queue, as in an app",
        .timeLimit(.minutes(5)))
    func shares() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person("kim").live).person
            let lee = try #require(try await core.person("lee").live).person
            let ask: @Sendable (Operator, @escaping @Sendable () -> Void) async throws -> Int? = { person, body in
                try await core.actions.run(
                    Report(body: body), by: .operator(person, as: .owner, confirmation: nil, reason: nil),
                    at: core.clock.now)
            }
            let hold = Hold()
            async let held = ask(kim) { hold.wait() }
            try await hold.reached()
            let limit = DatabaseOptions().reportQueueLimit
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<(2 * limit) {
                    group.addTask {
                        do {
                            return try await ask(kim) {} == 1
                        } catch StorageError.overloaded {
                            return false
                        }
                    }
                }
                // Without a share of one's own they would take the whole queue.
                var refused = 0
                while refused < limit + limit / 4, try await group.next() == false { refused += 1 }
                #expect(refused == limit + limit / 4)
                async let other = ask(lee) {}
                hold.open()
                #expect(try await other == 1)
                for try await _ in group {}
            }
            #expect(try await held == 1)
        }
    }
}
