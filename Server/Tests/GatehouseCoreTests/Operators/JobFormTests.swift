import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What operators confirm before they change a job that waits.
@Suite struct JobFormTests {
    @Test("A job that waits is tried now or given up, and one that is over can be neither")
    func jobs() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            try await core.player("alice").run(Withdraw())
            try await JobRunner(services: core.services).run()
            let caller = core.operator(kim, as: .operator)
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
            #expect(!preview.isDangerous && job.nextAt > core.clock.now)
            try await caller.run(retry)
            #expect(try await stuck().nextAt == core.clock.now)

            let end = try await caller.run(ReadPreview(of: giveUp))
            #expect(end.consequences.first == soFar && end.isDangerous)
            let support = core.operator(kim, as: .support)
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

    @Test("All failed jobs of a kind are tried at once, in this app alone, and their list says whom they are about")
    func retryAll() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let values = OperatorForm.values(["kind": "revoke-idp-tokens"])
            let view = try await OperatorForm.context(of: caller)
            let retry = try RetryFailedJobs(on: .app, values, view)
            let none = await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: retry)) }
            #expect(none?.phrase == "problem.no-failed-jobs")
            var users: Set<UserID> = []
            for name in ["alice", "bob"] {
                let player = try await core.player(name)
                users.insert(player.user)
                try await player.run(Withdraw())
            }
            try await JobRunner(services: core.services).run()
            let waiting = try await core.actions.run(
                ListJobs(state: .waiting), by: .operator("mia"), at: core.clock.now)
            #expect(Set(waiting.compactMap(\.user)) == users && waiting.allSatisfy { $0.provider != nil })
            let preview = try await caller.run(ReadPreview(of: retry))
            #expect(preview.title == Phrase("jobs.retry-all-title", ["count": .count(2)]))
            #expect(preview.table?.rows.count == 2)
            #expect(await code { try await core.operator(kim, as: .support).run(retry) } == .userPermission)
            try await caller.run(retry)
            let due = try await caller.run(ListStuckRevocations(limit: 9))
            #expect(due.count == 2 && due.allSatisfy { $0.nextAt == core.clock.now && users.contains($0.user ?? "") })
            #expect(await code { try await caller.run(retry) } == .invalidParameter)
            let other = RetryFailedJobs(kind: JobKind("forget-idp-profiles"))
            #expect(await code { try await caller.run(other) } == .invalidParameter)
            // What is over has lost whom it was about.
            try await caller.run(GiveUpJob(id: due[0].id))
            let dead = try await core.actions.run(ListJobs(state: .dead), by: .operator("mia"), at: core.clock.now)
            #expect(dead.count == 1 && dead[0].user == nil && dead[0].endedAt == core.clock.now)
        }
    }
}
