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
