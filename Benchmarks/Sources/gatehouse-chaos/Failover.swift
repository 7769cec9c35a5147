import Foundation
import LoadGenerator

/// Parts that fail or are replaced while others take over.
enum Failover {
    private static let failovers = 3

    /// REL-4: the primary dies under load, and its synchronous standby becomes the primary.
    static func promotion(_ arena: Arena, _ pair: StandbyPair?) throws -> String {
        guard let pair else { throw Absent("no standby") }
        try requireRefusal(by: pair, arena)
        let server = try arena.start()
        defer { server.stop() }
        let history = History()
        var figures: [String] = []
        for round in 1...failovers {
            // The former primary is a copy of the present one from now on, so that each address is the primary's in turn.
            if round > 1 { try pair.attachStandby() }
            let times = Times()
            let death = History.Fault(after: 2) {
                try pair.killPrimary()
                times.killed = Date()
                try pair.promote()
                times.promoted = Date()
            }
            let devices = TestApp.devices(5_000)
            let before = history.acknowledged.count
            let start = Date()
            try history.load(arena.app, devices: devices, seconds: 9, rate: 500, patience: 8, fault: death)
            try require(history.acknowledged.count > before + 500, "little was acknowledged: \(history.summary())")
            let outage = history.longestPause(since: start)
            try require(outage < 9, "no login was acknowledged after the promotion: \(history.summary())")
            figures.append(
                String(
                    format: "%.1f s (promoted after %.1f s)", outage,
                    times.promoted.timeIntervalSince(times.killed)))
            try require(
                arena.eventually(within: 5) { arena.status("/health/ready") == 200 }, "not ready after the promotion")
            try history.check(history.acknowledged[before...], arena.app)
        }
        let (statuses, lost) = history.failures
        try require(lost == 0, "\(lost) calls got no answer within 8 s")
        try require(Set(statuses.keys).isSubset(of: [503]), "calls were answered with \(statuses)")
        try history.check(history.acknowledged, arena.app)
        return "outages of \(figures.joined(separator: ", ")); \(history.summary()), none lost"
    }

    private final class Times: @unchecked Sendable {  // Read after the thread that writes has ended.
        var killed = Date.distantPast
        var promoted = Date.distantPast
    }

    /// A server must not start on a standby, whose reads would look as if all were well.
    private static func requireRefusal(by pair: StandbyPair, _ arena: Arena) throws {
        do {
            try run([
                arena.executable, "migrate", "--database", pair.standbyURL, "--key-file", "\(arena.place.folder)/key",
            ])
        } catch {
            try require("\(error)".contains("is a standby"), "the refusal of a standby does not say why: \(error)")
            return
        }
        throw Broken(description: "a standby was taken for a primary")
    }

    /// Two nodes behind HAProxy are replaced one after the other, and no call fails.
    static func rolling(_ arena: Arena) throws -> String {
        let proxy = try HAProxy(nodes: arena.app.ports, folder: arena.place.folder)
        defer { proxy.stop() }
        let arguments = [
            "--public-url", arena.app.origin(HAProxy.port), "--trusted-proxies", "127.0.0.1", "--drain-seconds", "3",
        ]
        let nodes = Nodes()
        for number in arena.app.ports.indices { nodes.all.append(try arena.start(number, arguments: arguments)) }
        defer { for node in nodes.all { node.stop() } }
        try require(
            arena.eventually(within: 10) { arena.status("/health/ready", port: HAProxy.port) == 200 },
            "HAProxy finds no node: \(proxy.log)")
        let restart = History.Fault(after: 2) {
            for number in arena.app.ports.indices {
                nodes.all[number].stop()
                nodes.all[number] = try arena.start(number, arguments: arguments)
                // The next one stops when HAProxy has seen that this one is back.
                Thread.sleep(forTimeInterval: 3)
            }
            nodes.ended = Date()
        }
        let history = History()
        let start = Date()
        let result = try history.load(
            arena.app, devices: TestApp.devices(15_000), port: HAProxy.port, seconds: 30, rate: 500, fault: restart)
        try require(result.errors == 0, "calls failed during the restarts: \(history.summary())")
        try require(nodes.ended.timeIntervalSince(start) < 30, "the load ended before the restarts")
        for port in arena.app.ports {
            let metrics = try arena.body("/metrics", port: port)
            try require(metrics.contains(#"gatehouse_logins_total{idp="guest""#), "the node at \(port) served nobody")
        }
        try history.check(history.acknowledged, arena.app, port: HAProxy.port)
        return "two nodes restarted, \(history.summary()), p99 \(Int(result.percentile(0.99))) ms, none failed"
    }

    private final class Nodes: @unchecked Sendable {  // The fault's thread has ended before it is read.
        var all: [ServerProcess] = []
        var ended = Date.distantFuture
    }
}
