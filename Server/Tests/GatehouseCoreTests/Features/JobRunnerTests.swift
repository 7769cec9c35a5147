import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore

/// The jobs of the outbox, with a provider that does not revoke.
@Suite struct JobRunnerTests {
    /// The services of another process, whose provider answers as the test says.
    private func services(
        _ core: TestCore, _ fetch: @escaping @Sendable (OutgoingRequest) async throws -> OutgoingResponse
    ) -> Services {
        var environment = core.services.environment
        environment.fetch = fetch
        return Services(
            database: core.database, vault: core.services.vault, environment: environment,
            reporter: core.callLog.reporter)
    }

    /// Members who have withdrawn, so that each has a job that revokes tokens.
    private func withdrawn(
        _ people: [String], at provider: Provider = .naver, _ core: TestCore
    ) async throws -> [Player] {
        var players: [Player] = []
        for person in people {
            let player = try await core.player(person, provider, on: person)
            try await player.run(Withdraw())
            core.clock.advance(seconds: 1)
            players.append(player)
        }
        return players
    }

    private func jobs(_ core: TestCore) async throws -> [JobRecord] {
        try await core.database.read { tx in try JobQueries.jobs(in: nil, limit: 9, in: tx) }
    }

    @Test("A job is tried for two days, and is dead then")
    func twoDays() async throws {
        try await TestCore.open { core in
            let alice = try #require(try await withdrawn(["alice"], core).first)
            let runner = JobRunner(services: core.services)
            let begin = core.clock.now.milliseconds
            var job = try #require(try await jobs(core).first)
            while job.state == .waiting, job.attempts < 100 {
                #expect(try await runner.run() == 1)
                job = try #require(try await jobs(core).first)
                let pause = job.nextAt.milliseconds - core.clock.now.milliseconds
                if job.state == .waiting { core.clock.advance(seconds: pause / 1_000) }
            }
            #expect(job.state == .dead && job.attempts == JobRules.attempts)
            let hours = (core.clock.now.milliseconds - begin) / 3_600_000
            #expect((48...54).contains(hours), "\(hours)")
            #expect(try await core.history(of: alice.user).last == .tokensNotRevoked)
            #expect(core.callLog.events.filter { $0 == "job.dead" }.count == 1)
        }
    }

    /// Takes the next job as a runner does; nil if none is due.
    private func claim(_ core: TestCore) async throws -> QueuedJob? {
        let now = core.clock.now
        return try await core.database.transact { tx in
            try JobQueries.due(at: now, limit: 1, in: tx).first { job in try JobRules.claim(job, at: now, in: tx) }
        }
    }

    @Test("REL-12: of two nodes that have found the same job, one takes it", arguments: Engine.available)
    func foundTwice(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { first, second in
            _ = try await withdrawn(["alice"], first)
            let now = first.clock.now
            let found = try await first.database.read { tx in try JobQueries.due(at: now, limit: 9, in: tx) }
            let job = try #require(found.first)
            let taken = try await together(2) { number in
                try await [first, second][number].database.transact { tx in try JobRules.claim(job, at: now, in: tx) }
            }
            #expect(taken.count { $0 } == 1)
        }
    }

    @Test("A job that its process does not survive is tried for two days, given up then, and not tried again")
    func killed() async throws {
        try await TestCore.open { core in
            let alice = try #require(try await withdrawn(["alice"], core).first)
            let begin = core.clock.now.milliseconds
            for number in 1...JobRules.attempts {
                #expect(try await claim(core) != nil)
                if number == JobRules.attempts {
                    let hours = (core.clock.now.milliseconds - begin) / 3_600_000
                    #expect((48...54).contains(hours), "\(hours)")
                }
                let seconds = max(JobRules.leaseSeconds, JobRules.pauseSeconds(after: number))
                core.clock.advance(seconds: seconds - 1)
                #expect(try await claim(core) == nil)
                core.clock.advance(seconds: 1)
            }
            let asked = Atomic(0)
            let runner = JobRunner(
                services: services(core) { _ in
                    asked.add(1, ordering: .relaxed)
                    throw OutgoingFailure.notConnected
                })
            #expect(try await runner.run() == 1)
            #expect(asked.load(ordering: .relaxed) == 0)
            #expect(try await jobs(core).map(\.state) == [.dead])
            #expect(try await core.history(of: alice.user).last == .tokensNotRevoked)
        }
    }

