import Foundation
import LoadGenerator

/// The figures of one engine, a column for each number of members.
final class GrowthTable {
    /// The least share of the rate with the fewest members.
    static let leastShare = 0.8

    private struct Row {
        let name: String
        var cells: [Int: String] = [:]
        /// Rates are compared with the first column's.
        var rates: [Int: Double] = [:]
    }

    /// One figure, as a line of JSON.
    private struct Figure: Encodable {
        let name: String
        let engine: String
        let members: Int
        let value: Double
        let unit: String
    }

    private let engine: String
    private let sizes: [Int]
    private let report: Report
    private var rows: [Row] = []

    init(engine: String, sizes: [Int], report: Report) {
        (self.engine, self.sizes, self.report) = (engine, sizes, report)
    }

    /// - Parameters:
    ///   - unit: `s`, `MB`, `ms`, and so on.
    ///   - bound: the most that is right; more is marked.
    func add(_ name: String, _ value: Double, _ unit: String, at size: Int, bound: Double? = nil) throws {
        let over = bound.map { value > $0 } ?? false
        let text = Self.text(value) + (over ? " (above \(Self.text(bound ?? 0)))" : "")
        try set("\(name), \(unit)", value, unit, name, text, at: size)
        if over {
            say("  above the bound of \(Self.text(bound ?? 0)) \(unit) on \(engine): \(name) with \(size) members")
        }
    }

    /// A rate, which is compared with that of the fewest members.
    func add(rate: Double, of name: String, at size: Int) throws {
        let first = rows.first { $0.name == "\(name), a second" }?.rates[sizes[0]] ?? rate
        let share = rate / first
        let mark = share < Self.leastShare ? ", below \(Self.leastShare)" : ""
        try set(
            "\(name), a second", rate, "a second", name, String(format: "%.0f (%.2f%@)", rate, share, mark), at: size)
        if let row = rows.firstIndex(where: { $0.name == "\(name), a second" }) { rows[row].rates[size] = rate }
        if !mark.isEmpty {
            say(
                "  below \(Self.leastShare) on \(engine): \(name) with \(size) members, \(String(format: "%.2f", share))"
            )
        }
    }

    private func set(
        _ title: String, _ value: Double, _ unit: String, _ name: String, _ text: String, at size: Int
    ) throws {
        if !rows.contains(where: { $0.name == title }) { rows.append(Row(name: title)) }
        if let row = rows.firstIndex(where: { $0.name == title }) { rows[row].cells[size] = text }
        try report.write(Figure(name: "growth: \(name)", engine: engine, members: size, value: value, unit: unit))
    }

    /// As a table of Markdown.
    var text: String {
        let head = ["\(engine), members"] + sizes.map { $0.formatted(.number.locale(Locale(identifier: "en_US"))) }
        let lines =
            [head, head.map { _ in "---" }] + rows.map { row in [row.name] + sizes.map { row.cells[$0] ?? "" } }
        return lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    private static func text(_ value: Double) -> String {
        String(format: value < 1 ? "%.3f" : value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }
}
