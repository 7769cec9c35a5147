import Foundation
import LoadGenerator

/// The figures: a table for the eye, and one JSON object a line for programs.
final class Report {
    struct Figures: Encodable {
        var name: String
        var engine: String
        var connections: Int
        var requestsPerSecond: Double
        var p50Milliseconds: Double
        var p99Milliseconds: Double
        var errors: Int
        var cpuMicrosecondsPerRequest: Double
        var peakMemoryMegabytes: Double
        var ceilingRatio: Double
        /// The 95th percentile and the longest answer's size, of pages.
        var p95Milliseconds: Double?
        var longestBytes: Int?
    }

    private let file: FileHandle

    init(path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(
            atPath: folder.isEmpty ? "." : folder, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: path))
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        say(
            Self.line("name", "engine", "conn", "req/s", "p50 ms", "p99 ms", "errors", "CPU us", "peak MB", "ceiling"))
    }

    /// Writes a line of JSON.
    func write(_ line: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try file.write(contentsOf: encoder.encode(line) + Data("\n".utf8))
    }

    func add(_ figures: Figures) throws {
        try write(figures)
        say(
            Self.line(
                figures.name, figures.engine, "\(figures.connections)", Self.text(figures.requestsPerSecond, 0),
                Self.text(figures.p50Milliseconds, 2), Self.text(figures.p99Milliseconds, 2), "\(figures.errors)",
                Self.text(figures.cpuMicrosecondsPerRequest, 0), Self.text(figures.peakMemoryMegabytes, 1),
                Self.text(figures.ceilingRatio, 3)))
    }

    private static func text(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }

    private static func line(_ columns: String...) -> String {
        let widths = [18, 10, 5, 9, 8, 8, 7, 7, 8, 8]
        return zip(columns, widths).enumerated().map { index, pair in
            let space = String(repeating: " ", count: max(0, pair.1 - pair.0.count))
            return index < 2 ? pair.0 + space : space + pair.0
        }.joined(separator: " ")
    }
}
