import Foundation
import Testing

/// A document of which a part is generated. With `GATEHOUSE_WRITE_DOCS=1` the tests write it.
struct GeneratedDocument {
    static let root = RuleTests.root

    let path: String
    let text: String

    /// - Parameter path: from the root of the repository.
    init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    /// Compares the document with its lines as they should be, or writes them.
    func check(_ expected: [String]) throws {
        if ProcessInfo.processInfo.environment["GATEHOUSE_WRITE_DOCS"] == "1" {
            try expected.joined(separator: "\n").write(
                to: Self.root.appendingPathComponent(path).resolvingSymlinksInPath(), atomically: true, encoding: .utf8)
        } else {
            #expect(lines == expected, "GATEHOUSE_WRITE_DOCS=1 writes \(path) anew")
        }
    }

    /// Compares the lines between two marks, or writes them.
    func check(from begin: String, to end: String, _ expected: [String]) throws {
        let first = try #require(lines.firstIndex { $0.hasSuffix(begin) }, "\(path) has no \(begin)")
        let last = try #require(lines[first...].firstIndex { $0.hasSuffix(end) }, "\(path) has no \(end)")
        try check(lines[...first] + expected + lines[last...])
    }

    /// Compares the rows of the document's tables, or writes them.
    ///
    /// - Parameter row: the cells of a row as they should be, given the current cells; nil for a line that is not of the table.
    func check(rows row: ([String]) throws -> [String]?) throws {
        try check(
            lines.map { line in
                let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                return try row(cells).map { "| \($0.joined(separator: " | ")) |" } ?? line
            })
    }
}
