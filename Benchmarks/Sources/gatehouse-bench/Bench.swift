import Foundation
import GatehouseWire
import LoadGenerator

/// The measurements of one engine, on one server.
struct Bench {
    private static let port = 18_765

    let place: Place
    let connections: Int
    let seconds: Double
    let report: Report
    private let app: TestApp
    private let server: ServerProcess

    init(executable: String, place: Place, connections: Int, seconds: Double, report: Report) throws {
        self.place = place
        self.connections = connections
        self.seconds = seconds
        self.report = report
        app = try TestApp(executable: executable, place: place, ports: [Self.port])
        server = try ServerProcess(
            executable, folder: place.folder, port: Self.port, arguments: TestApp.settings(of: place))
    }

    func run(_ measurements: [Measurement]) throws {
        defer { server.stop() }
        if measurements.contains(.idle) { try measureIdle() }
        let ceiling = try self.ceiling()
        func measure(_ name: String, _ requests: RequestList, repeats: Bool = false) throws {
            try measureAndReport(name, requests, repeats: repeats, ceiling: ceiling)
        }
        for measurement in measurements {
            switch measurement {
            case .idle, .ceiling: continue
            case .guestNew: try measure(measurement.rawValue, newGuests(Int(seconds * ceiling * 0.25)))
            case .guestAgain:
                let devices = try app.loggedIn(2_000).map(\.device)
                let count = Int(seconds * ceiling * 0.5)
                try measure(measurement.rawValue, app.logins((0..<count).map { devices[$0 % devices.count] }))
            case .lastProvider:
                try measure(measurement.rawValue, sessionCalls(Endpoints.logInWithLastProvider, 0.6, ceiling))
            case .refresh: try measure(measurement.rawValue, sessionCalls(Endpoints.refreshSession, 0.6, ceiling))
            case .heartbeat: try measure(measurement.rawValue, sessionCalls(Endpoints.heartbeat, 0.8, ceiling))
            case .member: try measure(measurement.rawValue, sessionCalls(Endpoints.member, 0.8, ceiling))
            case .tokenCheck:
                try measure(measurement.rawValue, app.tokenChecks(of: app.loggedIn(2_000)), repeats: true)
            case .members200k:
                server.forgetPeak()
                var made = 0
                while made < 200_000 {
                    let requests = newGuests(min(25_000, 200_000 - made))
                    try measure("\(measurement.rawValue)_\(made / 25_000 + 1)of8", requests)
                    made += requests.count
                }
                say(
                    "  after 200,000 members made under load: \(Int(server.memory.now)) MB, peak \(Int(server.memory.peak)) MB"
                )
            case .growth:
                for members in [10_000, 1_000_000] {
                    try Growth(place: place, app: TestApp.id).fill(upTo: members)
                    try measure("guest_new_\(members)", newGuests(Int(seconds * ceiling * 0.25)))
                }
            }
        }
    }

    private func newGuests(_ count: Int) -> RequestList { app.logins(TestApp.devices(count)) }

    /// Calls of players who are in, as many as a share of the ceiling could use up.
    private func sessionCalls<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ share: Double, _ ceiling: Double
    ) throws -> RequestList {
        app.calls(endpoint, of: try app.loggedIn(2_000), count: Int(seconds * ceiling * share))
    }

    private func measureIdle() throws {
        try report.add(
            .init(
                name: "idle", engine: place.engine, connections: 0, requestsPerSecond: 0, p50Milliseconds: 0,
                p99Milliseconds: 0, errors: 0, cpuMicrosecondsPerRequest: 0, peakMemoryMegabytes: server.memory.now,
                ceilingRatio: 0))
    }

    /// What this server does when it does nothing.
    private func ceiling() throws -> Double {
        var requests = RequestList()
        requests.add(HTTPRequest("GET", "/health/live").bytes)
        var warm = Load(port: Self.port, connections: connections, seconds: 1, repeats: true)
        warm.patience = 5
        _ = warm.run(requests)
        return try measureAndReport("ceiling", requests, repeats: true, ceiling: nil)
    }

    /// Returns successful requests a second.
    @discardableResult
    private func measureAndReport(
        _ name: String, _ requests: RequestList, repeats: Bool, ceiling: Double?
    ) throws -> Double {
        if !name.contains("members") { server.forgetPeak() }
        let before = server.processorMicroseconds
        let result = Load(port: Self.port, connections: connections, seconds: seconds, repeats: repeats).run(requests)
        let used = server.processorMicroseconds - before
        try report.add(
            .init(
                name: name, engine: place.engine, connections: connections, requestsPerSecond: result.perSecond,
                p50Milliseconds: result.percentile(0.5), p99Milliseconds: result.percentile(0.99),
                errors: result.errors, cpuMicrosecondsPerRequest: used / Double(max(1, result.successes)),
                peakMemoryMegabytes: server.memory.peak, ceilingRatio: result.perSecond / (ceiling ?? result.perSecond))
        )
        if result.errors > 0 { say("  answers by status: \(result.statuses), lost: \(result.lost)") }
        return result.perSecond
    }
}