    @Test("A job keeps its last five failed attempts, each with its time and what fits of its error")
    func failures() async throws {
        try await TestCore.open { core in
            _ = try await withdrawn(["alice"], core)
            var dates: [Moment] = []
            for number in 1...7 {
                let job = try #require(try await claim(core))
                let now = core.clock.now
                dates.append(now)
                let failure = JobFailure(reason: "\(number) " + String(repeating: "é", count: 500), mayRetry: true)
                let state = try await core.database.transact { tx in
                    try JobRules.conclude(job, failure, at: now, in: tx)
                }
                #expect(state == .waiting)
                core.clock.advance(seconds: JobRules.pauseSeconds(after: number) + JobRules.leaseSeconds)
            }
            let job = try #require(try await jobs(core).first)
            #expect(job.failures.map(\.date) == dates.suffix(5).reversed())
            #expect(job.failures.map { $0.error.prefix(2) } == ["7 ", "6 ", "5 ", "4 ", "3 "])
            #expect(job.failures.allSatisfy { $0.error.unicodeScalars.count == 120 })
            #expect(job.lastError?.unicodeScalars.count == 502)
            // One that succeeds at last keeps how it went.
            let last = try #require(try await claim(core))
            let now = core.clock.now
            let state = try await core.database.transact { tx in try JobRules.conclude(last, nil, at: now, in: tx) }
            #expect(state == .done)
            #expect(try await jobs(core).first?.failures == job.failures)
        }
    }

