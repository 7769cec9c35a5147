import Foundation
import Testing

/// `docs/conformance.md` lists what the public guides of Gamebase say, statement by statement, each with its test.
/// `GATEHOUSE_WRITE_DOCS=1 swift test --package-path Server --filter ConformanceTableTests` writes its last column and the statements
/// of those that have a test.
@Suite struct ConformanceTableTests {
    private static let root = RuleTests.root
    private static let page = "docs/conformance.md"

    @Test("Every statement that makes a demand has one test, which its table names")
    func table() throws {
        let tests = try Self.tests()
        var marks: [String] = []
        try GeneratedDocument(Self.page).check(rows: { cells in
            guard cells.count == 5, cells[0].contains(#/^[KEOSJ]\d+[a-z]?$/#) else { return nil }
            var cells = cells
            let mark = cells[0]
            marks.append(mark)
            let found = tests[mark] ?? []
            #expect(found.count <= 1, "\(mark) has \(found.count) tests")
            switch cells[3] {
            case "no demand": #expect(found.isEmpty, "\(mark) demands nothing and has a test")
            case "held", Self.argued: #expect(found.count == 1 || cells[4].hasPrefix("("), "no test shows \(mark)")
            default: Issue.record("\(mark) is neither held nor argued: \(cells[3])")
            }
            if let test = found.first {
                cells[2] = test.title
                cells[4] = test.name
            }
            return cells
        })
        #expect(marks.count == Set(marks).count)
        #expect(marks.count == 187)
        #expect(Set(tests.keys).isSubset(of: marks), "\(Set(tests.keys).subtracting(marks)) are no statements")
    }

    @Test("What differs from a statement is argued, in a table of the compatibility page")
    func arguments() throws {
        let table = try GeneratedDocument(Self.page).text
        let differing = table.split(separator: "\n").filter { $0.contains(Self.argued) }.compactMap {
            $0.firstMatch(of: #/^\| ([KEOSJ]\d+[a-z]?) /#)?.1
        }
        let page = try GeneratedDocument("docs/gamebase-compatibility.md").text
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
