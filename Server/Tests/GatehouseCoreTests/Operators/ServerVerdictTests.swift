import GatehouseSecurity
import Testing

@testable import GatehouseCore

/// What the server's health means.
@Suite struct ServerVerdictTests {
    private static let moment = Moment(milliseconds: 1_795_219_200_000)

    private func states(
        answered: Int64 = 3, waiting: Int = 0, jobs: (late: Int, dead: Int) = (0, 0), overdue: Int = 0,
        seen: [Int64] = [0], disk: DiskSpace? = nil
    ) -> [AppVerdict.Kind: AppVerdict.State] {
        let nodes = seen.enumerated().map { number, seconds in
            (name: "node-\(number)", seenAt: Self.moment.adding(seconds: seconds))
        }
        let health = ReadHealth.Outcome(
            database: "SQLite", waiting: (reads: 0, writes: waiting), answeredAfterMilliseconds: answered, nodes: nodes,
            jobs: (waiting: jobs.late, late: jobs.late, dead: jobs.dead), overdueMembers: overdue, disk: disk)
        let verdicts = ServerVerdicts(health, at: Self.moment).all
        return Dictionary(verdicts.map { ($0.kind, $0.state) }) { first, _ in first }
    }

    @Test("A server in order has four good verdicts, and what there is nothing to say about has none")
    func good() {
        let good: [AppVerdict.Kind: AppVerdict.State] = [
            .slowDatabase: .good, .lateDeadlines: .good, .lateJobs: .good, .wrongClock: .good,
        ]
        #expect(states() == good)
        #expect(states(answered: 500, waiting: 1_000, seen: [10, -40]) == good)
        #expect(states(seen: []) == good)
    }

    @Test("Each limit that is passed is a verdict of its own")
    func limits() {
        #expect(states(answered: 501)[.slowDatabase] == .warn && states(waiting: 1_001)[.slowDatabase] == .warn)
        #expect(states(overdue: 1)[.lateDeadlines] == .bad)
        #expect(states(jobs: (late: 1, dead: 0))[.lateJobs] == .bad)
        #expect(states(jobs: (late: 0, dead: 1))[.serverDeadJobs] == .warn)
        #expect(states(seen: [0, 11])[.wrongClock] == .bad)
        #expect(states(seen: [0, -41])[.lostNodes] == .warn)
    }

    @Test("A disk is nearly full if a small part of it is free, and that part is small in itself")
    func disk() {
        let gigabyte: UInt64 = 1 << 30
        for (free, total, state) in [
            (gigabyte * 100, gigabyte * 1_000, .good), (gigabyte * 20, gigabyte * 1_000, .good),
            (gigabyte * 20 - 1, gigabyte * 1_000, .warn), (gigabyte * 5, gigabyte * 1_000, .warn),
            (gigabyte * 5 - 1, gigabyte * 1_000, .bad), (gigabyte, gigabyte * 10, .good),
            (gigabyte - 1, gigabyte * 10, .warn), (gigabyte / 4, gigabyte * 10, .bad), (0, 0, .good),
            (UInt64.max, UInt64.max, .good),
        ] as [(UInt64, UInt64, AppVerdict.State)] {
            #expect(states(disk: DiskSpace(free: free, total: total))[.fullDisk] == state, "\(free) of \(total)")
        }
    }

    @Test("Every node that is lost is named once, in one sentence")
    func nodes() throws {
        let lost = ["a", "b"].map { (name: $0, seenAt: Self.moment.adding(seconds: -60)) }
        let health = ReadHealth.Outcome(
            database: "SQLite", waiting: (reads: 0, writes: 0), answeredAfterMilliseconds: 1, nodes: lost,
            jobs: (waiting: 0, late: 0, dead: 0), overdueMembers: 0, disk: nil)
        let verdicts = ServerVerdicts(health, at: Self.moment).all.filter { $0.kind == .lostNodes }
        let names = lost.map {
            Phrase("health.lost-node", ["node": .text($0.name), "ago": .distance($0.seenAt)])
        }
        #expect(verdicts.map(\.phrase) == [Phrase("health.lost-nodes", ["nodes": .list(names), "count": .number(2)])])
    }
}