    @Test("A node whose lease has ended changes nothing: the result of the later attempt counts")
    func lateNode() async throws {
        try await TestCore.open { core in
            _ = try await withdrawn(["alice"], core)
            let claim = { () async throws -> QueuedJob in try #require(try await self.claim(core)) }
            let conclude = { (job: QueuedJob, failure: JobFailure?) async throws -> JobRecord.State? in
                let now = core.clock.now
                return try await core.database.transact { tx in
                    try JobRules.conclude(job, failure, at: now, in: tx)
                }
            }
            let late = try await claim()
            core.clock.advance(seconds: JobRules.leaseSeconds)
            let later = try await claim()
            #expect(try await conclude(late, nil) == nil)
            #expect(try await conclude(late, JobFailure(reason: "late", mayRetry: false)) == nil)
            #expect(try await conclude(later, JobFailure(reason: "down", mayRetry: true)) == .waiting)
            let job = try await jobs(core).first
            #expect(job?.lastError == "down" && job?.failures.map(\.error) == ["down"])
        }
    }

    @Test("The lease of a job begins when it is taken, however long the jobs before it have needed")
    func backlog() async throws {
        try await TestCore.open { core in
            _ = try await withdrawn(["alice", "bob"], core)
            let taken = Atomic(0)
            let runner = JobRunner(
                services: services(core) { _ in
                    let now = core.clock.now
                    // Another node finds nothing to do meanwhile, except the job that has not begun.
                    let found = try await core.database.read { tx in try JobQueries.due(at: now, limit: 9, in: tx) }
                    taken.add(found.filter { $0.attempts > 0 }.count, ordering: .relaxed)
                    core.clock.advance(seconds: JobRules.leaseSeconds + 60)
                    throw OutgoingFailure.notConnected
                })
            #expect(try await runner.run() >= 2)
            #expect(taken.load(ordering: .relaxed) == 0)
        }
    }

    @Test("A job that hangs ends at its limit, and holds up none of another provider", .timeLimit(.minutes(5)))
    func hanging() async throws {
        try await TestCore.open { core in
            _ = try await withdrawn(["alice"], core)
            _ = try await withdrawn(["bob"], at: .twitter, core)
            let (reached, reaching) = AsyncStream.makeStream(of: Void.self)
            let (limit, ending) = AsyncStream.makeStream(of: Void.self)
            let calls = Atomic(0)
            let services = services(core) { _ in
                guard calls.add(1, ordering: .relaxed).oldValue == 0 else { throw OutgoingFailure.notConnected }
                reaching.yield()
                // It ends only when its task is cancelled.
                for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(86_400)) }) { break }
                throw OutgoingFailure.timedOut(seconds: 5)
            }
            let first = JobRunner(services: services) {
                for await _ in limit { return }
                throw CancellationError()
            }
            async let held = first.run()
            for await _ in reached { break }
            #expect(try await JobRunner(services: services).run() == 1)
            ending.yield()
            #expect(try await held == 1)
            let errors = try await jobs(core).compactMap(\.lastError)
            #expect(errors.count == 2 && errors.filter { $0 == "it has taken too long" }.count == 1, "\(errors)")
        }
    }

    @Test("A provider that does not answer takes one runner, however many jobs it has", .timeLimit(.minutes(5)))
    func hangingProvider() async throws {
        try await TestCore.open { core in
            // More than a runner looks at first.
            let people = (0...8).map { "person\($0)" }
            _ = try await withdrawn(people, core)
            _ = try await withdrawn(["bob"], at: .twitter, core)
            let (reached, reaching) = AsyncStream.makeStream(of: String?.self)
            let limit = Gate()
            let services = services(core) { request in
                let host = URL(string: request.url)?.host
                reaching.yield(host)
                // The one hangs until its task is cancelled, and the other can't be reached.
                if host?.hasSuffix("naver.com") == true { await Gate().wait() }
                throw OutgoingFailure.notConnected
            }
            let runs = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<JobRunner.count {
                    group.addTask { try await JobRunner(services: services) { await limit.wait() }.run() }
                }
                // Runners that find nothing more to do end meanwhile.
                var hosts: [String?] = []
                for await host in reached {
                    hosts.append(host)
                    if host?.hasSuffix("naver.com") == false { break }
                }
                #expect(hosts.count <= 2, "\(hosts)")
                limit.open()
                return try await group.reduce(0, +)
            }
            #expect(runs == people.count + 1)
            let tried = try await core.database.read { tx in try JobQueries.jobs(in: .waiting, limit: 99, in: tx) }
            #expect(tried.count == people.count + 1 && tried.allSatisfy { $0.attempts == 1 })
        }
    }

    private static let naverHost = "https://nid.naver.com"

    /// Adds jobs that revoke tokens, and lets a second pass.
    private func add(
        _ count: Int, at provider: Provider, of app: AppID = TestCore.app, _ core: TestCore
    ) async throws {
        let tokens = IdentityTokens(
            accessToken: ProviderToken("access"), refreshToken: ProviderToken("refresh"), revocation: .byToken)
        let job = RevokeTokens(provider: provider, user: UserID("U"), tokens: tokens)
        let (services, moment) = (core.services, core.clock.now)
        try await core.database.transact { tx in
            for _ in 0..<count {
                try JobRules.add(
                    job, app: app, vault: services.vault, at: moment, random: services.random, in: tx)
            }
        }
        core.clock.advance(seconds: 1)
    }

    /// The hosts that were asked, in their order. None of them can be reached.
    private final class Asked: Sendable {
        private let hosts = Mutex<[String?]>([])

        var all: [String?] { hosts.withLock { $0 } }

        func answer(_ request: OutgoingRequest) throws -> OutgoingResponse {
            let host = URL(string: request.url)?.host
            hosts.withLock { $0.append(host) }
            throw OutgoingFailure.notConnected
        }
    }

    @Test(
        "REL-9: however many due jobs wait for a host that hangs, those of another are found",
        arguments: Engine.available)
    func manyDueJobs(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await add(1_001, at: .naver, core)
            try await add(1, at: .twitter, core)
            let asked = Asked()
            let services = services(core) { try asked.answer($0) }
            // As long as another runner waits for its answer.
            #expect(services.jobPlaces.take(Self.naverHost))
            #expect(try await JobRunner(services: services).run() == 1)
            #expect(asked.all == ["api.x.com"])
        }
    }

    @Test("REL-9: the apps of a provider that hangs take one runner together")
    func appsOfOneProvider() async throws {
        try await TestCore.open { core in
            for number in 1...JobRunner.count {
                let app = AppID("app\(number)")
                let by = Actor.operator("mia", reason: "cheats")
                _ = try await core.actions.run(
                    CreateApp(id: app, name: "Game"), by: by, in: .ofServer(moment: core.clock.now))
                var configuration = ProviderConfiguration(kind: .naver, clientIds: ["client"])
                configuration.acceptsUnboundTokens = true
                let action = SaveIdentityProvider(
                    provider: .naver, configuration: configuration,
                    secrets: .replaced(ProviderSecrets(clientSecret: "secret")), samePersons: false)
                _ = try await core.actions.run(
                    action, by: by, in: try await core.actions.context(of: app, at: core.clock.now))
                try await add(1, at: .naver, of: app, core)
            }
            try await add(1, at: .twitter, core)
            let asked = Asked()
            let services = services(core) { try asked.answer($0) }
            #expect(services.jobPlaces.take(Self.naverHost))
            #expect(try await JobRunner(services: services).run() == 1)
            #expect(asked.all == ["api.x.com"])
            services.jobPlaces.leave(Self.naverHost)
            #expect(try await JobRunner(services: services).run() == JobRunner.count)
        }
    }

    @Test("Lanes take turns, so that the last job of one does not wait for all of another")
    func turns() async throws {
        try await TestCore.open { core in
            try await add(3, at: .naver, core)
            try await add(2, at: .twitter, core)
            let asked = Asked()
            #expect(try await JobRunner(services: services(core) { try asked.answer($0) }).run() == 5)
            #expect(asked.all == ["nid.naver.com", "api.x.com", "nid.naver.com", "api.x.com", "nid.naver.com"])
        }
    }

    @Test("Jobs that a server of before has added get their lane, and are run", arguments: Engine.available)
    func jobsWithoutLane(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            try await add(2, at: .naver, core)
            try await core.database.transact { tx in try tx.execute("UPDATE jobs SET lane = ''") }
            #expect(try await JobRunner(services: services(core) { try Asked().answer($0) }).run() == 2)
            let lanes = try await core.database.read { tx in
                try tx.rows("SELECT lane FROM jobs") { row in try row[0] as String }
            }
            #expect(lanes == ["game naver", "game naver"])
        }
    }

    @Test("A revocation that meets a full queue at the provider's documents is tried again")
    func busy() async throws {
        try await TestCore.open { core in
            _ = try await withdrawn(["alice"], core)
            #expect(try await JobRunner(services: services(core) { _ in throw IdentityFailure.busy }).run() == 1)
            let job = try #require(try await jobs(core).first)
            #expect(job.state == .waiting && job.lastError == "naver can't be asked")
        }
    }

    @Test("WITHDRAW-1: a client that is refused is for an operator to mend: the revocation waits")
    func refusedClient() async throws {
        try await TestCore.open { core in
            _ = try await withdrawn(["alice"], core)
            let refused = services(core) { _ in
                OutgoingResponse(status: 401, body: Data(#"{"error":"invalid_client"}"#.utf8))
            }
            #expect(try await JobRunner(services: refused).run() == 1)
            let job = try #require(try await jobs(core).first)
            #expect(job.state == .waiting && job.lastError?.contains("client id, secret") == true)
        }
    }

    @Test("A job that can't be read is given up, and the jobs behind it are run")
    func unreadable() async throws {
        try await TestCore.open { core in
            _ = try await withdrawn(["alice", "bob"], core)
            try await core.database.transact { tx in
                // The vault can't open it.
                let wrong: [UInt8] = [1, 2, 3]
                let first = try #require(try JobQueries.jobs(in: nil, limit: 9, in: tx).last?.id)
                try tx.execute("UPDATE jobs SET sealed_payload = \(wrong) WHERE job_id = \(first)")
            }
            #expect(try await JobRunner(services: core.services).run() == 2)
            #expect(try await jobs(core).map(\.state) == [.waiting, .dead])
        }
    }
}
