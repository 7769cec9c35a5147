import Foundation
import GatehouseWire
import LoadGenerator

/// Servers and databases that are killed.
enum ProcessFaults {
    /// REL-1: kill -9 in the middle of the load, again and again.
    static func kill(_ arena: Arena, rounds: Int) throws -> String {
        let history = History()
        var checked = 0
        for round in 1...max(1, rounds) {
            let devices = TestApp.devices(4_000)
            let server = try arena.start()
            let death = History.Fault(after: Double.random(in: 0.1...0.6)) { server.signal(SIGKILL) }
            try history.load(arena.app, devices: devices, seconds: 0.7, patience: 1, fault: death)
            server.wait()

            let again = try arena.start()
            let all = history.acknowledged
            try require(all.count > checked, "nothing was acknowledged in round \(round)")
            // All of this round, and some of each round before.
            try history.check(all[checked...] + all[..<checked].shuffled().prefix(200), arena.app)
            again.signal(SIGKILL)
            again.wait()
            checked = all.count
            if round % 10 == 0 { say("  killed \(round) times: \(history.summary())") }
        }
        let server = try arena.start()
        defer { server.stop() }
        try history.check(history.acknowledged.shuffled().prefix(5_000), arena.app)
        return "killed \(rounds) times, \(history.summary()), none lost"
    }

    /// REL-4: PostgreSQL goes away under load and comes back.
    static func databaseOutage(_ arena: Arena) throws -> String {
        guard let control = ProcessInfo.processInfo.environment["GATEHOUSE_TEST_POSTGRES_CONTROL"] else {
            throw Absent("this PostgreSQL can't be stopped: run it by scripts/with-postgres")
        }
        let server = try arena.start()
        defer { server.stop() }
        let history = History()
        let health = Statuses()
        for mode in ["fast", "immediate"] {
            let outage = History.Fault(after: 1.5) {
                try run([control, "stop", "-m", mode])
                Thread.sleep(forTimeInterval: 1)
                health.note(ready: arena.status("/health/ready"), live: arena.status("/health/live"))
                Thread.sleep(forTimeInterval: 1)
                try run([control, "start"])
            }
            let devices = TestApp.devices(30_000)
            try history.load(arena.app, devices: devices, seconds: 7, rate: 2_000, patience: 8, fault: outage)
            try require(health.ready == 503, "readiness was \(health.ready ?? 0) without a database")
            try require(health.live == 200, "liveness was \(health.live ?? 0) without a database")
            try require(
                arena.eventually(within: 5) { arena.status("/health/ready") == 200 }, "not ready 5 s after the outage")
        }
        let (statuses, lost) = history.failures
        try require(lost == 0, "\(lost) calls got no answer within 8 s")
        try require(Set(statuses.keys).isSubset(of: [503]), "calls were answered with \(statuses)")
        try require(!statuses.isEmpty, "no call was refused: there was no outage")
        try history.check(history.acknowledged, arena.app)
        let after = History()
        let result = try after.load(arena.app, devices: TestApp.devices(4_000), seconds: 2)
        try require(result.errors == 0, "after the outage there were still \(result.errors) failures")
        return "two outages: \(history.summary()); itself again afterwards"
    }

    private final class Statuses: @unchecked Sendable {  // Read after the thread that writes has ended.
        var ready: Int?
        var live: Int?

        func note(ready: Int?, live: Int?) { (self.ready, self.live) = (ready, live) }
    }

    /// Two servers on one database, one of which dies again and again.
    static func twoNodes(_ arena: Arena) throws -> String {
        let (one, two) = (History(), History())
        let steady = try arena.start(0)
        defer { steady.stop() }
        for _ in 0..<5 {
            let mortal = try arena.start(1)
            let devices = [TestApp.devices(8_000), TestApp.devices(8_000)]
            let other = Meanwhile(after: 0) {
                try two.load(
                    arena.app, devices: devices[1], port: arena.app.ports[1], connections: 32, seconds: 2, patience: 1)
            }
            let death = History.Fault(after: Double.random(in: 0.8...1.5)) { mortal.signal(SIGKILL) }
            try one.load(arena.app, devices: devices[0], connections: 32, seconds: 2, fault: death)
            try other.finish()
            mortal.wait()
        }
        try require(one.failures.lost == 0 && one.failures.statuses.isEmpty, "the other node failed: \(one.summary())")
        // What the dead node acknowledged is on the living one, and the reverse.
        try two.check(two.acknowledged, arena.app, port: arena.app.ports[0])
        let again = try arena.start(1)
        defer { again.stop() }
        try one.check(one.acknowledged, arena.app, port: arena.app.ports[1])
        // A session that ends on one node has ended on the other.
        let ended = Array(one.acknowledged.prefix(200))
        let logout = Load(port: arena.app.ports[1], connections: 8, seconds: 20)
            .run(arena.app.calls(Endpoints.logOut, of: ended, port: arena.app.ports[1]))
        try require(logout.successes == ended.count, "only \(logout.successes) of \(ended.count) logouts succeeded")
        let after = Load(port: arena.app.ports[0], connections: 8, seconds: 20)
            .run(arena.app.calls(Endpoints.heartbeat, of: ended, port: arena.app.ports[0]))
        try require(after.statuses == [401: ended.count], "ended sessions on the other node: \(after.statuses)")
        return "one node killed 5 times: \(two.summary()); the other: \(one.summary())"
    }
}
