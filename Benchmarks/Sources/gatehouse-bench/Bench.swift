import Foundation
import GatehouseWire
import LoadGenerator

/// The measurements of one engine, on one server.
struct Bench {
    static let port = 18_765

    let place: Place
    let connections: Int
    let seconds: Double
    let report: Report
    let app: TestApp
    var server: ServerProcess
    let provider: IdentityProvider
    /// How many entries of the ledger a busy month has.
    let history: Int

    init(
        executable: String, place: Place, connections: Int, seconds: Double, report: Report, history: Int = 10_000_000
    ) throws {
        self.history = history
        self.place = place
        self.connections = connections
        self.seconds = seconds
        self.report = report
        app = try TestApp(executable: executable, place: place, ports: [Self.port])
        provider = try IdentityProvider()
        try app.configure(provider, executable: executable, place: place)
        server = try ServerProcess(
            executable, folder: place.folder, port: Self.port, arguments: app.settings(of: place))
    }

    func run(_ measurements: [Measurement]) throws {
        defer {
            server.stop()
            provider.stop()
        }
        if measurements.contains(.idle) { try measureIdle() }
        let ceiling = try self.ceiling()
        func measure(_ name: String, _ requests: RequestList, repeats: Bool = false) throws {
            try measureAndReport(name, requests, repeats: repeats, ceiling: ceiling)
        }
        for measurement in measurements {
            switch measurement {
            case .idle, .ceiling, .instructions, .growth, .importMembers: continue
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
            case .tokenAuthentication:
                try measure(
                    measurement.rawValue, successful(app.tokenAuthentications(of: app.loggedIn(2_000))), repeats: true)
            case .members100:
                try measure(measurement.rawValue, successful(app.memberLists(of: app.loggedIn(2_000))), repeats: true)
            case .credentialLogin: try measure(measurement.rawValue, credentialLogins(Int(seconds * ceiling * 0.3)))
            case .addMapping: try measure(measurement.rawValue, mappings(Int(seconds * ceiling * 0.2)))
            case .redeem: try measure(measurement.rawValue, redemptions(Int(seconds * 200)))
            case .guestBesideRedeem:
                // As many devices as possible redeem, while guests log in.
                let requests = try redemptions(Int(seconds * 200))
                let beside = Thread { [connections, seconds] in
                    _ = Load(port: Self.port, connections: connections / 4, seconds: seconds).run(requests)
                }
                let guests = newGuests(Int(seconds * ceiling * 0.25))
                beside.start()
                try measure(measurement.rawValue, guests)
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
            case .console: try measureConsole(ceiling: ceiling)
            case .bytes: try measureBytes()
            case .connections: try measureConnections()
            case .history:
                let past = History(place: place, app: TestApp.id, entries: history)
                func both(_ when: String, _ run: (Int, () throws -> Void) throws -> Void) throws {
                    // The requests are made before, so that the removal falls into the load.
                    let guests = newGuests(Int(seconds * ceiling * 0.25))
                    try run(0) { try measure("guest_\(when)", guests) }
                    let returning = try sessionCalls(Endpoints.logInWithLastProvider, 0.6, ceiling)
                    try run(1) { try measure("last_\(when)", returning) }
                }
                try both("before_history") { _, measure in try measure() }
                try past.fill()
                try both("with_history") { _, measure in try measure() }
                try both("while_history_leaves") { number, measure in try past.leaving(number, beside: measure) }
            }
        }
    }

    /// The requests, each tried once, because the Server API answers 200 even when it refuses.
    private func successful(_ requests: RequestList) throws -> RequestList {
        var successes = 0
        var load = Load(port: Self.port, connections: 16, seconds: 60)
        load.onOutcome = { _, answer in
            guard let answer, String(decoding: answer.body, as: UTF8.self).contains(#""isSuccessful":true"#) else {
                return
            }
            successes += 1
        }
        _ = load.run(requests)
        guard successes == requests.count else {
            throw ServerProcess.Failed(description: "only \(successes) of \(requests.count) calls succeeded")
        }
        return requests
    }

    /// Makes calls, and throws unless all succeed.
    func answer(_ requests: RequestList) throws {
        try Load(port: Self.port, connections: 16, seconds: 60).complete(requests)
    }

    func newGuests(_ count: Int) -> RequestList { app.logins(TestApp.devices(count)) }

    /// Logins of known identities, each with the ID token of its first login.
    private func credentialLogins(_ count: Int) throws -> RequestList {
        let names = (0..<2_000).map { "player-\($0)" }
        let bodies = provider.credentials(names)
        let devices = TestApp.devices(names.count)
        try answer(app.logins(devices, bodies: bodies))
        let places = (0..<count).map { $0 % names.count }
        return app.logins(places.map { devices[$0] }, bodies: places.map { bodies[$0] })
    }

    /// Guests that map their first identity.
    private func mappings(_ count: Int) throws -> RequestList {
        let bodies = provider.credentials((0..<count).map { "mapped-\(place.engine)-\($0)" })
        return app.calls(Endpoints.addMapping, of: try app.loggedIn(count), bodies: bodies)
    }

    private func redemptions(_ count: Int) throws -> RequestList {
        let players = try app.loggedIn(50)
        var accounts: [TransferAccount] = []
        var load = Load(port: Self.port, connections: 4, seconds: 60)
        load.onOutcome = { _, answer in
            guard let answer, answer.status == 200,
                let account = try? JSONDecoder().decode(TransferAccount.self, from: Data(answer.body))
            else { return }
            accounts.append(account)
        }
        _ = load.run(app.calls(Endpoints.issueTransferAccount, of: players))
        guard accounts.count == players.count else {
            throw ServerProcess.Failed(description: "only \(accounts.count) transfer accounts were issued")
        }
        return app.redemptions(accounts, by: TestApp.devices(count))
    }

    /// Calls of logged-in players, as many as a share of the ceiling could use up.
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

    /// The rate at which this server answers requests without work.
    func ceiling() throws -> Double {
        var requests = RequestList()
        requests.add(HTTPRequest("GET", "/health/live").bytes)
        var warm = Load(port: Self.port, connections: connections, seconds: 1, repeats: true)
        warm.patience = 5
        _ = warm.run(requests)
        return try measureAndReport("ceiling", requests, repeats: true, ceiling: nil)
    }

    /// Returns successful requests a second.
    @discardableResult
    func measureAndReport(
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
