import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators do with jobs that fail.
@Suite struct JobActionTests {
    @Test("A revocation that fails is tried when an operator says so, and given up once")
    func stuck() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await alice.run(Withdraw())
            let runner = JobRunner(services: core.services)
            try await runner.run()
            let stuck = try await core.operator().run(ListStuckRevocations(limit: 9))
            let job = try #require(stuck.first)
            #expect(job.attempts == 1 && job.lastError != nil && job.nextAt > core.clock.now)
            core.clock.advance(seconds: 1)
            try await core.operator().run(RetryJob(id: job.id))
            try await runner.run()
            #expect(try await core.operator().run(ListStuckRevocations(limit: 9)).first?.attempts == 2)
            try await core.operator().run(GiveUpJob(id: job.id))
            let dead = try #require(try await core.operator().run(ListStuckRevocations(limit: 9)).first)
            #expect(dead.id == job.id && dead.state == .dead && dead.lastError == "given up by mia")
            #expect(try await core.history(of: alice.user).last == .tokensNotRevoked)
            #expect(await code { try await core.operator().run(GiveUpJob(id: job.id)) } == .invalidParameter)
            #expect(await code { try await core.operator().run(RetryJob(id: job.id)) } == .invalidParameter)
        }
    }

    @Test("The server's health names late work")
    func health() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let read = { try await core.actions.run(ReadHealth(), by: .operator("mia"), at: core.clock.now) }
            #expect(try await read().database == "SQLite")
            try await core.ban([alice.user], seconds: 60)
            core.clock.advance(seconds: 60 + 299)
            #expect(try await read().overdueMembers == 0)
            core.clock.advance(seconds: 2)
            #expect(try await read().overdueMembers == 1)
        }
    }
}
