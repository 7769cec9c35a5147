import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// Table `jobs`.
@Suite struct JobQueryTests {
    private static let kind = JobKind(Tables.text)

    private static func insert(_ id: String, app: AppID = Tables.app, at seconds: Int64 = 0, in tx: Draft) throws {
        try insert(id, lane: Tables.text, app: app, at: seconds, in: tx)
    }

    private static func insert(
        _ id: String, lane: String, app: AppID = Tables.app, at seconds: Int64 = 0, in tx: Draft
    ) throws {
        try JobQueries.insert(
            id, kind: kind, lane: lane, sealed: Tables.bytes, app: app, at: Tables.moment + seconds, in: tx)
    }

    private static func due(_ seconds: Int64 = 0, limit: Int = 9, in tx: Reader) throws -> [QueuedJob] {
        try JobQueries.due(at: Tables.moment + seconds, limit: limit, in: tx)
    }

    /// Ends a job that nobody has tried yet.
    @discardableResult
    private static func end(
        _ id: String, _ state: JobRecord.State, error: String? = nil, at seconds: Int64 = 0, in tx: Transaction
    ) throws -> Bool {
        try JobQueries.end(
            id, of: Tables.app, after: 0, state: state, error: error, at: Tables.moment + seconds, in: tx)
    }

    private static func record(_ id: String, in tx: Reader) throws -> JobRecord? {
        try JobQueries.jobs(in: nil, limit: 9, in: tx).first { $0.id == id }
    }

