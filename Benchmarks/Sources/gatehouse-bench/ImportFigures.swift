import Foundation

/// What an import took, and the goals.
struct ImportFigures: Encodable {
    private static let leastShare = 0.8
    private static let mostMegabytes = 200.0

    let name = "import"
    let engine: String
    let members: Int
    /// From the beginning of the writing to the end of the command.
    let membersPerSecond: Double
    /// The rate of the last tenth, as a share of that of the first one.
    let lastTenthShare: Double
    let peakMemoryMegabytes: Double
    /// For reading the file and for the plan.
    let secondsBeforeWriting: Double
    let secondsOfWriting: Double
    /// The 99th percentile of logins at a low rate, beside the writing and just before the import.
    let loginP99Milliseconds: Double
    let loginP99MillisecondsAlone: Double
    let loginErrors: Int

    private var leastPerSecond: Double { engine == "sqlite" ? 5_000 : 3_000 }

    /// As a table of Markdown.
    var table: String {
        let count = members.formatted(.number.locale(Locale(identifier: "en_US")))
        func mark(_ isReached: Bool) -> String { isReached ? "" : " (not reached)" }
        let rows = [
            ["\(engine), \(count) members", "", "goal"], ["---", "---", "---"],
            [
                "members a second while writing",
                Self.text(membersPerSecond, 0) + mark(membersPerSecond >= leastPerSecond),
                "at least \(Self.text(leastPerSecond, 0))",
            ],
            [
                "the last tenth's rate as a share of the first's",
                Self.text(lastTenthShare, 2) + mark(lastTenthShare >= Self.leastShare),
                "at least \(Self.text(Self.leastShare, 2))",
            ],
            [
                "peak memory of the command, MB",
                Self.text(peakMemoryMegabytes, 0) + mark(peakMemoryMegabytes < Self.mostMegabytes),
                "less than \(Self.text(Self.mostMegabytes, 0))",
            ],
            [
                "seconds for reading and the plan, and for writing",
                "\(Self.text(secondsBeforeWriting, 1)), \(Self.text(secondsOfWriting, 1))", "",
            ],
            [
                "p99 of \(SteadyLogins.rate) logins a second: beside the writing, and alone, ms",
                "\(Self.text(loginP99Milliseconds, 1)), \(Self.text(loginP99MillisecondsAlone, 1))", "",
            ],
            ["logins that failed meanwhile", "\(loginErrors)", ""],
        ]
        return rows.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    private static func text(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
}
