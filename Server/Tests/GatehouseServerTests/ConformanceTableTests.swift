import Foundation
import Testing

/// `docs/conformance.md` lists what the public guides of Gamebase say, statement by statement, each with its test.
/// `GATEHOUSE_WRITE_DOCS=1 swift test --package-path Server --filter ConformanceTableTests` writes its last column and the statements
/// of those that have a test.
@Suite struct ConformanceTableTests {
    private static let root = RuleTests.root
    private static let page = root.appendingPathComponent("docs/conformance.md")

    @Test("Every statement that makes a demand has one test, which its table names")
    func table() throws {
        let tests = try Self.tests()
        var marks: [String] = []
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            var cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 7, cells[1].contains(#/^[KEOSJ]\d+[a-z]?$/#) else { return String(line) }
            let mark = cells[1]
            marks.append(mark)
            let found = tests[mark] ?? []
            #expect(found.count <= 1, "\(mark) has \(found.count) tests")
            switch cells[4] {
            case "no demand": #expect(found.isEmpty, "\(mark) demands nothing and has a test")
            case "held", Self.argued: #expect(found.count == 1 || cells[5].hasPrefix("("), "no test shows \(mark)")
            default: Issue.record("\(mark) is neither held nor argued: \(cells[4])")
            }
            if let test = found.first {
                cells[3] = test.title
                cells[5] = test.name
            }
            return "| \(cells[1...5].joined(separator: " | ")) |"
        }
        #expect(marks.count == Set(marks).count)
        #expect(marks.count == 185)
        #expect(Set(tests.keys).isSubset(of: marks), "\(Set(tests.keys).subtracting(marks)) are no statements")
        let expected = lines.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["GATEHOUSE_WRITE_DOCS"] == "1" {
            try expected.write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(text == expected, "GATEHOUSE_WRITE_DOCS=1 writes docs/conformance.md anew")
        }
    }

    @Test("What differs from a statement is argued, in a table of the compatibility page")
    func arguments() throws {
        let table = try String(contentsOf: Self.page, encoding: .utf8)
        let differing = table.split(separator: "\n").filter { $0.contains(Self.argued) }.compactMap {
            $0.firstMatch(of: #/^\| ([KEOSJ]\d+[a-z]?) /#)?.1
        }
        let page = try String(
            contentsOf: Self.root.appendingPathComponent("docs/gamebase-compatibility.md"), encoding: .utf8)
        let arguments = page.split(separator: "\n").compactMap { line -> [Substring]? in
            guard let marks = line.firstMatch(of: #/^\| ((?:[KEOSJ]\d+[a-z]?(?:, )?)+) \|/#)?.1 else { return nil }
            #expect(line.split(separator: "|").allSatisfy { !$0.trimmingCharacters(in: .whitespaces).isEmpty })
            return marks.split(separator: ", ")
        }.flatMap(\.self)
        #expect(Set(differing) == Set(arguments))
    }

    private static let argued = "[argued](gamebase-compatibility.md#what-the-guides-say-otherwise)"

    /// The suite's tests by their marks, their titles without them.
    private static func tests() throws -> [String: [TestTitle]] {
        var tests: [String: [TestTitle]] = [:]
        for test in try TestTitle.all(in: root) where test.file.path.contains("/Conformance/") {
            let parts = test.title.split(separator: " ", maxSplits: 1)
            let (mark, title) = (try #require(parts.first), try #require(parts.last))
            #expect(mark.contains(#/^[KEOSJ]\d+[a-z]?$/#), "\(test.title) begins with no mark")
            tests[String(mark), default: []].append(
                TestTitle(name: test.name, title: String(title), file: test.file))
        }
        return tests
    }
}
