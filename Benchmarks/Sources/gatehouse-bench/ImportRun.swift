import Foundation
import GatehouseWire
import LoadGenerator

/// `gatehouse import members` on one engine, beside a server whose players log in.
struct ImportRun {
    static let standard = 100_000
    private static let sizes = 1_000...1_000_000
    /// Seconds of logins without the import, to compare with.
    private static let secondsAlone: UInt32 = 10
    /// Microseconds between two looks at the import.
    private static let look: UInt32 = 20_000

    /// What the run's `summary.json` says, which is replaced after each batch.
    private struct Summary: Decodable {
        struct Counts: Decodable {
            let created: Int
            /// Identities that came in, by provider.
            let identities: [String: Int]
        }

        let read: Int
        let counts: Counts
    }

    let executable: String
    let place: Place
    let members: Int
    let connections: Int
    let report: Report
    let bench: Bench
    private var runs: String { "\(place.folder)/runs" }
    /// The folder of the run, once it has begun to write.
    private var folder: String? {
        (try? FileManager.default.contentsOfDirectory(atPath: runs))?.first.map { "\(runs)/\($0)" }
    }

    init(executable: String, place: Place, members: Int, connections: Int, report: Report) throws {
        self.executable = executable
        self.place = place
        self.members = members
        self.connections = connections
        self.report = report
        bench = try Bench(
            executable: executable, place: place, connections: connections, seconds: Double(Self.secondsAlone),
            report: report)
    }

    /// How many members to import.
    static func members(_ text: String?) throws -> Int {
        guard let text else { return standard }
        guard let members = Int(text), sizes.contains(members) else {
            throw ServerProcess.Failed(
                description: "\(text): members of an import are \(sizes.lowerBound) to \(sizes.upperBound)")
        }
        return members
    }

    /// Returns the figures and the goals, as a table of Markdown.
    func run() throws -> String {
        defer {
            bench.server.stop()
            bench.provider.stop()
        }
        let settings = ["--app", TestApp.id.rawValue] + TestApp.settings(of: place)
        try LoadGenerator.run(
            [
                executable, "import", "source", "set", ImportFile.source, "--kind", ImportFile.kind, "--project",
                ImportFile.project,
            ] + settings)
        let file = "\(place.folder)/members.jsonl"
        let identities = try ImportFile.write(members, to: file)
        let devices = try bench.app.loggedIn(2_000).map(\.device)

        let alone = logins(of: devices)
        sleep(Self.secondsAlone)
        let before = alone.stop()

        let log = "\(place.folder)/import.log"
        let began = Self.now
        let command = try BackgroundProcess(
            [
                executable, "import", "members", file, "--source", ImportFile.source, "--yes", "--runs", runs,
            ] + settings, log: log)
        let (peak, timeline, ended, beside) = watch(command, devices)
        let status = command.wait()
        guard status == 0, let timeline, let beside, let counts = summary?.counts, counts.created == members,
            counts.identities.values.reduce(0, +) == identities
        else {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            throw ServerProcess.Failed(
                description: "\(members) members were not imported as they should be, status \(status): \(text)")
        }
        try add("logins_alone", before)
        try add("logins_beside", beside)
        let figures = ImportFigures(
            engine: place.engine, members: members,
            membersPerSecond: Double(members) / (ended - timeline.start), lastTenthShare: timeline.lastShare,
            peakMemoryMegabytes: peak, secondsBeforeWriting: timeline.start - began,
            secondsOfWriting: ended - timeline.start, loginP99Milliseconds: beside.percentile(0.99),
            loginP99MillisecondsAlone: before.percentile(0.99), loginErrors: beside.errors)
        try report.write(figures)
        return figures.table
    }

    private func logins(of devices: [Device]) -> SteadyLogins {
        SteadyLogins(of: bench.app, devices, port: Bench.port, connections: connections)
    }

    /// Looks at the command until it has ended. The logins begin with the writing, and end with the command.
    private func watch(
        _ command: BackgroundProcess, _ devices: [Device]
    ) -> (peak: Double, timeline: ImportTimeline?, ended: Double, logins: Load.Result?) {
        var peak = 0.0
        var timeline: ImportTimeline?
        var beside: SteadyLogins?
        // The last look is after the end.
        var isRunning = true
        while isRunning {
            isRunning = command.isRunning
            peak = max(peak, command.memory.peak)
            if folder != nil {
                let now = Self.now
                if timeline == nil {
                    timeline = ImportTimeline(start: now)
                    beside = logins(of: devices)
                }
                if let summary { timeline?.add(summary.read, at: now) }
            }
            if isRunning { usleep(Self.look) }
        }
        let ended = Self.now
        return (peak, timeline, ended, beside?.stop())
    }

    private var summary: Summary? {
        guard let folder, let data = try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/summary.json")) else {
            return nil
        }
        return try? JSONDecoder().decode(Summary.self, from: data)
    }

    private func add(_ name: String, _ logins: Load.Result) throws {
        try report.add(
            .init(
                name: name, engine: place.engine, connections: connections, requestsPerSecond: logins.perSecond,
                p50Milliseconds: logins.percentile(0.5), p99Milliseconds: logins.percentile(0.99),
                errors: logins.errors, cpuMicrosecondsPerRequest: 0, peakMemoryMegabytes: bench.server.memory.peak,
                ceilingRatio: 0))
    }

    /// Seconds of a clock that nobody sets.
    private static var now: Double { ProcessInfo.processInfo.systemUptime }
}
