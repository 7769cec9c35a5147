import Foundation
import LoadGenerator

// The console's pages while members become more.
extension GrowthRun {
    /// Milliseconds of the 95th percentile of a page, and of a bounded search or a chart.
    private static let (page, search) = (50.0, 300.0)

    func measurePages(_ history: ConsoleHistory, _ size: Int) throws {
        let user = try first("SELECT user_id FROM members ORDER BY user_id LIMIT 1 OFFSET 9000;")
        let subject = try first("SELECT subject FROM identities WHERE user_id = '\(user)';")
        let find = "/console/apps/\(TestApp.id)/find?q="
        let searches = [
            ("find_id", find + user), ("find_subject", find + subject), ("find_part", find + user.dropLast(2)),
        ]
        for (name, path) in history.pages + searches {
            let isSearch = ["overview_", "members_", "find_"].contains { name.hasPrefix($0) }
            let milliseconds = try percentile(path, history)
            try table.add(
                "console, \(name), p95", milliseconds, "ms", at: size, bound: isSearch ? Self.search : Self.page)
        }
    }

    /// The 95th percentile of one page, which one browser fetches again and again.
    private func percentile(_ path: String, _ history: ConsoleHistory) throws -> Double {
        var requests = RequestList()
        for session in history.sessions.indices { requests.add(history.request(path, session: session).bytes) }
        var load = Load(port: Bench.port, connections: 1, seconds: 0.2, repeats: true)
        load.patience = 60
        _ = load.run(requests)
        load.seconds = max(0.5, bench.seconds / 5)
        let result = load.run(requests)
        guard result.statuses.keys.allSatisfy({ $0 < 400 }), result.lost == 0, !result.latencies.isEmpty else {
            throw ServerProcess.Failed(description: "\(path): answers \(result.statuses), lost \(result.lost)")
        }
        return result.percentile(0.95)
    }

    private func first(_ question: String) throws -> String {
        try place.execute(question).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
