import Foundation
import LoadGenerator

// What the operators' console takes, and what it takes from players.
extension Bench {
    /// How many members the game has.
    private static let members = 1_000_000
    private static let rounds = 3

    func measureConsole(ceiling: Double) throws {
        let devices = try app.loggedIn(2_000).map(\.device)
        try Growth(place: place, app: TestApp.id).fill(upTo: Self.members)
        let history = try ConsoleHistory(place: place, app: TestApp.id)
        for page in history.pages { try measurePage(page.name, page.path, history) }

        let count = Int(seconds * ceiling * 0.5)
        func logins() -> RequestList { app.logins((0..<count).map { devices[$0 % devices.count] }) }
        var clicks = RequestList()
        for page in history.pages { clicks.add(history.request(page.path, session: 0).bytes) }
        var (alone, beside): ([Double], [Double]) = ([], [])
        // Both in turn, because this machine's speed changes within minutes.
        for round in 1...Self.rounds {
            alone.append(try measureAndReport("guest_again_\(round)", logins(), repeats: false, ceiling: ceiling))
            let requests = logins()
            let operators = Thread { [seconds, clicks] in
                _ = Load(port: Self.port, connections: 1, seconds: seconds, repeats: true).run(clicks)
            }
            operators.start()
            beside.append(
                try measureAndReport("beside_console_\(round)", requests, repeats: false, ceiling: ceiling))
        }
        let shares = zip(alone, beside).map { $1 / $0 }.sorted()
        say("  logins beside an operator who never stops clicking: \(Self.text(shares)) of those without")
    }

    /// One page, fetched again and again by one browser.
    private func measurePage(_ name: String, _ path: String, _ history: ConsoleHistory) throws {
        var requests = RequestList()
        for session in history.sessions.indices { requests.add(history.request(path, session: session).bytes) }
        var warm = Load(port: Self.port, connections: 1, seconds: 0.2, repeats: true)
        warm.patience = 60
        _ = warm.run(requests)
        var longest = 0
        var load = Load(port: Self.port, connections: 1, seconds: max(0.5, seconds / 5), repeats: true)
        load.onOutcome = { _, answer in longest = max(longest, answer?.body.count ?? 0) }
        let before = server.processorMicroseconds
        let result = load.run(requests)
        let used = server.processorMicroseconds - before
        try report.add(
            .init(
                name: "console_\(name)", engine: place.engine, connections: 1, requestsPerSecond: result.perSecond,
                p50Milliseconds: result.percentile(0.5), p99Milliseconds: result.percentile(0.99),
                errors: result.errors, cpuMicrosecondsPerRequest: used / Double(max(1, result.successes)),
                peakMemoryMegabytes: server.memory.peak, ceilingRatio: 0, p95Milliseconds: result.percentile(0.95),
                longestBytes: longest))
        say("    p95 \(String(format: "%.1f", result.percentile(0.95))) ms, \(longest / 1_024) KB \(result.statuses)")
    }

    private static func text(_ shares: [Double]) -> String {
        shares.map { String(format: "%.3f", $0) }.joined(separator: ", ")
    }
}
