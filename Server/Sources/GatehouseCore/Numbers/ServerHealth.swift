package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reads what an operator asks about the server itself: its database, its nodes, and whether what time brings is done.
package struct ReadHealth: ServerAction {
    package static let role: OperatorRole? = .viewer

    /// Work that is older than this is late.
    static let lateSeconds: Int64 = 300
    private static let mostMembers = 1_000

    package init() {}

    package struct Outcome: Sendable {
        package let database: String
        /// How many reads and writes wait for a thread of this node.
        package let waiting: (reads: Int, writes: Int)
        /// How long the database took to answer.
        package let answeredAfterMilliseconds: Int64
        /// The moment until which each node has written its audit lines. It stores one every few seconds.
        package let nodes: [(name: String, seenAt: Moment)]
        package let jobs: (waiting: Int, late: Int, dead: Int)
        /// Members whose deadline has passed, and for whom nothing was done yet; at most a thousand are counted.
        package let overdueMembers: Int
        /// The disk of the database's file; nil if the server does not see it, such as PostgreSQL's.
        package let disk: DiskSpace?
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        let late = moment.adding(seconds: -Self.lateSeconds)
        let begin = services.environment.monotonicNanoseconds()
        try await services.database.ping()
        let took = services.environment.monotonicNanoseconds().subtractingReportingOverflow(begin)
        let waiting = services.database.waiting
        let (nodes, jobs, overdue) = try await services.database.report { tx in
            (
                try AuditProgressQueries.nodes(in: tx), try JobQueries.counts(lateBefore: late, in: tx),
                try MemberQueries.overdue(before: late, limit: Self.mostMembers, in: tx)
            )
        }
        return Outcome(
            database: services.database.kind, waiting: waiting,
            answeredAfterMilliseconds: took.overflow ? 0 : Int64(clamping: took.partialValue / 1_000_000),
            nodes: nodes.map { ($0.node, $0.toldUntil) }, jobs: jobs, overdueMembers: overdue,
            disk: services.database.filePath.flatMap(services.environment.diskSpace))
    }
}

/// Says how the server is, from its health. The page of its health shows it, and alerts tell it.
package struct ServerVerdicts {
    private let health: ReadHealth.Outcome
    private let moment: Moment

    private static let slowMilliseconds: Int64 = 500
    private static let manyWaiting = 1_000
    private static let aheadSeconds: Int64 = 10
    /// Each node is seen every few seconds.
    private static let lostSeconds: Int64 = 40

    package init(_ health: ReadHealth.Outcome, at moment: Moment) {
        self.health = health
        self.moment = moment
    }

    package var all: [AppVerdict] {
        [database] + [disk].compactMap { $0 } + [deadlines, lateJobs] + [deadJobs].compactMap { $0 } + [clock]
            + [lostNodes].compactMap { $0 }
    }

    private var database: AppVerdict {
        let waiting = health.waiting.reads + health.waiting.writes
        let isSlow = health.answeredAfterMilliseconds > Self.slowMilliseconds || waiting > Self.manyWaiting
        return AppVerdict(
            isSlow ? .warn : .good, .slowDatabase, says: "health.database",
            ["ms": .number(Int(clamping: health.answeredAfterMilliseconds)), "count": .number(waiting)])
    }

    private var disk: AppVerdict? {
        guard let disk = health.disk else { return nil }
        let state: AppVerdict.State =
            if disk.free < min(disk.total / 33, 5 << 30) {
                .bad
            } else if disk.free < min(disk.total / 10, 20 << 30) {
                .warn
            } else { .good }
        let megabytes = { (bytes: UInt64) in Phrase.Value.number(Int(clamping: bytes >> 20)) }
        return AppVerdict(
            state, .fullDisk, says: "health.disk", ["free": megabytes(disk.free), "size": megabytes(disk.total)])
    }

    private var deadlines: AppVerdict {
        let late = health.overdueMembers
        return late == 0
            ? AppVerdict(.good, .lateDeadlines, says: "health.sweeper")
            : AppVerdict(.bad, .lateDeadlines, says: "health.sweeper-late", ["count": .number(late)])
    }

    private var lateJobs: AppVerdict {
        let late = health.jobs.late
        return late == 0
            ? AppVerdict(.good, .lateJobs, says: "health.jobs")
            : AppVerdict(.bad, .lateJobs, says: "health.jobs-late", ["count": .number(late)])
    }

    private var deadJobs: AppVerdict? {
        guard health.jobs.dead > 0 else { return nil }
        return AppVerdict(.warn, .serverDeadJobs, says: "health.dead", ["count": .number(health.jobs.dead)])
    }

    private var clock: AppVerdict {
        let latest = moment.adding(seconds: Self.aheadSeconds)
        guard let ahead = health.nodes.first(where: { $0.seenAt > latest }) else {
            return AppVerdict(.good, .wrongClock, says: "health.clock")
        }
        return AppVerdict(.bad, .wrongClock, says: "health.clock-wrong", ["node": .text(ahead.name)])
    }

    private var lostNodes: AppVerdict? {
        let earliest = moment.adding(seconds: -Self.lostSeconds)
        let lost = health.nodes.filter { $0.seenAt < earliest }
        guard !lost.isEmpty else { return nil }
        let names = lost.map { Phrase("health.lost-node", ["node": .text($0.name), "ago": .distance($0.seenAt)]) }
        return AppVerdict(
            .warn, .lostNodes, says: "health.lost-nodes", ["nodes": .list(names), "count": .number(lost.count)])
    }
}
