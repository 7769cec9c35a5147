import LoadGenerator

// The console's pages while members become more.
extension GrowthRun {
    /// Milliseconds of the 95th percentile of a page, and of a bounded search or a chart.
    private static let (page, search) = (50.0, 300.0)

    func measurePages(_ history: ConsoleHistory, _ size: Int) throws {
        for (name, path) in history.pages {
            let isSearch = ["overview_", "members_", "find_"].contains { name.hasPrefix($0) }
            try table.add(
                "console, \(name), p95", history.fetch(path).result.percentile(0.95), "ms", at: size,
                bound: isSearch ? Self.search : Self.page)
        }
    }
}
