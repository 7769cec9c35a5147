import Foundation
import LoadGenerator

/// What callgrind has counted. Its format: https://valgrind.org/docs/manual/cl-format.html
struct CallgrindProfile {
    /// All instructions.
    let total: Int
    /// Instructions of a function with all that it called, by the function's name and its caller's.
    private var calls: [(callee: String, caller: String, instructions: Int)] = []

    init(contentsOf file: URL) throws {
        var names: [Substring: String] = [:]
        /// A name is written once, as `(1) name`, and `(1)` from then on.
        func name(_ text: Substring) -> String {
            let parts = text.split(separator: " ", maxSplits: 1)
            guard let number = parts.first else { return "" }
            if parts.count > 1 { names[number] = String(parts[1]) }
            return names[number] ?? ""
        }
        var (caller, callee, isCall) = ("", "", false)
        var total: Int?
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("fn=") {
                caller = name(line.dropFirst(3))
            } else if line.hasPrefix("cfn=") {
                callee = name(line.dropFirst(4))
            } else if line.hasPrefix("calls=") {
                isCall = true
            } else if line.hasPrefix("totals:") {
                total = line.split(separator: " ").last.flatMap { Int($0) }
            } else if isCall {
                isCall = false
                calls.append((callee, caller, line.split(separator: " ").last.flatMap { Int($0) } ?? 0))
            }
        }
        guard let total else { throw ServerProcess.Failed(description: "\(file.path) is no profile of callgrind") }
        self.total = total
    }

    /// The instructions of the functions whose names are wanted, with all that they call.
    func inclusive(_ isWanted: (String) -> Bool) -> Int {
        calls.filter { isWanted($0.callee) && !isWanted($0.caller) }.reduce(0) { $0 + $1.instructions }
    }
}
