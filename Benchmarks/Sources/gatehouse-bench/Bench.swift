import Foundation
import GatehouseWire
import LoadGenerator

/// The measurements of one engine, on one server.
struct Bench {
    static let app = AppID("bench")
    private static let port = 18_765

    let place: Place
    let connections: Int
    let seconds: Double
    let report: Report
    private let secret: String
    private let server: ServerProcess
    private let origin = "http://127.0.0.1:\(Self.port)"

    init(executable: String, place: Place, connections: Int, seconds: Double, report: Report) throws {
        self.place = place
        self.connections = connections
        self.seconds = seconds
        self.report = report
        let settings = ["--database", place.url, "--key-file", "\(place.folder)/key"]
        let created = try LoadGenerator.run([executable, "app", "create", Self.app.rawValue] + settings)
        guard let secret = created.firstMatch(of: #/gsk_[A-Za-z0-9_-]+/#) else {
            throw ServerProcess.Failed(description: "no secret key in what `app create` prints")
        }
        self.secret = String(secret.output)
        // All players of a benchmark come from one address.
        try LoadGenerator.run(
            [executable, "app", "limits", Self.app.rawValue, "--new-guests", "0", "--refused-proofs", "0"] + settings)
        server = try ServerProcess(executable, folder: place.folder, port: Self.port, arguments: settings)
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
                let devices = try loggedIn(2_000).map(\.device)
                let (path, origin) = (path(Endpoints.logIn.template), origin)
                try measure(
                    measurement.rawValue,
                    proofs(Int(seconds * ceiling * 0.5)) { index, now in
                        devices[index % devices.count].request(
                            .post, path, origin: origin, body: Self.guest,
                            idempotencyKey: "again-\(index)-\(now)", at: now)
                    })
            case .lastProvider:
                try measure(measurement.rawValue, sessionCalls(Endpoints.logInWithLastProvider, 0.6, ceiling))
            case .refresh: try measure(measurement.rawValue, sessionCalls(Endpoints.refreshSession, 0.6, ceiling))
            case .heartbeat: try measure(measurement.rawValue, sessionCalls(Endpoints.heartbeat, 0.8, ceiling))
            case .member: try measure(measurement.rawValue, sessionCalls(Endpoints.member, 0.8, ceiling))
            case .tokenCheck:
                var requests = RequestList()
                for player in try loggedIn(2_000) {
                    requests.add(
                        HTTPRequest(
                            "POST", path(Endpoints.checkToken.template), headers: [("X-Secret-Key", secret)],
                            body: #"{"accessToken":"\#(player.accessToken)"}"#
                        ).bytes)
                }
                try measure(measurement.rawValue, requests, repeats: true)
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
                    try Growth(place: place, app: Self.app).fill(upTo: members)
                    try measure("guest_new_\(members)", newGuests(Int(seconds * ceiling * 0.25)))
                }
            }
        }
    }

    private static let guest = #"{"provider":"guest"}"#

    private func path(_ template: String) -> String { template.replacing("{appId}", with: Self.app.rawValue) }

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

    /// Requests with a proof each, signed now.
    private func proofs(_ count: Int, _ make: @escaping @Sendable (_ index: Int, _ now: Int) -> HTTPRequest)
        -> RequestList
    {
        var requests = RequestList()
        let bytes = inParallel(count) { make($0, Int(Date().timeIntervalSince1970)).bytes }
        for request in bytes { requests.add(request) }
        return requests
    }

    private func newGuests(_ count: Int) -> RequestList {
        // Keys first: they take long, and a proof is good for a minute.
        let devices = inParallel(count) { _ in Device() }
        let path = path(Endpoints.logIn.template)
        let origin = origin
        return proofs(count) { index, now in
            devices[index].request(
                .post, path, origin: origin, body: Self.guest, idempotencyKey: "new-\(now)-\(index)", at: now)
        }
    }

    private struct Player: Sendable {
        let device: Device
        let accessToken: String
        let refreshToken: String
    }

    /// Players who are in.
    private func loggedIn(_ count: Int) throws -> [Player] {
        let devices = inParallel(count) { _ in Device() }
        let path = path(Endpoints.logIn.template)
        let origin = origin
        let requests = proofs(count) { devices[$0].request(.post, path, origin: origin, body: Self.guest, at: $1) }
        var players: [Player] = []
        var load = Load(port: Self.port, connections: 16, seconds: 60)
        load.onOutcome = { index, answer in
            guard let answer, let login = try? JSONDecoder().decode(Login.self, from: Data(answer.body)),
                let refreshToken = login.session.refreshToken
            else { return }
            players.append(
                Player(
                    device: devices[index], accessToken: login.session.accessToken.secretValue,
                    refreshToken: refreshToken.secretValue))
        }
        _ = load.run(requests)
        guard players.count == count else {
            throw ServerProcess.Failed(description: "only \(players.count) of \(count) logins succeeded")
        }
        return players
    }

    /// Calls of players who are in, as many as a share of the ceiling could use up.
    private func sessionCalls<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ share: Double, _ ceiling: Double
    ) throws -> RequestList {
        let players = try loggedIn(2_000)
        let path = path(endpoint.template)
        let origin = origin
        let (verb, access) = (endpoint.verb, endpoint.access)
        return proofs(Int(seconds * ceiling * share)) { index, now in
            let player = players[index % players.count]
            let token = access == .refreshToken ? player.refreshToken : player.accessToken
            return player.device.request(verb, path, origin: origin, token: token, at: now)
        }
    }
}
