import Foundation
import LoadGenerator

/// The instructions that each call may take: the figures of the last time that somebody looked, by engine and call.
struct InstructionBudget {
    /// A call that takes this much more than its figure has become slower. PostgreSQL answers in smaller batches while other work runs on
    /// the machine, and then each call takes up to 6% more.
    private static func tolerance(on engine: String) -> Double { engine == "postgresql" ? 1.1 : 1.05 }

    private var figures: [String: Instructions.Figures]
    private let file: URL

    init(path: String) throws {
        file = URL(fileURLWithPath: path)
        figures =
            FileManager.default.fileExists(atPath: path)
            ? try JSONDecoder().decode([String: Instructions.Figures].self, from: Data(contentsOf: file)) : [:]
    }

    /// What is over the budget, a sentence each.
    func complaints(about counted: Instructions.Figures, on engine: String) -> [String] {
        counted.sorted { $0.key < $1.key }.compactMap { name, count in
            guard let budget = figures[engine]?[name] else { return "\(name) on \(engine) has no budget." }
            guard Double(count) > Double(budget) * Self.tolerance(on: engine) else { return nil }
            return "\(name) on \(engine) takes \(count) instructions, and its budget is \(budget)."
        }
    }

    /// Makes the figures the budget from now on.
    mutating func replace(_ counted: Instructions.Figures, on engine: String) throws {
        figures[engine] = counted
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(figures) + Data("\n".utf8)).write(to: file)
    }
}
