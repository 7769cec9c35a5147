import Foundation
import GatehouseWire
import LoadGenerator

/// More load than a server can handle, and clients that misbehave.
enum Pressure {
    /// REL-9: three times the capacity.
    static func overload(_ arena: Arena) throws -> String {
        let server = try arena.start()
        defer { server.stop() }
        let history = History()
        try history.load(arena.app, devices: TestApp.devices(4_000), seconds: 1)
        let before = try history.load(arena.app, devices: TestApp.devices(40_000), seconds: 4).perSecond
        let devices = TestApp.devices(Int(before * 3 * 6) + 1_000)
        let during = try history.load(
            arena.app, devices: devices, connections: 4_000, seconds: 6, rate: before * 3, patience: 20)
        let peak = server.memory.peak
        // A machine that others use is slower for seconds at a time: the server is itself again once it was so in one of three tries.
        var after = 0.0
        for _ in 1...3 where after <= before * 0.75 {
            after = max(after, try history.load(arena.app, devices: TestApp.devices(40_000), seconds: 4).perSecond)
        }
        let refused = during.statuses[503] ?? 0
        let figures =
            "capacity \(Int(before))/s; at 3 times that \(Int(during.perSecond))/s and \(refused) x 503, "
            + "p99 \(Int(during.percentile(0.99))) ms, peak \(Int(peak)) MB; afterwards \(Int(after))/s"
        try require(
            Set(during.statuses.keys).isSubset(of: [200, 503]), "answers were \(during.statuses): \(figures)")
        try require(during.perSecond > before * 0.5, "goodput fell: \(figures)")
        try require(peak < 400, "memory grew: \(figures)")
        try require(after > before * 0.75, "not itself again: \(figures)")
        try history.check(history.acknowledged.shuffled().prefix(3_000), arena.app)
        return figures
    }

    /// INP-2: clients that send headers or bodies drop by drop, or don't read their answers.
    static func slowClients(_ arena: Arena) throws -> String {
        guard (try? run(["which", "slowhttptest"])) != nil else { throw Absent("slowhttptest isn't there") }
        // The time is short, so that the test is too.
        let server = try arena.start(arguments: ["--request-seconds", "5"])
        defer { server.stop() }
        let players = try arena.app.loggedIn(1_000)
        let url = arena.app.origin(nil)
        let path = arena.app.path(Endpoints.logIn.template)
        func measure() -> Load.Result {
            Load(port: arena.app.ports[0], connections: 16, seconds: 4).run(
                arena.app.calls(Endpoints.member, of: players, count: 100_000))
        }
        let alone = measure()
        var figures = ["alone p99 \(Int(alone.percentile(0.99))) ms"]
        for (name, options) in [
            ("headers", ["-H", "-u", "\(url)/health/live"]),
            ("bodies", ["-B", "-u", "\(url)\(path)", "-f", "application/json", "-s", "8192"]),
            ("reads", ["-X", "-u", "\(url)/openapi.yaml", "-k", "3", "-w", "1", "-y", "1", "-n", "5", "-z", "32"]),
        ] {
            let slow = Meanwhile(after: 0) {
                // Its exit code is its own judgement of the server; ours is the measurement.
                _ = try? run(
                    ["slowhttptest", "-c", "800", "-r", "400", "-i", "3", "-x", "20", "-l", "12", "-p", "3"] + options)
            }
            Thread.sleep(forTimeInterval: 3)
            let beside = measure()
            try slow.finish()
            figures.append("beside slow \(name) \(Int(beside.percentile(0.99))) ms")
            try require(beside.errors == 0, "\(beside.errors) calls failed beside slow \(name)")
            try require(
                beside.perSecond > alone.perSecond * 0.5,
                "\(Int(beside.perSecond))/s beside slow \(name), \(Int(alone.perSecond))/s alone")
        }
        return figures.joined(separator: ", ")
    }
}
