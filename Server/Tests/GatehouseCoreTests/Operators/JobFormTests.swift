import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators confirm before they change a job that waits.
@Suite struct JobFormTests {
    @Test("A job that waits is tried now or given up, and one that is over can be neither")
    func jobs() async throws {
        try await Desk.open { desk in
            let kim = try #require(try await desk.person().live).person
            try await desk.player("alice").run(Withdraw())
            try await JobRunner(services: desk.services).run()
            let caller = desk.operator(kim, as: .operator)
            func stuck() async throws -> JobRecord {
                try #require(try await caller.run(ListStuckRevocations(limit: 9)).first)
            }
            let job = try await stuck()
            let target = try OperatorActionAbout.Subject.job.target(OperatorForm.values(["job": job.id]))
            let (retry, giveUp) = (try RetryJob(on: target), try GiveUpJob(on: target))

            let kind = job.kind.rawValue
            let soFar = Phrase(
                "jobs.retry-what",
                [
                    "kind": .word("jobs.kind.\(kind)", or: kind), "tries": .count(1),
                    "error": .text(try #require(job.lastError)),
                ])
            let preview = try await caller.run(ReadPreview(of: retry))
            #expect(preview.consequences == [soFar, Phrase("jobs.retry-now", ["next": .moment(job.nextAt)])])
            #expect(!preview.isDangerous && job.nextAt > desk.clock.now)
            try await caller.run(retry)
            #expect(try await stuck().nextAt == desk.clock.now)

            let end = try await caller.run(ReadPreview(of: giveUp))
            #expect(end.consequences.first == soFar && end.isDangerous)
            let support = desk.operator(kim, as: .support)
            #expect(await code { try await support.run(giveUp) } == .userPermission)
            try await caller.run(giveUp)
            #expect(try await stuck().state == .dead)
            for problem in [
                await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: retry)) },
                await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: giveUp)) },
            ] {
                #expect(problem?.phrase == "problem.job-over" && problem?.parameter == "job")
            }
            #expect(await code { _ = try RetryJob(on: .app) } == .invalidParameter)
        }
    }
}
