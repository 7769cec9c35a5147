import Foundation
import LoadGenerator

/// REL-4: Patroni replaces a primary by itself, and nothing that was acknowledged is lost.
struct PatroniFailover {
    private static let rate = 200.0

    private let arena: Arena
    private let cluster: PatroniCluster
    private let history = History()

    private final class Times: @unchecked Sendable {  // Written before the fault's thread ends, read after.
        var start = Date.distantPast
        var end = Date.distantFuture
    }

    init(_ arena: Arena, _ cluster: PatroniCluster?) throws {
        guard let cluster else { throw Absent("no cluster") }
        (self.arena, self.cluster) = (arena, cluster)
    }

    func run() throws -> String {
        let server = try arena.start()
        defer { server.stop() }
        var figures: [String] = []
        // Each machine is the primary once, and dies as such.
        for _ in cluster.databases { figures.append(try loseMachine()) }
        figures.append(try loseStandby())
        figures.append(try losePatroni())
        figures.append(try switchOver())
        figures.append(try loseEtcd())
        try history.check(history.acknowledged, arena.app)
        let (statuses, lost) = history.failures
        try require(lost == 0, "\(lost) calls got no answer within 20 s")
        try require(Set(statuses.keys).isSubset(of: [503]), "calls were answered with \(statuses)")
        say(try cluster.list())
        return "outages of \(figures.joined(separator: ", ")); \(history.summary()), none lost"
    }

    private func loseMachine() throws -> String {
        let (primary, standby) = try cluster.roles()
        let figure = try measure("the machine of \(primary.name) dies", seconds: 45) {
            try primary.kill()
            try cluster.wait(35, "\(standby.name) was not promoted") { standby.says("/primary") }
        }
        try primary.startEtcd()
        try primary.startPatroni()
        try cluster.waitForStandby(primary)
        return figure
    }

    /// Commits wait until PostgreSQL has given the standby up and Patroni has taken it off the list.
    private func loseStandby() throws -> String {
        let (_, standby) = try cluster.roles()
        let figure = try measure("the standby vanishes", seconds: 30) {
            try standby.freeze()
            try cluster.waitForNoStandby()
        }
        try standby.kill()
        try standby.startEtcd()
        try standby.startPatroni()
        try cluster.waitForStandby(standby)
        return figure
    }

    /// For a while both are primaries, and the commits of the former one wait for a standby that has left.
    private func losePatroni() throws -> String {
        let (primary, standby) = try cluster.roles()
        let figure = try measure("only Patroni dies on \(primary.name)", seconds: 50) {
            try primary.killPatroni()
            try cluster.wait(35, "\(standby.name) was not promoted") { standby.says("/primary") }
            // It makes a standby of the former primary while players log in.
            try primary.startPatroni()
        }
        try cluster.waitForStandby(primary)
        return figure
    }

    private func switchOver() throws -> String {
        let (primary, standby) = try cluster.roles()
        let figure = try measure("switchover", seconds: 20, most: 10) {
            try cluster.control(
                "switchover", "--master", primary.name, "--candidate", standby.name, "--force", "gatehouse")
            try cluster.wait(15, "\(standby.name) was not promoted") { standby.says("/primary") }
        }
        try cluster.waitForStandby(primary)
        return figure
    }

    /// Without etcd there is no new primary, but the present one goes on, also after its key has expired.
    private func loseEtcd() throws -> String {
        let (primary, _) = try cluster.roles()
        return try measure("etcd is away for 30 s", seconds: 40, most: 2) {
            for machine in cluster.machines { machine.stopEtcd() }
            let end = Date().addingTimeInterval(30)
            while Date() < end {
                try require(primary.says("/primary"), "the primary gave up without etcd: \(primary.log.suffix(2_000))")
                usleep(500_000)
            }
            for machine in cluster.machines { try machine.startEtcd() }
        }
    }

    /// Logs players in, and does something meanwhile.
    ///
    /// - Parameters:
    ///   - most: the longest outage in seconds that is no failure.
    ///   - fault: returns when the database takes writes again.
    private func measure(
        _ what: String, seconds: Double, most: Double = 30, _ fault: @escaping () throws -> Void
    ) throws -> String {
        let times = Times()
        nonisolated(unsafe) let fault = fault
        let before = history.acknowledged.count
        let devices = TestApp.devices(Int(Self.rate * seconds))
        let start = Date()
        try history.load(
            arena.app, devices: devices, seconds: seconds, rate: Self.rate, patience: 20,
            fault: .init(after: 2) {
                times.start = Date()
                try fault()
                times.end = Date()
            })
        try require(history.acknowledged(since: times.end) > 100, "\(what): no login after it: \(history.summary())")
        let outage = history.longestPause(since: start)
        try require(outage < most, "\(what): an outage of \(outage) s: \(history.summary())")
        try require(
            arena.eventually(within: 5) { arena.status("/health/ready") == 200 }, "\(what): not ready after it")
        try history.check(history.acknowledged[before...], arena.app)
        say(
            String(
                format: "  %@: an outage of %.1f s, all well after %.1f s", what, outage,
                times.end.timeIntervalSince(times.start)))
        return String(format: "%.1f s (%@)", outage, what)
    }
}
