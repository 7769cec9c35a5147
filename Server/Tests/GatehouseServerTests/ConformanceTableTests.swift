import Foundation
import Testing

/// `docs/contributing/conformance.md` lists what the public guides of Gamebase say, statement by statement, each with its test.
/// `GATEHOUSE_WRITE_DOCS=1 make test ONLY=ConformanceTableTests` writes its last column and the statements
/// of those that have a test of their own.
///
/// A test of the conformance suite can show several statements: its title begins with the marks of all. A statement that another suite's
/// test shows names it in the table, as "shown by Suite.function".
@Suite struct ConformanceTableTests {
    private static let root = RuleTests.root
    private static let page = "docs/contributing/conformance.md"

    @Test("Every statement that makes a demand has one test, which its table names")
    func table() throws {
        let all = try TestTitle.all(in: Self.root)
        let tests = try Self.tests(among: all)
        let names = Set(all.map(\.name))
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
            case "held", Self.argued:
                let shown = found.map(\.name) + (found.isEmpty ? Self.named(cells[4]) : [])
                #expect(!shown.isEmpty || cells[4].hasPrefix("("), "no test shows \(mark)")
                #expect(Set(shown).isSubset(of: names), "\(mark) is shown by \(shown), which is no test")
            default: Issue.record("\(mark) is neither held nor argued: \(cells[3])")
            }
            if let test = found.first {
                if let title = test.title { cells[2] = title }
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

    private static let argued = "[argued](../gamebase-compatibility.md#what-the-guides-say-otherwise)"

    /// The tests of other suites that a row names.
    private static func named(_ cell: String) -> [String] {
        guard cell.hasPrefix("shown by ") else { return [] }
        return cell.dropFirst("shown by ".count).split(separator: ", ").map(String.init)
    }

    /// A test that shows a statement, and the statement where it shows no other.
    private struct Proof {
        let name: String
        let title: String?
    }

    /// The suite's tests by their marks.
    private static func tests(among all: [TestTitle]) throws -> [String: [Proof]] {
        var tests: [String: [Proof]] = [:]
        for test in all where test.file.path.contains("/Conformance/") {
            let words = test.title.split(separator: " ")
            let marks = words.prefix { $0.contains(#/^[KEOSJ]\d+[a-z]?$/#) }
            #expect(!marks.isEmpty, "\(test.title) begins with no mark")
            let title = marks.count == 1 ? words.dropFirst().joined(separator: " ") : nil
            for mark in marks { tests[String(mark), default: []].append(Proof(name: test.name, title: title)) }
        }
        return tests
    }
}
