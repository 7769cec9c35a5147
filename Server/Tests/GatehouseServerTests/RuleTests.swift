import Foundation
import Testing

/// `docs/rules.md` lists every rule of the product with the tests that cite its id in their names.
/// `GATEHOUSE_WRITE_DOCS=1 swift test --package-path Server --filter RuleTests` writes its last column.
@Suite struct RuleTests {
    /// The number of rules of each kind.
    static let rules = [
        ("START", 4), ("LOGIN", 13), ("LOGOUT", 2), ("MAP", 10), ("TRANSFER", 8), ("WITHDRAW", 5), ("BAN", 6),
        ("INFO", 4),
        ("ERROR", 3), ("IDP", 13), ("NET", 1), ("LNK", 6), ("TRF", 6), ("WDR", 3), ("SES", 11),
    ]
    /// Rules that are not implemented yet; the table says so.
    static let notYet: Set<String> = []
    static let ids = rules.flatMap { kind, count in (1...count).map { "\(kind)-\($0)" } }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("Every rule has a test that cites it, and the table of docs/rules.md is true")
    func table() throws {
        let tests = try Self.tests()
        for id in Self.ids where !Self.notYet.contains(id) {
            #expect(tests[id]?.isEmpty == false, "no test cites \(id)")
        }
        let listed = try Self.check("docs/rules.md") { id, _ in
            guard Self.ids.contains(id) else { return nil }
            return Self.notYet.contains(id) ? "not built yet" : Self.names(tests[id])
        }
        #expect(listed == Self.ids)
    }

    @Test("Every requirement of the threat model has its tests, or says what it has instead")
    func requirements() throws {
        let tests = try Self.tests()
        let listed = try Self.check("docs/threat-model.md") { id, cell in
            guard id.wholeMatch(of: #/[A-Z]{3}-[0-9]+/#) != nil else { return nil }
            guard tests[id]?.isEmpty ?? true else { return Self.names(tests[id]) }
            #expect(cell.hasPrefix("("), "no test cites \(id)")
            return cell
        }
        #expect(listed.count == Set(listed).count)
        #expect(listed.count > 60)
    }

    private static func names(_ tests: Set<String>?) -> String { (tests ?? []).sorted().joined(separator: ", ") }

    /// Compares the last column of a document's tables with three columns, or writes it.
    ///
    /// - Parameter column: the column's text for an id, given its current text; nil for a row of another table.
    /// - Returns: the ids of its rows.
    private static func check(_ path: String, _ column: (String, String) -> String?) throws -> [String] {
        var listed: [String] = []
        try GeneratedDocument(path).check(rows: { cells in
            guard cells.count == 3, let names = column(cells[0], cells[2]) else { return nil }
            listed.append(cells[0])
            return [cells[0], cells[1], names]
        })
        return listed
    }

    /// The tests by the ids that their titles cite, as `Suite.function`. A range cites nothing, because a test that proves the rules in
    /// between can name them.
    private static func tests() throws -> [String: Set<String>] {
        var tests: [String: Set<String>] = [:]
        for test in try TestTitle.all(in: root) {
            for citation in test.title.matches(of: #/\b[A-Z]{3,8}-\d+/#) {
                tests[String(citation.output), default: []].insert(test.name)
            }
            #expect(!test.title.contains(#/[A-Z]-\d+ to /#), "\(test.name) cites a range")
        }
        return tests
    }
}
