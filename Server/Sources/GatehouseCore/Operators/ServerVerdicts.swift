package import GatehouseSecurity
import GatehouseWire

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
