import Foundation
import GatehouseWire
import LoadGenerator

/// What more members cost: rates, the console's pages, and what an operator runs, on one engine and database that grows.
struct GrowthRun {
    static let standard = "10000,1000000,10000000"
    private static let devPort = 18_766
    /// The seconds of a load before each measurement, which fills the caches.
    private static let warming = 2.0
    private static let rounds = 3

    let executable: String
    let place: Place
    let table: GrowthTable
    let report: Report
    let sizes: [Int]
    var bench: Bench

    init(
        executable: String, place: Place, sizes: [Int], connections: Int, seconds: Double, report: Report
    ) throws {
        self.executable = executable
        self.place = place
        self.report = report
        self.sizes = sizes
        table = GrowthTable(engine: place.engine, sizes: sizes, report: report)
        bench = try Bench(
            executable: executable, place: place, connections: connections, seconds: seconds, report: report)
    }

    /// The sizes to measure, each more than the one before. The others are compared with 10,000 members.
    static func sizes(_ text: String) throws -> [Int] {
        let given = text.split(separator: ",").map { Int($0) ?? 0 }
        guard !given.isEmpty, given.allSatisfy({ $0 > 0 }) else {
            throw ServerProcess.Failed(description: "\(text): numbers of members, separated by commas")
        }
        return Set(given + [10_000]).filter { $0 >= 10_000 }.sorted()
    }

    mutating func run() throws -> String {
        defer {
            bench.server.stop()
            bench.provider.stop()
        }
        let ceiling = try bench.ceiling()
        let veterans = try bench.app.loggedIn(2_000).map(\.device)
        var history: ConsoleHistory?
        let growth = Growth(place: place, app: TestApp.id)
        for size in sizes {
            bench.server.stop()
            let filled = try growth.fill(upTo: size)
            try table.add(
                "filling, thousand members", Double(filled.members) / 1_000 / filled.seconds, "a second", at: size)
            if history == nil { history = try ConsoleHistory(place: place, app: TestApp.id) }
            try settle()
            try table.add("database", Double(bytes()) / 1_048_576, "MB", at: size)
            try table.add("database, of a member", Double(bytes()) / Double(growth.count()) / 1_024, "KB", at: size)
            try table.add("gatehouse migrate, nothing to do", timed { try command("migrate") }, "s", at: size)
            try table.add(
                "start until ready",
                timed {
                    bench.server = try ServerProcess(
                        executable, folder: place.folder, port: Bench.port, arguments: bench.app.settings(of: place))
                }, "s", at: size)
            // Where this is lower, too, the machine has become slower.
            try table.add(rate: median { try bench.ceiling() }, of: "requests without work", at: size)
            try measureRates(veterans, size, ceiling)
            if let history { try measurePages(history, size) }
            try measureCopy(size)
            try measureSweep(size)
        }
        return table.text
    }

    /// Brings the database into the state that it has some time after it was filled, so that the filling is not measured. PostgreSQL
    /// analyzes its tables by itself, SQLite doesn't.
    private func settle() throws {
        try place.execute(
            place.engine == "sqlite"
                ? "PRAGMA wal_checkpoint(TRUNCATE);"
                : "VACUUM (ANALYZE);\nCHECKPOINT;")
    }

    private func bytes() throws -> Int {
        if place.engine == "sqlite" { return try Self.size("\(place.folder)/gatehouse.db") }
        let text = try place.execute("SELECT pg_database_size(current_database());")
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    private static func size(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    private func measureRates(_ veterans: [Device], _ size: Int, _ ceiling: Double) throws {
        let count = { (share: Double, seconds: Double) in Int(seconds * ceiling * share) }
        func measure(_ name: String, _ title: String, _ repeats: Bool = false, _ make: (Double) throws -> RequestList)
            throws
        {
            // Requests are signed right before they are sent.
            _ = Load(port: Bench.port, connections: bench.connections, seconds: Self.warming, repeats: repeats)
                .run(try make(Self.warming))
            let rate = try median {
                try bench.measureAndReport("\(name)_\(size)", make(bench.seconds), repeats: repeats, ceiling: ceiling)
            }
            try table.add(rate: rate, of: title, at: size)
        }
        try measure("guest", "logins of new guests") { bench.newGuests(count(0.25, $0)) }
        try measure("again", "logins of guests from the beginning") { seconds in
            bench.app.logins((0..<count(0.5, seconds)).map { veterans[$0 % veterans.count] })
        }
        try measure("last", "logins with the last provider") { seconds in
            bench.app.calls(
                Endpoints.logInWithLastProvider, of: try bench.app.loggedIn(2_000), count: count(0.6, seconds))
        }
        let players = try bench.app.loggedIn(2_000)
        try measure("check", "token checks", true) { _ in bench.app.tokenChecks(of: players) }
    }

    /// The median of some rounds, because this machine's speed changes within minutes.
    private func median(_ measure: () throws -> Double) rethrows -> Double {
        try (0..<Self.rounds).map { _ in try measure() }.sorted()[Self.rounds / 2]
    }

    /// A copy, and the same in a new place.
    private func measureCopy(_ size: Int) throws {
        let file = "\(place.folder)/copy"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try table.add("gatehouse backup", timed { try command("backup", file) }, "s", at: size)
        try table.add("its file", Double(Self.size(file)) / 1_048_576, "MB", at: size)
        bench.server.stop()
        guard let other = try Place(place.engine) else { return }
        defer { other.remove() }
        try table.add(
            "gatehouse restore into a new place",
            timed {
                try LoadGenerator.run([
                    executable, "restore", file, "--confirm", "--database", other.url, "--key-file",
                    "\(place.folder)/key",
                ])
            }, "s", at: size)
        let (expected, restored) = (
            try Growth(place: place, app: TestApp.id).count(), try Growth(place: other, app: TestApp.id).count()
        )
        guard restored == expected else {
            throw ServerProcess.Failed(description: "\(restored) of \(expected) members were restored")
        }
    }

    /// One sweep of `gatehouse dev`, which sweeps when its clock is moved.
    private func measureSweep(_ size: Int) throws {
        let server = try BackgroundProcess(
            ["env", "-C", place.folder, executable, "dev", "--port", "\(Self.devPort)", "--log-level", "warning"]
                + TestApp.settings(of: place), log: "\(place.folder)/server.log")
        defer { server.stop() }
        let end = Date().addingTimeInterval(60)
        while try answered("GET", "/health/ready") == nil {
            guard Date() < end else { throw ServerProcess.Failed(description: "gatehouse dev is not ready") }
            usleep(50_000)
        }
        guard let seconds = try answered("POST", "/dev/clock", body: #"{"advanceSeconds":1}"#) else {
            throw ServerProcess.Failed(description: "gatehouse dev did not sweep: see \(place.folder)/server.log")
        }
        try table.add("one sweep", seconds, "s", at: size)
    }

    /// The seconds until an answer with 200 of `gatehouse dev`.
    private func answered(_ method: String, _ path: String, body: String? = nil) throws -> Double? {
        var requests = RequestList()
        requests.add(HTTPRequest(method, path, body: body).bytes)
        var load = Load(port: Self.devPort, connections: 1, seconds: 1)
        load.patience = 600
        return load.run(requests).latencies.first.map { $0 / 1_000 }
    }

    private func command(_ words: String...) throws {
        try LoadGenerator.run([executable] + words + TestApp.settings(of: place))
    }

    private func timed(_ body: () throws -> Void) rethrows -> Double {
        let before = Date()
        try body()
        return Date().timeIntervalSince(before)
    }
}
