import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators do with jobs that fail.
@Suite struct JobActionTests {
    @Test("A revocation that fails is tried when an operator says so, and given up once")
    func stuck() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            try await alice.run(Withdraw())
            let runner = JobRunner(services: desk.services)
            try await runner.run()
            let stuck = try await desk.operator().run(ListStuckRevocations(limit: 9))
            let job = try #require(stuck.first)
            #expect(job.attempts == 1 && job.lastError != nil && job.nextAt > desk.clock.now)
            desk.clock.advance(seconds: 1)
            try await desk.operator().run(RetryJob(id: job.id))
            try await runner.run()
            #expect(try await desk.operator().run(ListStuckRevocations(limit: 9)).first?.attempts == 2)
            try await desk.operator().run(GiveUpJob(id: job.id))
            let dead = try #require(try await desk.operator().run(ListStuckRevocations(limit: 9)).first)
            #expect(dead.id == job.id && dead.state == .dead && dead.lastError == "given up by mia")
            #expect(try await desk.history(of: alice.user).last == .tokensNotRevoked)
            #expect(await code { try await desk.operator().run(GiveUpJob(id: job.id)) } == .invalidParameter)
            #expect(await code { try await desk.operator().run(RetryJob(id: job.id)) } == .invalidParameter)
        }
    }

    @Test("The server's health names late work")
    func health() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let read = { try await desk.actions.run(ReadHealth(), by: .operator("mia"), at: desk.clock.now) }
            #expect(try await read().database == "SQLite")
            try await desk.ban([alice.user], seconds: 60)
            desk.clock.advance(seconds: 60 + 299)
            #expect(try await read().overdueMembers == 0)
            desk.clock.advance(seconds: 2)
            #expect(try await read().overdueMembers == 1)
        }
    }
}