    @Test("Jobs of one decision are read back as they were inserted", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await Tables.open(engine) { database in
            try await database.decide { draft in
                try Self.insert("a", in: draft)
                try Self.insert("b", app: Tables.otherApp, at: 1, in: draft)
            }
            try await database.read { tx in
                let job = try #require(try Self.due(in: tx).first)
                #expect(job.id == "a" && job.app == Tables.app && job.kind == Self.kind)
                #expect(job.sealed == Tables.bytes && job.attempts == 0 && job.nextAt == Tables.moment)
                #expect(job.lane == Tables.text)
                #expect(
                    try Self.record("b", in: tx)
                        == JobRecord(
                            id: "b", app: Tables.otherApp, kind: Self.kind, state: .waiting, attempts: 0,
                            nextAt: Tables.moment + 1, lastError: nil, createdAt: Tables.moment + 1, endedAt: nil))
            }
        }
    }

    @Test("Failed jobs that wait are of one app and kind, the next one first, and have their parameters")
    func failed() async throws {
        for engine in Engine.available {
            try await Tables.transact(engine) { tx in
                for id in ["a", "b", "c"] { try Self.insert(id, in: tx) }
                try Self.insert("d", app: Tables.otherApp, in: tx)
                for (id, app, seconds) in [("a", Tables.app, 9), ("b", Tables.app, 5), ("d", Tables.otherApp, 5)]
                    as [(String, AppID, Int64)]
                {
                    let isStored = try JobQueries.postpone(
                        id, of: app, after: 0, to: Tables.moment + seconds, error: Tables.text, in: tx)
                    #expect(isStored)
                }
                func failed(_ seconds: Int64 = 0, limit: Int = 9, kind: JobKind = Self.kind) throws -> [String] {
                    try JobQueries.failed(
                        kind, of: Tables.app, after: Tables.moment + seconds, limit: limit, in: tx
                    ).map(\.id)
                }
                #expect(try failed() == ["b", "a"] && failed(5) == ["a"] && failed(limit: 1) == ["b"])
                #expect(try failed(kind: JobKind("other")).isEmpty)
                try Self.end("b", .dead, in: tx)
                #expect(try failed() == ["a"])
                let payloads = try JobQueries.payloads(of: ["a", "b", "none"], in: tx)
                #expect(payloads == ["a": Tables.bytes])
            }
        }
    }

    @Test("Due jobs are in the order of their time, within the limit", arguments: Engine.available)
    func due(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for (id, seconds) in [("a", 3), ("b", 1), ("c", 2)] as [(String, Int64)] {
                try Self.insert(id, at: seconds, in: tx)
            }
            #expect(try Self.due(2, in: tx).map(\.id) == ["b", "c"])
            #expect(try Self.due(9, limit: 1, in: tx).map(\.id) == ["b"])
        }
    }

    @Test(
        "Of each lane the job that is due first is found, and one without a lane gets it once",
        arguments: Engine.available)
    func lanes(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let jobs: [(String, String, Int64)] = [
                ("a", "two", 3), ("b", "two", 1), ("c", "one", 9), ("d", "", 5), ("e", "one", 1),
            ]
            for (id, lane, seconds) in jobs {
                try Self.insert(id, lane: lane, at: seconds, in: tx)
            }
            try Self.end("e", .done, in: tx)
            func ids() throws -> [String] {
                var (ids, lane): ([String], String?) = ([], nil)
                while let job = try JobQueries.first(after: lane, in: tx) {
                    ids.append(job.id)
                    lane = job.lane
                }
                return ids
            }
            #expect(try ids() == ["d", "c", "b"])
            let job = try #require(try JobQueries.first(after: nil, in: tx))
            try JobQueries.setLane("three", of: job, in: tx)
            try JobQueries.setLane("four", of: job, in: tx)
            #expect(try ids() == ["c", "d", "b"])
            #expect(try JobQueries.first(after: "one", in: tx)?.lane == "three")
        }
    }

    @Test("A job is claimed once, and is due again after the lease", arguments: Engine.available)
    func claim(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for id in ["a", "b"] { try Self.insert(id, in: tx) }
            let job = try #require(try Self.due(in: tx).first { $0.id == "a" })
            #expect(try JobQueries.claim(job, until: Tables.moment + 60, in: tx))
            #expect(try !JobQueries.claim(job, until: Tables.moment + 90, in: tx))
            #expect(try Self.due(59, in: tx).map(\.id) == ["b"])
            let again = try #require(try Self.due(60, in: tx).first { $0.id == "a" })
            #expect(again.attempts == 1 && again.nextAt == Tables.moment + 60)
        }
    }

    @Test("A postponed job waits, and one that has ended is postponed no more", arguments: Engine.available)
    func postpone(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for id in ["a", "b"] { try Self.insert(id, in: tx) }
            #expect(try Self.end("b", .dead, error: "gone", in: tx))
            for (id, attempts, isDone) in [("a", 1, false), ("a", 0, true), ("b", 0, false)] {
                let isStored = try JobQueries.postpone(
                    id, of: Tables.app, after: attempts, to: Moment(milliseconds: .max), error: Tables.text, in: tx)
                #expect(isStored == isDone)
            }
            let waiting = try Self.record("a", in: tx)
            #expect(waiting?.nextAt == Moment(milliseconds: .max) && waiting?.lastError == Tables.text)
            #expect(try Self.record("b", in: tx)?.lastError == "gone")
        }
    }

    @Test("Failed attempts stay with their job, until it ends and after it", arguments: Engine.available)
    func failures(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for id in ["a", "b"] { try Self.insert(id, in: tx) }
            try Self.insert("a", app: Tables.otherApp, in: tx)
            let failures = [Tables.text, "down"].enumerated().map { place, reason in
                FailedAttempt(
                    JobFailure(reason: reason, mayRetry: true), at: Tables.moment + Int64(9 - place))
            }
            func kept(_ id: String, of app: AppID = Tables.app) throws -> [FailedAttempt] {
                try JobQueries.failures(of: id, app: app, in: tx)
            }
            for id in ["a", "b"] {
                let isStored = try JobQueries.postpone(
                    id, of: Tables.app, after: 0, to: Tables.moment + 9, error: "down", failures: [failures[1]], in: tx)
                #expect(isStored)
            }
            #expect(try kept("a") == [failures[1]] && kept("a", of: Tables.otherApp).isEmpty && kept("none").isEmpty)
            let isStored = try JobQueries.end(
                "a", of: Tables.app, after: 0, state: .dead, error: Tables.text, failures: failures, at: Tables.moment,
                in: tx)
            #expect(isStored)
            #expect(try Self.end("b", .done, in: tx))
            let listed = try JobQueries.jobs(in: nil, limit: 9, in: tx).filter { $0.app == Tables.app }
            #expect(listed.map(\.failures) == [[failures[1]], failures])
            // What a later version may write there does no harm.
            try tx.execute("UPDATE jobs SET failures = '{' WHERE job_id = 'a'")
            #expect(try kept("a").isEmpty)
        }
    }

    @Test("An ended job has lost its payload, and is listed by its state", arguments: Engine.available)
    func end(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for id in ["a", "b", "c"] { try Self.insert(id, in: tx) }
            let late = try JobQueries.end(
                "a", of: Tables.app, after: 1, state: .dead, error: "late", at: Tables.moment, in: tx)
            #expect(!late)
            #expect(try Self.end("a", .done, in: tx))
            #expect(try !Self.end("a", .dead, in: tx))
            #expect(try Self.end("b", .dead, error: Tables.text, in: tx))
            let ids = { (state: JobRecord.State?, limit: Int) in
                try JobQueries.jobs(in: state, limit: limit, in: tx).map(\.id)
            }
            #expect(try ids(nil, 9) == ["c", "b", "a"])
            #expect(try ids(nil, 1) == ["c"])
            #expect(try ids(.dead, 9) == ["b"])
            #expect(try JobQueries.countDead(of: Tables.app, among: 9, in: tx) == 1)
            #expect(try JobQueries.countDead(of: Tables.app, among: 0, in: tx) == 0)
            #expect(try JobQueries.countDead(of: Tables.otherApp, among: 9, in: tx) == 0)
            #expect(try Self.record("b", in: tx)?.lastError == Tables.text)
            #expect(try Self.due(in: tx).map(\.id) == ["c"])
            #expect(try tx.count("jobs WHERE sealed_payload IS NULL") == 2)
        }
    }

    @Test("Stuck jobs of an app are found, made due and counted", arguments: Engine.available)
    func stuck(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            for (id, app) in [("a", Tables.app), ("b", Tables.app), ("c", Tables.otherApp), ("d", Tables.app)] {
                try Self.insert(id, app: app, in: tx)
            }
            for (id, app) in [("a", Tables.app), ("b", Tables.app), ("c", Tables.otherApp)] {
                _ = try JobQueries.postpone(id, of: app, after: 0, to: Tables.moment + 99, error: "down", in: tx)
            }
            try Self.end("b", .dead, error: "gone", in: tx)
            #expect(try JobQueries.stuck(Self.kind, of: Tables.app, limit: 9, in: tx).map(\.id) == ["b", "a"])
            #expect(try JobQueries.stuck(JobKind("other"), of: Tables.app, limit: 9, in: tx).isEmpty)
            #expect(try JobQueries.job("a", of: Tables.app, in: tx)?.lastError == "down")
            #expect(try JobQueries.job("a", of: Tables.otherApp, in: tx) == nil)
            #expect(try JobQueries.waiting("a", of: Tables.app, in: tx)?.sealed == Tables.bytes)
            #expect(try JobQueries.waiting("b", of: Tables.app, in: tx) == nil)
            #expect(try !JobQueries.hasten("a", of: Tables.otherApp, to: Tables.moment, in: tx))
            #expect(try !JobQueries.hasten("b", of: Tables.app, to: Tables.moment, in: tx))
            #expect(try JobQueries.hasten("a", of: Tables.app, to: Tables.moment + 1, in: tx))
            #expect(try JobQueries.job("a", of: Tables.app, in: tx)?.nextAt == Tables.moment + 1)
            let counts = try JobQueries.counts(lateBefore: Tables.moment + 2, in: tx)
            #expect(counts.waiting == 3 && counts.late == 2 && counts.dead == 1)
            #expect(try JobQueries.countWaiting(limit: 9, in: tx) == 3)
            #expect(try JobQueries.countWaiting(limit: 2, in: tx) == 2)
            #expect(try JobQueries.jobs(in: .waiting, before: "d", limit: 1, in: tx).map(\.id) == ["c"])
        }
    }
}
