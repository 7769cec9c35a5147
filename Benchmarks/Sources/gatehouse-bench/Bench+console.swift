import Foundation
import LoadGenerator

// What the operators' console takes, and what it takes from players.
extension Bench {
    /// How many members the game has.
    private static let members = 1_000_000
    private static let rounds = 3
    /// The most milliseconds that a page may take in 95 of 100 cases.
    private static let goal = 20.0

    func measureConsole(ceiling: Double) throws {
        let devices = try app.loggedIn(2_000).map(\.device)
        try Growth(place: place, app: TestApp.id).fill(upTo: Self.members)
        let history = try ConsoleHistory(place: place, app: TestApp.id)
        try measurePages(history)

        let count = Int(seconds * ceiling * 0.5)
        func logins() -> RequestList { app.logins((0..<count).map { devices[$0 % devices.count] }) }
        var clicks = RequestList()
        for page in history.pages { clicks.add(history.request(page.path, session: 0).bytes) }
        let renewals = history.renewals
        var (alone, clicked, renewed): ([Double], [Double], [Double]) = ([], [], [])
        // In turn, because this machine's speed changes within minutes.
        for round in 1...Self.rounds {
            alone.append(try measureAndReport("guest_again_\(round)", logins(), repeats: false, ceiling: ceiling))
            clicked.append(try measureLogins("beside_console_\(round)", logins(), clicks, rate: nil, ceiling))
            let rate = Double(renewals.count) / ConsoleHistory.renewalSeconds
            renewed.append(try measureLogins("beside_live_\(round)", logins(), renewals, rate: rate, ceiling))
        }
        say("  logins beside an operator who never stops clicking: \(Self.shares(clicked, of: alone)) of those without")
        say(
            "  logins beside \(ConsoleHistory.operators) operators whose pages renew themselves: "
                + "\(Self.shares(renewed, of: alone)) of those without")
    }

    /// Every page, with how many are slower than they should be.
    private func measurePages(_ history: ConsoleHistory) throws {
        var slow: [String] = []
        for (name, path) in history.pages {
            var before = 0.0
            let (result, longest) = try history.fetch(path) { before = server.processorMicroseconds }
            let used = server.processorMicroseconds - before
            let milliseconds = result.percentile(0.95)
            try report.add(
                .init(
                    name: "console_\(name)", engine: place.engine, connections: 1, requestsPerSecond: result.perSecond,
                    p50Milliseconds: result.percentile(0.5), p99Milliseconds: result.percentile(0.99),
                    errors: result.errors, cpuMicrosecondsPerRequest: used / Double(max(1, result.successes)),
                    peakMemoryMegabytes: server.memory.peak, ceilingRatio: 0, p95Milliseconds: milliseconds,
                    longestBytes: longest))
            let text = "\(String(format: "%.1f", milliseconds)) ms"
            say("    p95 \(text), \(longest / 1_024) KB")
            if milliseconds > Self.goal { slow.append("\(name) \(text)") }
        }
        say(
            "  \(history.pages.count - slow.count) of \(history.pages.count) pages take at most \(Int(Self.goal)) ms"
                + (slow.isEmpty ? "" : ", not \(slow.joined(separator: ", "))"))
    }

    /// The rate of logins while operators ask for pages.
    ///
    /// - Parameter rate: the pages a second; nil for one after the other.
    private func measureLogins(
        _ name: String, _ logins: RequestList, _ pages: RequestList, rate: Double?, _ ceiling: Double
    ) throws -> Double {
        let operators = Thread { [seconds] in
            let connections = rate == nil ? 1 : 4
            _ = Load(port: Self.port, connections: connections, seconds: seconds, rate: rate, repeats: true).run(pages)
        }
        operators.start()
        return try measureAndReport(name, logins, repeats: false, ceiling: ceiling)
    }

    private static func shares(_ rates: [Double], of alone: [Double]) -> String {
        zip(alone, rates).map { $1 / $0 }.sorted().map { String(format: "%.3f", $0) }.joined(separator: ", ")
    }
}
